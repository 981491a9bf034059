import type { Metric, Score } from '../types.ts';
import { conversationMetrics } from './conversation.ts';
import type { MetricDefinition, MetricSample, MetricTools } from './definition.ts';
import { embeddingSimilarity } from './embedding.ts';
import { gradedMetrics } from './graded.ts';
import { operationalMetrics } from './operational.ts';
import { scoreMetric as scoreWith } from './score-metric.ts';
import { similarityMetrics } from './similarity.ts';
import { structuredMetrics } from './structured.ts';
import { textMetrics } from './text.ts';

export { gradeMaterial } from './grading/grade.ts';
export { turnsOf } from './levels.ts';
export { exactLabelOf } from './measures/normalise.ts';
export { PAIRWISE } from './pairwise.ts';
export { exampleMaterials, topScore } from './rubric.ts';
export type { MetricDefinition, MetricGroup, MetricSample, MetricTools } from './definition.ts';

/** Every built-in metric by name, in the order of the documentation. */
export const metrics: ReadonlyMap<string, MetricDefinition> = new Map(
  [
    ...textMetrics,
    ...similarityMetrics,
    embeddingSimilarity,
    ...structuredMetrics,
    ...operationalMetrics,
    ...conversationMetrics,
    ...gradedMetrics,
  ].map((definition) => [definition.name, definition]),
);

/**
 * Scores one metric on many samples at once; one score per sample, in order. Bad data gives a
 * tagged score.
 */
export function scoreMetric(
  metric: Metric,
  samples: readonly MetricSample[],
  tools: MetricTools,
): Promise<Score[]> {
  return scoreWith(metrics, metric, samples, tools);
}
