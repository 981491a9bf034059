import { metrics as builtIn } from '../../metrics/index.ts';
import type { Grader, GraderSettings, Metric, Target } from '../../types.ts';

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
    : metric.graders.flatMap((one) => graderOf(one, named?.get(one.model)));
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
