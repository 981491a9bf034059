import { textOf } from '../types/answer.ts';
import { chatMessage } from '../types/message-list.ts';
import type { Better, Metric, MetricLevel, MetricSource, Score } from '../types/metric.ts';
import type { CodeResult, Message } from '../types/model.ts';
import { codeValues, isMap, type Json, type JsonMap } from '../types/plain.ts';
import { callsAt, messagesAt, type MetricAnswer, type MetricTools } from './answer.ts';
import { conversationMetrics } from './conversation.ts';
import {
  measureError,
  measurement,
  reaches,
  type BuiltInMetrics,
  type Measurement,
  type MetricContext,
  type MetricDefinition,
} from './definition.ts';
import { embeddingSimilarity } from './embedding.ts';
import { gradedMetrics } from './graded.ts';
import { openaiModeration } from './moderation.ts';
import { operationalMetrics } from './operational.ts';
import { boundsOf, type Bounds } from './passing.ts';
import { scoreRubric } from './rubric.ts';
import { similarityMetrics } from './similarity.ts';
import { structuredMetrics } from './structured.ts';
import { textMetrics } from './text.ts';
import { transcript } from './transcript.ts';
import { transformAnswers, withChanged } from './transform.ts';
import { metricNumber } from './value.ts';

type CodeSource = Extract<MetricSource, { kind: 'code' }>;

async function scoreCode(
  source: CodeSource,
  answers: readonly MetricAnswer[],
  bounded: boolean,
  { name, level, tools }: MetricContext,
): Promise<Measurement[]> {
  if (answers.length === 0) return [];
  const results = await tools.evaluate({
    language: source.language,
    code: source.code,
    modules: source.modules,
    outputs: [...(bounded ? ['metric'] : ['metric', 'result']), 'reason?'],
    inputs: answers.map((answer) => ({
      prompt: transcript(answer.messages),
      actual: textOf(answer.completion),
      ...codeValues(answer),
      ...dialogueInputs(source.code, answer, level),
    })),
  });
  return answers.map((_, index) => fromResult(results[index], bounded, source, `metric "${name}"`));
}

/** Only what the code reads, because a dialogue may be long. */
function dialogueInputs(code: string, answer: MetricAnswer, level: MetricLevel): JsonMap {
  const calls = () =>
    callsAt(answer, level).map(({ name, arguments: given }) => ({ name, arguments: given }));
  return {
    ...(/\bdialogue\b/.test(code) && { dialogue: dialogueOf(answer, level) }),
    ...(/\bcalls\b/.test(code) && { calls: calls() }),
    ...(/\bmessages\b/.test(code) && {
      messages: answer.thread.map((message) => chatMessage(message)),
    }),
  };
}

function dialogueOf(answer: MetricAnswer, level: MetricLevel): Json {
  const judged = messagesAt(answer, level);
  const messageJson = ({ metadata, ...message }: Message) => ({
    role: message.role,
    content: message.content,
    ...('name' in message && { name: message.name, tool_call_id: message.id }),
    ...metadata,
  });
  const spoken = answer.thread.filter(({ role }) => role !== 'system');
  return {
    messages: judged.map(messageJson),
    before: spoken.slice(0, spoken.length - judged.length).map(messageJson),
    tool_calls: callsAt(answer, level).map(({ metadata = {}, ...call }) => ({
      ...call,
      ...metadata,
    })),
    metadata: answer.metadata ?? {},
  };
}

/** FlexEval's functions may return a list of names and values, which becomes a map. */
function plainValue(value: Json): Json {
  const entries = Array.isArray(value) ? value : [];
  const named = entries.flatMap((entry) =>
    isMap(entry) &&
    typeof entry['name'] === 'string' &&
    (typeof entry['value'] === 'number' || typeof entry['value'] === 'boolean')
      ? [[entry['name'], entry['value']]]
      : [],
  );
  return entries.length > 0 && named.length === entries.length ? Object.fromEntries(named) : value;
}

function fromResult(
  result: CodeResult | undefined,
  bounded: boolean,
  { language }: CodeSource,
  metric: string,
): Measurement {
  if (result === undefined) return measureError(`${metric} has no result`);
  if (result.status === 'error') {
    const isPredicate = /^(?:did|took|used|ended|wrote|was|keeps) /.test(result.message);
    const said = `${metric}${isPredicate ? '' : ':'} ${result.message}`;
    return result.cause === 'code' ? { status: 'raised', reason: said } : measureError(said);
  }
  const { metric: given, result: verdict, reason } = result.values;
  const said = typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : null;
  if (given === undefined) return measureError(`${metric} did not set metric`);
  const value = plainValue(given);
  if (bounded) return measurement(value, false, said);
  if (verdict === undefined) return measureError(`${metric} did not set result`);
  if (typeof verdict === 'boolean') return measurement(value, verdict, said);
  const message = `${metric}: result must be ${language === 'python' ? 'True or False' : 'true or false'}`;
  return measureError(message);
}

/** Longest judged answer in UTF-16 units. Comparisons take time and memory. */
const MAX_OUTPUT = 1_048_576;

