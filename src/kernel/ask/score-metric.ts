import { shownAnswer, type MetricAnswer, type MetricTools } from '../../metrics/answer.ts';
import { seenFromHead } from '../../metrics/passing.ts';
import { callsAmong, lastTurn } from '../../metrics/transcript.ts';
import { callsOf, partsOf, textOf } from '../../types/answer.ts';
import type { Metric, Score } from '../../types/metric.ts';
import {
  type Complete,
  type Evaluate,
  type Message,
  type OkCompletion,
  asDirect,
} from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import { type Generation, fingerprintOf } from '../select/affected-suite.ts';
import type { Scoring } from '../select/scoring.ts';
import { comparesEmbeddings, embedderFor, gradersFor, isModelGraded } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import type { AnsweredTry } from './execute.ts';

export interface AnswerRow {
  answer: AnsweredTry;
  seen: MetricAnswer;
  scores: Map<string, Score>;
}

/** What a metric judges: an answer, or one part of its dialogue (such as a turn). */
export interface Subject {
  row: AnswerRow;
  /** Index among the answer's parts of the same kind. */
  at: number;
  /** Index of the part's last message. System messages are not counted. */
  message: number;
  seen: MetricAnswer;
}

export interface ScoringTools {
  complete: Complete;
  evaluate: Evaluate;
  random: MetricTools['random'];
  /** That of `src/metrics`, with the metrics of features. */
  scoreMetric(
    metric: Metric,
    answers: readonly MetricAnswer[],
    tools: MetricTools,
  ): Promise<Score[]>;
  price: Price;
}

/** With more answers, grades do not keep their prompts and replies, to save memory. */
const MAX_GRADES = 2000;

/** The grader compares head's answer with base's. Base gets the opposite score. */
export async function scorePairs(
  metric: Metric,
  subjects: readonly Subject[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Subject, Score>> {
  const pairs = Map.groupBy(subjects, ({ row: { answer } }) =>
    [answer.planned.run, answer.planned.try].join(' '),
  );
  const asked = new Map<Subject, { base: Subject; head: Subject }>();
  for (const pair of pairs.values()) {
    const of = (side: Side) => pair.find(({ row }) => row.answer.planned.side === side);
    const base = of('base');
    const head = of('head');
    if (base !== undefined && head !== undefined)
      asked.set(comparedSubject(base, head), { base, head });
  }
  const scores = await scoreSubjects(metric, [...asked.keys()], scoring, tools);
  const alone = skippedScore(metric, 'the other side has no answer to compare with');
  const found = new Map<Subject, Score>(subjects.map((subject) => [subject, alone]));
  for (const [subject, { base, head }] of asked) {
    const score = scores.get(subject) ?? alone;
    found.set(head, score);
    found.set(base, seenFromHead(score));
  }
  return found;
}

/**
 * If both prompts are equal, compares head's answer with itself, because any difference would be
 * chance.
 */
function comparedSubject(base: Subject, head: Subject): Subject {
  const isSame =
    fingerprintOf(head.row.answer.planned.generation) ===
    fingerprintOf(base.row.answer.planned.generation);
  const otherAnswer = shownAnswer((isSame ? head : base).seen);
  return { ...head, seen: { ...head.seen, otherAnswer, otherMessages: base.seen.messages } };
}

export function skippedScore({ name: metric, skip }: Metric, reason: string): Score {
  return { metric, status: 'skipped', value: null, reason, skip };
}

/**
 * Code scores the sides in random order and in separate processes, so it does not know which side
 * it scores. Equal answers of different tries are graded separately, because grading errors must be
 * independent.
 */
export async function scoreSubjects(
  metric: Metric,
  subjects: readonly Subject[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Subject, Score>> {
  const score = (group: readonly Subject[]) =>
    scoreGroup(metric, group, scoring, { ...tools, keepGrades: subjects.length <= MAX_GRADES });
  const asks = isModelGraded(metric) || comparesEmbeddings(metric);
  const groups = Map.groupBy(subjects, ({ row: { answer } }) =>
    [answer.planned.suite, answer.planned.side, ...(asks ? [answer.planned.try] : [])].join('\n'),
  );
  if (asks) return new Map((await Promise.all([...groups.values()].map(score))).flat());
  const scores: [Subject, Score][][] = [];
  for (const group of [...groups.values()].sort((a, b) => turnOf(a, tools) - turnOf(b, tools)))
    scores.push(await score(group));
  return new Map(scores.flat());
}

function turnOf([first]: readonly Subject[], { random }: ScoringTools): 0 | 1 {
  if (first === undefined) return 0;
  const { suite, side } = first.row.answer.planned;
  const drawn = [...random(`order of sides ${suite}`)];
  const headFirst = drawn.reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 2 === 1;
  return (side === 'head') === headFirst ? 0 : 1;
}

async function scoreGroup(
  metric: Metric,
  group: readonly Subject[],
  scoring: Scoring,
  tools: ScoringTools & { keepGrades: boolean },
): Promise<[Subject, Score][]> {
  const [first] = group;
  if (first === undefined) return [];
  const { suite, side, try: index } = first.row.answer.planned;
  const seen = group.map((subject) => subject.seen);
  const scores = await tools.scoreMetric(metric, seen, {
    ...tools,
    evaluate: (job) =>
      tools.evaluate({
        ...job,
        suite,
        side,
        ...(metric.codeAt !== undefined && { at: metric.codeAt }),
      }),
    rubrics: scoring.rubrics,
    graders: gradersFor(metric, scoring),
    embedder: embedderFor(metric, scoring),
    try: index,
  });
  if (scores.length !== group.length)
    throw new TypeError(`metric "${metric.name}" must return one score per answer`);
  return scores.flatMap((score, position): [Subject, Score][] => {
    const subject = group[position];
    return subject === undefined ? [] : [[subject, score]];
  });
}

export function seenAnswer(
  { completion, messages, own, planned: { generation } }: AnsweredTry,
  reference: Reference,
  price: Price,
): MetricAnswer {
  if (completion.status !== 'ok') throw new TypeError('a try without an answer cannot be scored');
  const recorded = generation.kind === 'recorded' && own === null ? generation : null;
  const made = own?.thread ?? [...messages, answerMessage(completion)];
  const { thread, after } = recorded ?? { thread: withModel(made, generation) };
  return {
    completion: generation.kind === 'recorded' ? withRecordedCalls(completion, thread) : completion,
    messages,
    input: reference.input,
    expected: reference.expected,
    values: reference.values,
    ...(reference.metadata !== undefined && { metadata: reference.metadata }),
    ...(reference.script?.turns && { turns: reference.script.turns }),
    price: (usage) =>
      generation.kind === 'request' ? price(asDirect(generation.target), usage) : null,
    thread,
    ...(after && { after }),
  };
}

/** Recorded calls have metadata, which some metrics read. */
function withRecordedCalls(completion: OkCompletion, thread: readonly Message[]): OkCompletion {
  return { ...completion, parts: partsOf(textOf(completion), callsAmong(lastTurn(thread))) };
}

function answerMessage(completion: OkCompletion): Message {
  const calls = callsOf(completion);
  const message: Message = { role: 'assistant', content: textOf(completion) };
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

function withModel(thread: Message[], generation: Generation): Message[] {
  const last = thread.at(-1);
  if (generation.kind !== 'request' || last === undefined) return thread;
  return [...thread.slice(0, -1), { ...last, metadata: { model: generation.target.model } }];
}
