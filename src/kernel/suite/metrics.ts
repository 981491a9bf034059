import { PAIRWISE } from '../../metrics/answer.ts';
import { canFail } from '../../metrics/passing.ts';
import type { GraderSettings, Metric, Rubric } from '../../types/metric.ts';
import type { Grader, Target } from '../../types/model.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Reference, Tests } from './suite.ts';

export function isModelGraded({ source, definition }: Metric): boolean {
  return source.kind === 'rubric' || definition?.asks === 'model';
}

export function comparesEmbeddings({ definition }: Metric): boolean {
  return definition?.asks === 'embeddings';
}

export function namedModels(metric: Metric): GraderSettings[] {
  const { source, graders = [], place, definition } = metric;
  if (!comparesEmbeddings(metric)) return graders;
  const model =
    source.kind === 'built-in' ? (definition?.ownModel ?? source.with['model']) : undefined;
  return typeof model === 'string' ? [{ model, parameters: {}, place }] : [];
}

export interface MetricModels {
  graders: readonly Grader[];
  embedder?: Grader;
  named?: ReadonlyMap<string, Target>;
}

export function judgingTargets({ graders, embedder, named }: MetricModels): Target[] {
  return [
    ...graders.map(({ target }) => target),
    ...(embedder === undefined ? [] : [embedder.target]),
    ...(named?.values() ?? []),
  ];
}

export function gradersFor(metric: Metric, { graders, named }: MetricModels): readonly Grader[] {
  if (!isModelGraded(metric)) return [];
  return metric.graders === undefined
    ? graders
    : metric.graders.flatMap((grader) => graderOf(grader, named?.get(grader.model)));
}

export function embedderFor(metric: Metric, { embedder, named }: MetricModels): Grader | null {
  if (!comparesEmbeddings(metric)) return null;
  const [own] = namedModels(metric);
  const target = own === undefined ? undefined : named?.get(own.model);
  if (own === undefined) return embedder ?? null;
  return target === undefined ? null : { target, parameters: {} };
}

/** By default the temperature is 0, so that grades are repeatable. */
export function graderOf({ parameters }: GraderSettings, target: Target | undefined): Grader[] {
  return target === undefined ? [] : [{ target, parameters: { temperature: 0, ...parameters } }];
}

export function metricsFor({ metrics }: Tests, { metrics: own = [] }: Reference): Metric[] {
  return [...metrics, ...own];
}

export function everyMetric({ metrics, references }: Tests): Metric[] {
  return [...metrics, ...references.flatMap(({ metrics: own = [] }) => own)];
}

export function metricIdentity({
  place: _,
  codeAt: _at,
  valuesFile: _file,
  definition: _definition,
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

/** A name in `gate.metrics` is `metric`, or `metric.entry` if the metric's value is a map. */
export function metricsNamed(name: string, metrics: readonly Metric[]): Metric[] {
  const named = metrics.filter((metric) => metric.name === name);
  return named.length > 0 ? named : metrics.filter((metric) => name.startsWith(`${metric.name}.`));
}

export function isPairwise({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.uses === PAIRWISE;
}

/** True if no metric decides whether a try passes. Then values are only shown. */
export function gatesNothing(tests: Tests): boolean {
  const metrics = everyMetric(tests);
  return tests.own === null && metrics.length > 0 && metrics.every(({ skip }) => skip);
}

/** True if no answer can fail by its value, so that values decide. */
export function gatesByValues(tests: Tests, rubrics: ReadonlyMap<string, Rubric>): boolean {
  const gating = everyMetric(tests).filter(({ skip }) => !skip);
  return (
    tests.own === null &&
    gating.length > 0 &&
    gating.every((metric) => !isPairwise(metric) && !canFail(metric, rubrics))
  );
}

export function gatesByPreference({ metrics, own }: Tests): boolean {
  const gating = metrics.filter(({ skip }) => !skip);
  return own === null && gating.length > 0 && gating.every(isPairwise);
}