async function measureAll(
  definition: MetricDefinition | undefined,
  metric: Metric,
  answers: readonly MetricAnswer[],
  context: MetricContext,
): Promise<Measurement[]> {
  const { source } = metric;
  const bounded = boundsOf(metric, 'none') !== null;
  if (source.kind === 'code') return await scoreCode(source, answers, bounded, context);
  if (source.kind === 'rubric') return await scoreRubric(source.rubric, metric, answers, context);
  if (definition === undefined)
    return answers.map(() => measureError(`there is no metric ${source.uses}`));
  return await definition.score(answers, source.with, context);
}

function applyBounds(
  measured: Measurement,
  metric: Metric,
  definition: MetricDefinition | undefined,
  rubrics: MetricTools['rubrics'],
): Measurement {
  if (measured.status !== 'measured') return measured;
  const { source } = metric;
  const bounds = boundsOf(metric, thresholdOf(metric, definition, rubrics));
  const isNegated = source.kind === 'built-in' && source.with.negate === true;
  const byBounds =
    bounds === null
      ? measured
      : againstBounds(measured, bounds, explains(metric, definition, measured.reason));
  // If the code returned anything but a number, it failed on this answer.
  if (byBounds.status === 'error' && source.kind === 'code')
    return { status: 'raised', reason: byBounds.reason };
  if (byBounds.status !== 'measured' || !isNegated) return byBounds;
  const { pass, reason } = byBounds;
  return {
    ...byBounds,
    pass: !pass,
    reason: pass ? (reason ?? 'negated: the metric passes') : reason,
  };
}

function thresholdOf(
  { better, source }: Metric,
  definition: MetricDefinition | undefined,
  rubrics: MetricTools['rubrics'],
): Better {
  const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
  return better ?? definition?.better ?? rubric?.better ?? 'none';
}

function explains(
  { source }: Metric,
  definition: MetricDefinition | undefined,
  reason: string | null,
): boolean {
  if (source.kind === 'code') return reason !== null;
  return source.kind === 'rubric' || definition?.needs.model === true;
}

function againstBounds(
  measured: Extract<Measurement, { status: 'measured' }>,
  { min, max }: Bounds,
  explained: boolean,
): Measurement {
  const value = metricNumber(measured.value);
  if (value === null)
    return measureError('the metric has a threshold, but its value is not a finite number');
  const tooLow = min !== undefined && !reaches(value, min);
  const tooHigh = max !== undefined && !reaches(-value, -max);
  const pass = !tooLow && !tooHigh;
  if (explained || (pass === measured.pass && measured.reason !== null))
    return { ...measured, pass };
  const wanted = tooLow ? `at least ${min}` : `at most ${max}`;
  return { ...measured, pass, reason: pass ? null : `${value}, ${wanted} wanted` };
}

function toScore({ name: metric, skip }: Metric, measured: Measurement): Score {
  const of = { metric, skip };
  if (measured.status === 'raised')
    return { ...of, status: 'fail', value: null, reason: measured.reason, raised: true };
  if (measured.status !== 'measured') return { ...of, ...measured, value: null };
  const { pass, ...own } = measured;
  return { ...of, ...own, status: pass ? 'pass' : 'fail' };
}

export const metrics: ReadonlyMap<string, MetricDefinition> = new Map(
  [
    ...textMetrics,
    ...similarityMetrics,
    embeddingSimilarity,
    ...structuredMetrics,
    ...operationalMetrics,
    ...conversationMetrics,
    ...gradedMetrics,
    openaiModeration,
  ].flatMap((definition) =>
    [definition.name, ...(definition.aliases ?? [])].map((name) => [name, definition] as const),
  ),
);

export async function scoreMetric(
  metric: Metric,
  answers: readonly MetricAnswer[],
  tools: MetricTools,
  own: BuiltInMetrics = new Map(),
): Promise<Score[]> {
  const context: MetricContext = { name: metric.name, level: metric.level, tools };
  const { source } = metric;
  const definition =
    source.kind === 'built-in' ? (metrics.get(source.uses) ?? own.get(source.uses)) : undefined;
  const readable = answers.filter(
    ({ completion }) =>
      definition?.group === 'operational' || textOf(completion).length <= MAX_OUTPUT,
  );
  const body = source.kind === 'built-in' ? source.with.transform : undefined;
  const isChanged = typeof body === 'string';
  const { answers: judged, failed } = isChanged
    ? await transformAnswers(body, readable, tools)
    : { answers: readable, failed: new Map<MetricAnswer, Measurement>() };
  const results = (await measureAll(definition, metric, judged, context)).map((result) =>
    applyBounds(result, metric, definition, tools.rubrics),
  );
  const open = readable.filter((answer) => !failed.has(answer));
  const byText = new Map([
    ...failed,
    ...open.flatMap((answer, index) => {
      const result = results[index];
      const changed = judged[index];
      if (result === undefined || changed === undefined) return [];
      return [[answer, isChanged ? withChanged(result, changed) : result] as const];
    }),
  ]);
  const tooLong = measureError('the answer is longer than 1 MiB');
  return answers.map((answer) => toScore(metric, byText.get(answer) ?? tooLong));
}
