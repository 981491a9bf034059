import { turnsOf } from '../metrics/answer.ts';
import type { Expectation } from '../metrics/definition.ts';
import { metrics as builtIn } from '../metrics/index.ts';
import { PAIRWISE } from '../metrics/pairwise.ts';
import { directionOf } from '../metrics/passing.ts';
import type { Better, GraderSettings, Metric, MetricLevel, Rubric } from '../types/metric.ts';
import type { Grader, Target } from '../types/model.ts';
import type { Json } from '../types/plain.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Conversation, Reference, Tests } from './suite.ts';
import { asksNothing } from './template.ts';

/** What reading needs to know of a built-in metric; the metrics themselves are the caller's. */
interface BuiltInMetric {
  /**
   * `model`: it asks one, so a grader has to be named; `embeddings`: it compares texts by a model
   * of embeddings.
   */
  needs: { model: boolean; embeddings?: boolean };
  /** Which way its values should move. */
  better: Better;
  /** The levels at which it has something to look at. */
  levels: readonly MetricLevel[];
  /** It is about the call or the comparison behind an answer, not about what is said in it. */
  whole?: true;
  /** What is wrong with the values of `with`, each a sentence; empty when they are right. */
  problems(parameters: Record<string, Json>): string[];
  /**
   * Whether with these values it compares with `expected`, so that a reference without one cannot
   * be judged.
   */
  usesExpected(parameters: Record<string, Json>): boolean;
  /** How it reads what it compares with; null: with these values it compares with nothing. */
  expects(parameters: Record<string, Json>): Expectation | null;
  /** The values it gives, in words. */
  range: string;
}

export type BuiltInMetrics = ReadonlyMap<string, BuiltInMetric>;

/** The name under which a conversation's own outcome stands among a try's scores. */
export const CONVERSATION_SCORE = 'conversation';

/** Which way the metric's values should move: as it says, or what it is made of. */
export function directionIn(
  metric: Metric,
  rubrics: ReadonlyMap<string, Rubric>,
  builtIns: BuiltInMetrics = builtIn,
): Better {
  const { source } = metric;
  return directionOf(metric, {
    definition: source.kind === 'built-in' ? builtIns.get(source.uses) : undefined,
    rubric: source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined,
  });
}

/** Whether a metric asks graders. */
export function isModelGraded({ source }: Metric): boolean {
  return (
    source.kind === 'rubric' ||
    (source.kind === 'built-in' && builtIn.get(source.uses)?.needs.model === true)
  );
}

/** Whether a metric compares texts by a model of embeddings. */
export function comparesEmbeddings({ source }: Metric): boolean {
  return source.kind === 'built-in' && builtIn.get(source.uses)?.needs.embeddings === true;
}

/** The models that a metric itself names, in place of those of the settings. */
export function namedModels(metric: Metric): GraderSettings[] {
  const { source, graders = [], place } = metric;
  if (!comparesEmbeddings(metric)) return graders;
  const model = source.kind === 'built-in' ? source.with['model'] : undefined;
  return typeof model === 'string' ? [{ model, parameters: {}, place }] : [];
}

/** The models behind a suite's metrics. */
export interface MetricModels {
  /** Of the settings; empty when no metric leaves it to them. */
  graders: readonly Grader[];
  /** Of the settings; absent when no metric leaves it to them. */
  embedder?: Grader;
  /** Models that metrics name for themselves, by name. */
  named?: ReadonlyMap<string, Target>;
}

/** Every place that judging by these models asks. */
export function judgingTargets({ graders, embedder, named }: MetricModels): Target[] {
  return [
    ...graders.map(({ target }) => target),
    ...(embedder === undefined ? [] : [embedder.target]),
    ...(named?.values() ?? []),
  ];
}

/**
 * Who grades for this metric: those it names, else those of the settings. Empty for a metric that
 * asks no grader.
 */
export function gradersFor(metric: Metric, { graders, named }: MetricModels): readonly Grader[] {
  if (!isModelGraded(metric)) return [];
  return metric.graders === undefined
    ? graders
    : metric.graders.flatMap((grader) => graderOf(grader, named?.get(grader.model)));
}

/**
 * What gives this metric its vectors; null for a metric that compares none, and where no model is
 * known.
 */
export function embedderFor(metric: Metric, { embedder, named }: MetricModels): Grader | null {
  if (!comparesEmbeddings(metric)) return null;
  const [own] = namedModels(metric);
  const target = own === undefined ? undefined : named?.get(own.model);
  if (own === undefined) return embedder ?? null;
  return target === undefined ? null : { target, parameters: {} };
}

