import { turnsOf, type MetricAnswer, type MetricTools } from '../../metrics/answer.ts';
import { asDirect } from '../../money/price.ts';
import { textOf, callsOf, partsOf } from '../../types/answer.ts';
import type { CheckSchema, Metric, Score } from '../../types/metric.ts';
import type { Complete, Completion, Evaluate, Message } from '../../types/model.ts';
import type { Price } from '../../types/price.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Generation } from '../select/generation.ts';
import type { Scoring } from '../select/scoring.ts';
import { comparesEmbeddings, embedderFor, gradersFor, isModelGraded } from '../suite/metrics.ts';
import type { ScoringItem } from './execute.ts';

type OkCompletion = Extract<Completion, { status: 'ok' }>;

/** Scores head's answer against base's of the same try; base's score is the mirror image. */
export async function scorePairs(
  metric: Metric,
  items: readonly ScoringItem[],
  score: (items: readonly ScoringItem[]) => Promise<ReadonlyMap<ScoringItem, Score>>,
): Promise<Map<ScoringItem, Score>> {
  const keyOf = ({ answer: { planned } }: ScoringItem): string =>
    `${String(planned.run)} ${String(planned.try)}`;
  const bases = new Map(
    items.filter(({ answer }) => answer.planned.side === 'base').map((item) => [keyOf(item), item]),
  );
  const pairs = items
    .filter(({ answer }) => answer.planned.side === 'head')
    .map((head) => {
      const base = bases.get(keyOf(head)) ?? null;
      return {
        head,
        base,
        asked:
          base === null
            ? { ...head, otherAnswer: null }
            : {
                ...head,
                otherAnswer: otherAnswerOf(head, base),
                otherMessages: base.answer.messages,
              },
      };
    });
  const scores = await score(pairs.map(({ asked }) => asked));
  const alone: Score = {
    metric: metric.name,
    status: 'skipped',
    value: null,
    reason: 'there is no answer of the other side to compare with',
    skip: metric.skip,
  };
  const found = new Map<ScoringItem, Score>(items.map((item) => [item, alone]));
  for (const { head, base, asked } of pairs) {
    const own = scoreFor(scores, asked, metric.name);
    found.set(head, own);
    if (base !== null) found.set(base, seenFromHead(own));
  }
  return found;
}

export function scoreFor(
  scores: ReadonlyMap<ScoringItem, Score>,
  item: ScoringItem,
  metric: string,
): Score {
  const score = scores.get(item);
  if (score === undefined)
    throw new TypeError(`metric "${metric}" has no score for an answer it was given`);
  return score;
}

/** For equal prompts the answer itself, as a difference would be chance. */
function otherAnswerOf(head: ScoringItem, base: ScoringItem): string | null {
  const same =
    fingerprintOf(head.answer.planned.generation) === fingerprintOf(base.answer.planned.generation);
  const { completion } = same ? head.answer : base.answer;
  return completion.status === 'ok' ? textOf(completion) : null;
}

function seenFromHead(score: Score): Score {
  if (score.status !== 'pass' && score.status !== 'fail') return score;
  const value = typeof score.value === 'number' ? 1 - score.value : score.value;
  if (value === 0.5) return score;
  const reason = score.reason === null ? null : `seen from head: ${score.reason}`;
  return { ...score, status: value === 1 ? 'pass' : 'fail', value, reason };
}

export interface ScoringTools {
  complete: Complete;
  evaluate: Evaluate;
  checkSchema?: CheckSchema | undefined;
  random: MetricTools['random'];
  scoreMetric(
    metric: Metric,
    answers: readonly MetricAnswer[],
    tools: MetricTools,
  ): Promise<Score[]>;
  price: Price;
}

/** Up to this many grades in a run are kept with their prompts and replies, to limit memory. */
const MOST_GRADES = 2000;

/**
 * Code scores the sides one after the other, in random order per suite and in separate processes,
 * so it cannot tell which side it scores. Graders run concurrently. A grade uses its try's index,
 * so grader noise is as independent as the answers.
 */
