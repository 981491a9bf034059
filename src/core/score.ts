import type { Complete, DependsOn, Evaluate, Json, Metric, Reference, Score } from '../types.ts';
import { scoreMetric, type MetricSample, type MetricTools } from '../metrics/index.ts';
import type { Sample } from './execute.ts';
import type { Yardstick } from './yardstick.ts';

export interface ScoringTools {
  complete: Complete;
  evaluate: Evaluate;
  /** Unforeseeable text for the delimiters around what a grader judges. */
  random: MetricTools['random'];
}

/** One answer to judge, and the reference whose expected value it is judged by. */
export interface Judged { sample: Sample; reference: Reference }

/**
 * Every metric of the yardstick on every answer: one list of scores per answer, in the order of the metrics.
 * An answer that never came has no scores. A metric whose `depends_on` does not hold is skipped with its reason.
 */
export async function scoreSamples(judged: readonly Judged[], yardstick: Yardstick, tools: ScoringTools): Promise<Score[][]> {
  const found = judged.map(() => new Map<string, Score>());
  for (const metric of inDependencyOrder(yardstick.tests.metrics)) {
    const ready: number[] = [];
    judged.forEach(({ sample }, index) => {
      if (sample.completion.status === 'error') return;
      const unmet = unmetDependency(metric, found[index] ?? new Map());
      if (unmet === null) ready.push(index);
      else found[index]?.set(metric.name, { metric: metric.name, status: 'skipped', value: null, reason: unmet, skip: metric.skip });
    });
    const scores = await scoreByTry(metric, ready.map((index) => judged[index]).filter((one) => one !== undefined), yardstick, tools);
    ready.forEach((index, position) => {
      const score = scores[position];
      if (score !== undefined) found[index]?.set(metric.name, score);
    });
  }
  return found.map((scores) => yardstick.tests.metrics.map(({ name }) => scores.get(name)).filter((score) => score !== undefined));
}

/** A try's grade is drawn with the try's own index, so that a grader's noise is as independent as the answers are. */
async function scoreByTry(metric: Metric, judged: readonly Judged[], yardstick: Yardstick, tools: ScoringTools): Promise<Score[]> {
  const tries = [...new Set(judged.map(({ sample }) => sample.trial.try))];
  const scores = new Map<Judged, Score>();
  await Promise.all(tries.map(async (index) => {
    const group = judged.filter(({ sample }) => sample.trial.try === index);
    const { rubrics, grader, side } = yardstick;
    const results = await scoreMetric(metric, group.map(metricSample), { ...tools, rubrics, grader, side, try: index });
    group.forEach((one, position) => {
      const score = results[position];
      if (score !== undefined) scores.set(one, score);
    });
  }));
  return judged.map((one) => scores.get(one)).filter((score) => score !== undefined);
}

function metricSample({ sample, reference }: Judged): MetricSample {
  const { completion, messages } = sample;
  if (completion.status !== 'ok') throw new TypeError('only answers are scored');
  return {
    completion, messages, input: reference.input, expected: reference.expected,
    thread: [...messages, { role: 'assistant', content: completion.output }],
  };
}

/** Metrics with what they depend on before them. The order is otherwise the file's; cycles were refused when reading. */
export function inDependencyOrder(metrics: readonly Metric[]): Metric[] {
  const ordered: Metric[] = [];
  const visit = (metric: Metric, path: readonly Metric[]): void => {
    if (ordered.includes(metric) || path.includes(metric)) return;
    for (const { name } of metric.depends_on) {
      const dependency = metrics.find((other) => other.name === name);
      if (dependency !== undefined) visit(dependency, [...path, metric]);
    }
    ordered.push(metric);
  };
  for (const metric of metrics) visit(metric, []);
  return ordered;
}

/** Why a metric does not apply to a sample, or null when all its conditions hold. */
function unmetDependency(metric: Metric, scores: ReadonlyMap<string, Score>): string | null {
  for (const dependency of metric.depends_on) {
    const reason = unmet(dependency, scores.get(dependency.name));
    if (reason !== null) return reason;
  }
  return null;
}

function unmet(dependency: DependsOn, score: Score | undefined): string | null {
  const { name, metric_name, relative_object_position, metric_min_value: min, metric_max_value: max } = dependency;
  if (relative_object_position < 0) return `depends on ${name} of an earlier turn, and there is none`;
  if (score === undefined || score.value === null) return `depends on ${name}, which has no value here`;
  const value = conditionValue(score, metric_name === name ? null : metric_name);
  if (value === null) return `depends on ${metric_name ?? name}, which has no number here`;
  return value >= min && value <= max ? null : `depends on ${metric_name ?? name} between ${String(min)} and ${String(max)}; it is ${String(value)}`;
}

function conditionValue(score: Score, key: string | null): number | null {
  const value: Json | undefined = key === null ? score.value : member(score.value, key);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : null;
}

function member(value: Json, key: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
