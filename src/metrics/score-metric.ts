import type { Metric, Score } from '../types.ts';
import { scoreCode } from './code.ts';
import {
  failure,
  reaches,
  type Measured,
  type MetricContext,
  type MetricDefinition,
  type MetricSample,
  type MetricTools,
} from './definition.ts';
import { scoreRubric } from './rubric.ts';

/**
 * Longer answers are not compared: time and memory of a comparison grow with them. In UTF-16 units.
 */
const MAX_OUTPUT = 1_048_576;

/**
 * Scores one metric on many samples at once; code runs in one batch. Answers in the order of the
 * samples, one each. Bad data and failed calls give a tagged score; only a sandbox that cannot run
 * at all rejects.
 */
export async function scoreMetric(
  metrics: ReadonlyMap<string, MetricDefinition>,
  metric: Metric,
  samples: readonly MetricSample[],
  tools: MetricTools,
): Promise<Score[]> {
  const context: MetricContext = { name: metric.name, level: metric.level, tools };
  const { source } = metric;
  const definition = source.kind === 'built-in' ? metrics.get(source.uses) : undefined;
  const readable = samples.filter(
    ({ completion }) =>
      definition?.group === 'operational' || completion.output.length <= MAX_OUTPUT,
  );
  const results = (await measure(definition, metric, readable, context)).map((one) =>
    judged(one, metric, definition),
  );
  const byText = new Map(readable.map((sample, index) => [sample, results[index]]));
  const tooLong = failure('the answer is longer than 1 MiB');
  return samples.map((sample) => toScore(metric, byText.get(sample) ?? tooLong));
}

async function measure(
  definition: MetricDefinition | undefined,
  metric: Metric,
  samples: readonly MetricSample[],
  context: MetricContext,
): Promise<Measured[]> {
  const { source } = metric;
  if (source.kind === 'code') return await scoreCode(source, samples, metric.threshold, context);
  if (source.kind === 'rubric') return await scoreRubric(source.rubric, samples, context);
  if (definition === undefined)
    return samples.map(() => failure(`there is no metric ${source.uses}`));
  return await definition.score(samples, source.with, context);
}

/** Applies the file's threshold and `negate`; what is not measured stays what it is. */
function judged(
  measured: Measured,
  metric: Metric,
  definition: MetricDefinition | undefined,
): Measured {
  if (measured.status !== 'measured') return measured;
  const byThreshold =
    metric.threshold === null
      ? measured
      : againstThreshold(
          measured,
          metric.threshold,
          definition?.better ?? 'higher',
          isGraded(metric, definition),
        );
  if (byThreshold.status !== 'measured' || !negates(metric)) return byThreshold;
  const { pass, reason } = byThreshold;
  return {
    ...byThreshold,
    pass: !pass,
    reason: pass ? (reason ?? 'negated: the metric passes') : reason,
  };
}

function isGraded({ source }: Metric, definition: MetricDefinition | undefined): boolean {
  return source.kind === 'rubric' || definition?.needs.model === true;
}

function negates({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.with.negate === true;
}

function againstThreshold(
  measured: Extract<Measured, { status: 'measured' }>,
  threshold: number,
  better: 'higher' | 'lower',
  graded: boolean,
): Measured {
  const value = numberFor(measured.value);
  if (value === null) return failure('the metric has a threshold, and its value is not a number');
  const pass = better === 'higher' ? reaches(value, threshold) : reaches(-value, -threshold);
  // A grader's reasons explain its score, whatever bound it is held to.
  if (graded || (pass === measured.pass && measured.reason !== null)) return { ...measured, pass };
  const compared = `${String(value)}, ${better === 'higher' ? 'at least' : 'at most'} ${String(threshold)} wanted`;
  return { ...measured, pass, reason: pass ? null : compared };
}

/** A number, a truth value, or the one number of a map such as `is_role` gives. */
function numberFor(value: Score['value']): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const [only, ...others] = Object.values(value);
  return others.length === 0 && typeof only === 'number' ? only : null;
}

function toScore({ name: metric, skip }: Metric, measured: Measured): Score {
  if (measured.status !== 'measured')
    return { metric, status: measured.status, value: null, reason: measured.reason, skip };
  return {
    metric,
    status: measured.pass ? 'pass' : 'fail',
    value: measured.value,
    reason: measured.reason,
    skip,
  };
}