/**
 * Temperature 0 is ours to set where the file says nothing: a grade should not be a matter of
 * chance.
 */
export function graderOf({ parameters }: GraderSettings, target: Target | undefined): Grader[] {
  return target === undefined ? [] : [{ target, parameters: { temperature: 0, ...parameters } }];
}

/** What judges one reference: the suite's metrics, then those of its own. */
export function metricsFor(
  { metrics }: Pick<Tests, 'metrics'>,
  { metrics: own = [] }: Pick<Reference, 'metrics'>,
): Metric[] {
  return [...metrics, ...own];
}

/** Every metric that the suite or any of its references has. */
export function everyMetric({
  metrics,
  references,
}: Pick<Tests, 'metrics' | 'references'>): Metric[] {
  return [...metrics, ...references.flatMap(({ metrics: own = [] }) => own)];
}

/** Equal for metrics that score alike, wherever they stand. */
export function metricIdentity({
  place: _,
  codeAt: _at,
  valuesFile: _file,
  depends_on,
  graders,
  ...metric
}: Metric): string {
  const bare = <T extends { place: unknown }>(some: readonly T[] | undefined): unknown =>
    some?.map(({ place: _place, ...rest }) => rest);
  return canonicalJson(
    JSON.parse(
      JSON.stringify({ ...metric, depends_on: bare(depends_on), graders: bare(graders) }),
    ) as never,
  );
}

/**
 * The references' own metrics with the positions they judge; equal ones are one, so that they are
 * scored in one batch.
 */
export function ownMetrics(
  references: readonly (Pick<Reference, 'metrics'> | null)[],
): { metric: Metric; positions: number[] }[] {
  const groups = new Map<string, { metric: Metric; positions: number[] }>();
  references.forEach((reference, position) => {
    for (const metric of reference?.metrics ?? []) {
      const key = metricIdentity(metric);
      const group = groups.get(key) ?? { metric, positions: [] };
      groups.set(key, group);
      group.positions.push(position);
    }
  });
  return [...groups.values()];
}

/**
 * What alone decides whether an answer passes: a metric by a rubric, or the evaluators of dialogues
 * in which one answer is judged. Null where several things judge, or several answers of a dialogue:
 * what is known of a grader's single words says little of all of them together.
 */
export type SoleJudge = { kind: 'rubric'; metric: Metric; rubric: string } | { kind: 'evaluators' };

export function soleJudge(tests: Tests): SoleJudge | null {
  const gating = everyMetric(tests).filter(({ skip }) => !skip);
  const [metric] = gating;
  if (tests.conversation !== null)
    return gating.length === 0 && judgesOneAnswer(tests, tests.conversation)
      ? { kind: 'evaluators' }
      : null;
  if (gating.length !== 1 || metric?.source.kind !== 'rubric') return null;
  return tests.metrics.includes(metric)
    ? { kind: 'rubric', metric, rubric: metric.source.rubric }
    : null;
}

/** Whether dialogues end with their first answer: by their limit, or as they were recorded. */
function judgesOneAnswer({ references }: Tests, { max_steps }: Conversation): boolean {
  return (
    max_steps === 1 ||
    references.every(
      ({ thread }) =>
        thread !== null &&
        asksNothing(thread) &&
        turnsOf(thread).filter(([first]) => first?.role === 'user').length === 1,
    )
  );
}

/**
 * What a name of `gate.metrics` means: the metrics of that name, or those whose map has the entry
 * that follows their name and a point.
 */
export function metricsNamed(name: string, metrics: readonly Metric[]): Metric[] {
  const named = metrics.filter((metric) => metric.name === name);
  return named.length > 0 ? named : metrics.filter((metric) => name.startsWith(`${metric.name}.`));
}

/** Whether a metric compares both sides' answers with each other. */
export function isPairwise({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.uses === PAIRWISE;
}

/** Whether no metric says what passes: values are shown, and there is nothing to settle. */
export function gatesNothing(tests: Tests): boolean {
  const metrics = everyMetric(tests);
  return tests.conversation === null && metrics.length > 0 && metrics.every(({ skip }) => skip);
}

/**
 * Whether nothing but comparisons of the two sides gates here; they then decide, and are advice
 * otherwise.
 */
export function gatesByPreference({ metrics, conversation }: Tests): boolean {
  const gating = metrics.filter(({ skip }) => !skip);
  return conversation === null && gating.length > 0 && gating.every(isPairwise);
}
