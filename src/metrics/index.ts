import type { Metric, MetricSource, Score } from '../types/metric.ts';
import type { CodeResult } from '../types/model.ts';
import { conversationMetrics } from './conversation.ts';
import {
  measureError,
  measured,
  reaches,
  type Measured,
  type MetricContext,
  type MetricDefinition,
} from './definition.ts';
import { embeddingSimilarity } from './embedding.ts';
import { gradedMetrics } from './graded.ts';
import { operationalMetrics } from './operational.ts';
import { scoreRubric } from './rubric.ts';
import { transcript, type MetricSample, type MetricTools } from './sample.ts';
import { similarityMetrics } from './similarity.ts';
import { structuredMetrics } from './structured.ts';
import { textMetrics } from './text.ts';

type CodeSource = Extract<MetricSource, { kind: 'code' }>;

/**
 * Runs the user's code on all samples in one batch. It sees `prompt` (the messages as `role: text`
 * lines), `actual`, `input` and `expected` (unset when absent) and sets `metric` and `result`, and
 * may set `reason`. With a threshold the metric's number decides, and `result` need not be set.
 */
async function scoreCode(
  source: CodeSource,
  samples: readonly MetricSample[],
  threshold: number | null,
  { name, tools }: MetricContext,
): Promise<Measured[]> {
  if (samples.length === 0) return [];
  const results = await tools.evaluate({
    language: source.language,
    code: source.code,
    outputs: [...(threshold === null ? ['metric', 'result'] : ['metric']), 'reason?'],
    inputs: samples.map(({ messages, completion, input, expected }) => ({
      prompt: transcript(messages),
      actual: completion.output,
      input,
      expected,
    })),
  });
  return samples.map((_, index) =>
    fromResult(results[index], threshold, source, `metric "${name}"`),
  );
}

function fromResult(
  result: CodeResult | undefined,
  threshold: number | null,
  { language }: CodeSource,
  metric: string,
): Measured {
  if (result === undefined) return measureError(`${metric} has no result`);
  if (result.status === 'error') {
    const said = `${metric}${/^(?:did|took|used|ended|wrote|was|keeps) /.test(result.message) ? '' : ':'} ${result.message}`;
    return result.cause === 'code' ? { status: 'raised', reason: said } : measureError(said);
  }
  const { metric: value, result: verdict, reason } = result.values;
  const said = typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : null;
  if (value === undefined) return measureError(`${metric} did not set metric`);
  // The threshold is applied with every other metric's.
  if (threshold !== null) return measured(value, false, said);
  if (verdict === undefined) return measureError(`${metric} did not set result`);
  if (typeof verdict === 'boolean') return measured(value, verdict, said);
  return measureError(
    `${metric}: result must be ${language === 'python' ? 'True or False' : 'true or false'}`,
  );
}

/**
 * Longer answers are not compared: time and memory of a comparison grow with them. In UTF-16 units.
 */
const MAX_OUTPUT = 1_048_576;

/**
 * Scores one metric on many samples at once; code runs in one batch. Answers in the order of the
 * samples, one each. Bad data and failed calls give a tagged score; only a sandbox that cannot run
 * at all rejects.
 */
async function scoreWith(
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
  const tooLong = measureError('the answer is longer than 1 MiB');
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
    return samples.map(() => measureError(`there is no metric ${source.uses}`));
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
          explains(metric, definition, measured.reason),
        );
  // Code that gives no number on this answer broke on it.
  if (byThreshold.status === 'error' && metric.source.kind === 'code')
    return { status: 'raised', reason: byThreshold.reason };
  if (byThreshold.status !== 'measured' || !negates(metric)) return byThreshold;
  const { pass, reason } = byThreshold;
  return {
    ...byThreshold,
    pass: !pass,
    reason: pass ? (reason ?? 'negated: the metric passes') : reason,
  };
}

/** Whether the metric's reason explains its value, whatever bound that is held to. */
function explains(
  { source }: Metric,
  definition: MetricDefinition | undefined,
  reason: string | null,
): boolean {
  if (source.kind === 'code') return reason !== null;
  return source.kind === 'rubric' || definition?.needs.model === true;
}

function negates({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.with.negate === true;
}

function againstThreshold(
  measured: Extract<Measured, { status: 'measured' }>,
  threshold: number,
  better: 'higher' | 'lower',
  explained: boolean,
): Measured {
  const value = numberFor(measured.value);
  if (value === null)
    return measureError('the metric has a threshold, and its value is not a number');
  const pass = better === 'higher' ? reaches(value, threshold) : reaches(-value, -threshold);
  if (explained || (pass === measured.pass && measured.reason !== null))
    return { ...measured, pass };
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
  if (measured.status === 'raised')
    return { metric, status: 'fail', value: null, reason: measured.reason, skip, raised: true };
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