export async function scoreAnswers(
  metric: Metric,
  items: readonly ScoringItem[],
  metricAnswerOf: (item: ScoringItem) => MetricAnswer,
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<ScoringItem, Score>> {
  const score = (group: readonly ScoringItem[]): Promise<[ScoringItem, Score][]> =>
    scoreGroup(metric, group, metricAnswerOf, scoring, {
      ...tools,
      keepGrades: items.length <= MOST_GRADES,
    });
  const asks = isModelGraded(metric) || comparesEmbeddings(metric);
  const groups = groupItems(items, ({ answer: { planned } }) =>
    [planned.suite, planned.side, ...(asks ? [planned.try] : [])].join('\n'),
  );
  if (asks) return new Map((await Promise.all(groups.map(score))).flat());
  const scores = new Map<ScoringItem, Score>();
  for (const turn of [0, 1])
    for (const group of groups.filter((own) => turnOf(own, tools.random) === turn))
      for (const [item, found] of await score(group)) scores.set(item, found);
  return scores;
}

function turnOf([first]: readonly ScoringItem[], random: MetricTools['random']): 0 | 1 {
  if (first === undefined) return 0;
  const { suite, side } = first.answer.planned;
  const drawn = [...random(`order of sides ${String(suite)}`)];
  const headFirst = drawn.reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 2 === 1;
  return (side === 'head') === headFirst ? 0 : 1;
}

function groupItems(
  items: readonly ScoringItem[],
  keyOf: (item: ScoringItem) => string,
): ScoringItem[][] {
  const groups = new Map<string, ScoringItem[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

async function scoreGroup(
  metric: Metric,
  group: readonly ScoringItem[],
  metricAnswerOf: (item: ScoringItem) => MetricAnswer,
  scoring: Scoring,
  {
    complete,
    evaluate,
    checkSchema,
    random,
    scoreMetric,
    keepGrades,
  }: ScoringTools & { keepGrades: boolean },
): Promise<[ScoringItem, Score][]> {
  const [first] = group;
  if (first === undefined) return [];
  const { suite, side, try: index } = first.answer.planned;
  const scores = await scoreMetric(metric, group.map(metricAnswerOf), {
    complete,
    evaluate: (job) =>
      evaluate({
        ...job,
        suite,
        side,
        ...(metric.codeAt === undefined ? {} : { at: metric.codeAt }),
        scores: { what: `metric "${metric.name}"`, place: metric.place },
      }),
    checkSchema: checkSchema && checkedAt(checkSchema, metric),
    random,
    keepGrades,
    rubrics: scoring.rubrics,
    graders: gradersFor(metric, scoring),
    embedder: embedderFor(metric, scoring),
    try: index,
  });
  if (scores.length !== group.length)
    throw new TypeError(
      `metric "${metric.name}" gave ${String(scores.length)} scores for ${String(group.length)} answers`,
    );
  return scores.flatMap((score, position): [ScoringItem, Score][] => {
    const item = group[position];
    return item === undefined ? [] : [[item, score]];
  });
}

function checkedAt(check: CheckSchema, { place: { file, line } }: Metric): CheckSchema {
  return async (schema, values) =>
    (await check(schema, values)).map((finding) =>
      finding.status === 'error'
        ? { ...finding, message: `${file}:${String(line)}: ${finding.message}` }
        : finding,
    );
}

export function metricAnswer(
  { answer, reference, otherAnswer = null, otherMessages }: ScoringItem,
  price: Price,
): MetricAnswer {
  const {
    completion,
    messages,
    planned: { generation },
  } = answer;
  if (completion.status !== 'ok') throw new TypeError('only answers are scored');
  const recorded = generation.kind === 'recorded' && answer.own === null ? generation : null;
  return {
    completion:
      generation.kind === 'recorded' ? withCalls(completion, generation.thread) : completion,
    messages,
    input: reference.input,
    expected: reference.expected,
    values: reference.values,
    ...(reference.metadata === undefined ? {} : { metadata: reference.metadata }),
    otherAnswer,
    ...(otherMessages === undefined ? {} : { otherMessages }),
    price: (usage) =>
      generation.kind === 'request' ? price(asDirect(generation.target), usage) : null,
    thread: recorded?.thread ?? [...messages, answerMessage(completion, generation)],
    ...(recorded?.after === undefined ? {} : { after: recorded.after }),
  };
}

function answerMessage(completion: OkCompletion, generation: Generation): Message {
  const calls = callsOf(completion);
  const message: Message = {
    role: 'assistant',
    content: textOf(completion),
    ...(generation.kind === 'request' ? { metadata: { model: generation.target.model } } : {}),
  };
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

function withCalls(completion: OkCompletion, thread: readonly Message[]): OkCompletion {
  const turn = turnsOf(thread).at(-1) ?? [];
  const calls = turn.flatMap(({ tool_calls: made = [] }) => made);
  return { ...completion, parts: partsOf(textOf(completion), calls) };
}
