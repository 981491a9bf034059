import { counted } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { ownAnswer, partsOf, textOf } from '../types/answer.ts';
import type { Metric, MetricLevel, ObjectScore, Rubric, Score } from '../types/metric.ts';
import type { Message } from '../types/model.ts';
import { isMap, jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import { materialUsed } from './keywords.ts';
import { comparesShare } from './passing.ts';
import { turnText, callsAmong, foldTools, lastTurn, turnsOf } from './transcript.ts';
import { entryNumber, metricNumber } from './value.ts';

interface DialogueObject {
  /** Index of the object's last message, from 0. System messages do not count. */
  message: number;
  answer: MetricAnswer;
}

export const OBJECT_WORDS: Readonly<Record<MetricLevel, string>> = {
  Thread: 'thread',
  Turn: 'turn',
  Message: 'message',
  ToolCall: 'tool call',
};

/** What a metric judges: by default, objects of the assistant. */
export type JudgedObjects = Pick<Metric, 'level' | 'of'>;

export function dialogueObjects(given: MetricAnswer, judged: JudgedObjects): DialogueObject[] {
  const { level, of } = judged;
  const answer = of === 'both' ? withFoldedTools(given) : given;
  const spoken = spokenOf(answer);
  const { after = [], ...whole } = answer;
  if (level === 'Thread')
    return [
      { message: spoken.length - 1, answer: { ...whole, thread: [...whole.thread, ...after] } },
    ];
  if (level === 'ToolCall')
    return spoken.flatMap((_, message) =>
      (spoken[message]?.tool_calls ?? []).map((call): DialogueObject => {
        const upTo = upToMessage(answer, message, 1, of);
        const parts = partsOf(textOf(upTo.completion), [call]);
        return { message, answer: { ...upTo, completion: { ...upTo.completion, parts } } };
      }),
    );
  let turn = 0;
  return objectEnds(spoken, judged).map(({ end, length }) => {
    const judgedTo = upToMessage(answer, end, length, of);
    if (answer.turns === undefined || level !== 'Turn') return { message: end, answer: judgedTo };
    if (spoken[end]?.role === 'user')
      return { message: end, answer: { ...judgedTo, expected: undefined } };
    turn += 1;
    const { expected } = answer.turns[turn - 1] ?? {};
    return { message: end, answer: { ...judgedTo, expected, turn } };
  });
}

/** Turns or messages of the judged side. `end` is the index of the last message. */
function objectEnds(spoken: readonly Message[], { level, of }: JudgedObjects) {
  const groups = level === 'Turn' ? turnsOf(spoken) : spoken.map((message) => [message]);
  let end = -1;
  return groups.flatMap((group) => {
    end += group.length;
    const { role } = group[0] ?? { role: 'user' };
    const isJudged = role === 'user' ? of !== undefined : of !== 'user';
    const isResult = level === 'Message' && role === 'tool';
    return isJudged && !isResult ? [{ end, length: group.length }] : [];
  });
}

function withFoldedTools(answer: MetricAnswer): MetricAnswer {
  const { thread, after = [] } = answer;
  const results = after.findIndex(({ role }) => role !== 'tool');
  const ownResults = results === -1 ? after.length : results;
  return {
    ...answer,
    thread: foldTools([...thread, ...after.slice(0, ownResults)]),
    ...(after.length > ownResults && { after: foldTools(after.slice(ownResults)) }),
  };
}

/**
 * Whether the metric uses `expected`. Such a metric judges only scripted turns that have
 * `expected`.
 */
export function readsExpected({ source, definition }: Metric, rubric?: Rubric): boolean {
  if (source.kind === 'code') return /\bexpected\b/.test(source.code);
  if (source.kind === 'rubric') return materialUsed(rubric?.prompt ?? '').has('expected');
  return definition?.expects === true;
}

export function countObjects(messages: readonly Message[], judged: JudgedObjects): number {
  const { level, of } = judged;
  const spoken = messages.filter(({ role }) => role !== 'system');
  if (level === 'Thread') return 1;
  if (level === 'ToolCall') return callsAmong(spoken).length;
  return objectEnds(of === 'both' ? foldTools(spoken) : spoken, judged).length;
}

function spokenOf({ thread, after = [] }: MetricAnswer): Message[] {
  return [...thread, ...after].filter(({ role }) => role !== 'system');
}

function upToMessage(
  given: MetricAnswer,
  message: number,
  length: number,
  of: JudgedObjects['of'],
): MetricAnswer {
  const { after, ...answer } = given;
  const spoken = spokenOf(given);
  const isAnswer =
    message === spoken.length - (after?.length ?? 0) - 1 &&
    length === lastTurn(answer.thread).length &&
    (of === undefined || length === 1);
  if (isAnswer) return after === undefined ? given : { ...answer, followed: true };
  const system = answer.thread.filter(({ role }) => role === 'system');
  const kept = spoken.slice(0, message + 1);
  const judged = kept.slice(-length);
  const thread = [...system, ...kept];
  const text = of === 'both' ? judged.map(({ content }) => content).join('\n') : turnText(judged);
  return {
    ...answer,
    ...(message < spoken.length - 1 && { followed: true }),
    thread,
    messages: thread.slice(0, -length),
    completion: { status: 'ok', ...ownAnswer(partsOf(text, callsAmong(judged))), reused: true },
  };
}

const MAX_EXPECTED = 80;

export function objectScore(
  at: number,
  score: Score,
  { turn, expected }: Pick<MetricAnswer, 'turn' | 'expected'>,
): ObjectScore {
  const { metric: _, skip: __, objects: ___, ...own } = score;
  const isUnmet = own.status === 'fail' && turn !== undefined && expected !== undefined;
  const unmet = isUnmet ? [`fails, expected ${shorten(jsonText(expected), MAX_EXPECTED)}`] : [];
  const reason = [...unmet, own.reason ?? []].flat().join(': ');
  return { at, ...(turn !== undefined && { turn }), ...own, reason: reason || own.reason };
}

/**
 * If objects without a score (such as unjudged turns) could decide the result, it is ungraded or an
 * error.
 */
export function scoreOfObjects(judging: Metric, scores: ObjectScore[]): Score {
  const { name: metric, skip, level, every = 1 } = judging;
  const own = { metric, skip, objects: { level, scores } };
  const meant = scores.filter(({ status }) => status !== 'skipped');
  const [first] = scores;
  if (meant.length === 0)
    return {
      ...own,
      status: 'skipped',
      value: null,
      reason: first?.reason ?? `the dialogue has no ${OBJECT_WORDS[level]}`,
    };
  const of = (...wanted: ObjectScore['status'][]) =>
    meant.filter(({ status }) => wanted.includes(status));
  const passes = of('pass').length;
  const open = of('ungraded', 'error');
  const needed = every * meant.length - 1e-9;
  const [worst] = [...of('error'), ...of('ungraded')];
  if (worst !== undefined && passes < needed && passes + open.length >= needed)
    return {
      ...own,
      status: worst.status === 'error' ? 'error' : 'ungraded',
      value: null,
      reason: `${placeWords(level, worst)}: ${worst.reason ?? 'not judged'}`,
    };
  return {
    ...own,
    status: passes >= needed ? 'pass' : 'fail',
    reason: passes === meant.length ? null : combinedReason(level, passes, meant),
    ...combinedValue(of('pass', 'fail'), comparesShare(judging)),
  };
}

function combinedValue(judged: readonly ObjectScore[], isShare: boolean) {
  const value = meanValue(judged.map((score) => (isShare ? score.status === 'pass' : score.value)));
  return { value, ...(judged.every(({ raised }) => raised) && { raised: true as const }) };
}

const OBJECT_MEAN = 'mean';

function measuredValue({ value, objects }: Score): Json {
  const judged = objects?.scores.filter(({ status }) => status === 'pass' || status === 'fail');
  return judged === undefined || isMap(value)
    ? value
    : meanValue(judged.map((object) => object.value));
}

export function scoreEntry(score: Score, entry: string | null): number | null {
  if (entry === null) return metricNumber(score.value);
  const value = measuredValue(score);
  return entry === OBJECT_MEAN && score.objects !== undefined && !isMap(value)
    ? metricNumber(value)
    : entryNumber(value, entry);
}

/** The number of the metric `name`, or of an entry `metric.entry`. */
export function namedNumber(scores: readonly Score[], name: string): number | null {
  const score =
    scores.find(({ metric }) => metric === name) ??
    scores.find(({ metric }) => name.startsWith(`${metric}.`));
  if (score === undefined) return null;
  return scoreEntry(score, score.metric === name ? null : name.slice(score.metric.length + 1));
}

export function scoreEntries(metric: Metric, scores: readonly Score[]): string[] {
  const means =
    comparesShare(metric) &&
    scores.some((score) => scoreEntry(score, OBJECT_MEAN) !== null) &&
    !restates(scores.flatMap(({ objects }) => objects?.scores ?? []))
      ? [OBJECT_MEAN]
      : [];
  return [...means, ...mapEntryNames(scores)];
}

function mapEntryNames(scores: readonly Score[]): string[] {
  const values = scores.map(measuredValue);
  const maps = values.filter(isMap);
  if (maps.every((map) => Object.keys(map).length < 2)) return [];
  const names = new Set(maps.flatMap((map) => Object.keys(map)));
  return [...names].filter((name) => scores.some((score) => scoreEntry(score, name) !== null));
}

/** True if each value only repeats its status, as 1 or 0. */
export function restates(scores: readonly Pick<Score, 'value' | 'status'>[]): boolean {
  const judged = scores.filter(({ status }) => status === 'pass' || status === 'fail');
  return [1, 0].some((passing) =>
    judged.every(
      ({ value, status }) => metricNumber(value) === (status === 'pass' ? passing : 1 - passing),
    ),
  );
}

export function placeWords(
  level: MetricLevel,
  { at, turn }: Pick<ObjectScore, 'at' | 'turn'>,
): string {
  return `${OBJECT_WORDS[level]} ${turn ?? at + 1}`;
}

const MOST_REASONS = 3;

const MAX_OBJECT_REASON = 200;

function combinedReason(level: MetricLevel, passes: number, meant: readonly ObjectScore[]): string {
  const others = meant.filter(({ status }) => status !== 'pass');
  const told = others
    .slice(0, MOST_REASONS)
    .map(
      ({ status, reason, ...place }) =>
        `${placeWords(level, place)}: ${reason === null ? status : shorten(reason, MAX_OBJECT_REASON)}`,
    );
  const more = others.length > told.length ? [`and ${others.length - told.length} more`] : [];
  const share = `${passes} of ${counted(meant.length, OBJECT_WORDS[level])} pass`;
  return [share, ...told, ...more].join('; ');
}

function meanValue(values: readonly Json[]): Json {
  const mean = average(values);
  if (mean !== null) return mean;
  const byName = Map.groupBy(values.filter(isMap).flatMap(Object.entries<Json>), ([name]) => name);
  const entries = [...byName].flatMap(([name, own]) => {
    const entry = average(own.map(([, value]) => value));
    return entry === null ? [] : [[name, entry]];
  });
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Json);
}

/** Of the numbers, true and false among the values. Null if there are none. */
function average(values: readonly Json[]): number | null {
  const numbers = values.filter((value) => typeof value === 'boolean' || typeof value === 'number');
  return numbers.length === 0
    ? null
    : numbers.reduce((sum: number, value) => sum + Number(value), 0) / numbers.length;
}
