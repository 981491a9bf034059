import { scoreMetric } from '../metrics/index.ts';
import type { MetricSample, MetricTools } from '../metrics/sample.ts';
import { asDirect, type Price } from '../plan/price.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Scoring } from '../select/scoring.ts';
import { comparesEmbeddings, embedderFor, gradersFor, isModelGraded } from '../suite/metrics.ts';
import type { CheckSchema, Metric, Score } from '../types/metric.ts';
import type { Complete, Evaluate } from '../types/model.ts';
import type { Judged } from './execute.ts';

/**
 * Scores a comparing metric: head's answer is judged against base's of the same reference and try,
 * and base's score is its mirror image. `score` judges answers that have a rival; equal questions
 * and equal answers are ties that cost nothing.
 */
export async function scorePairs(
  metric: Metric,
  judged: readonly Judged[],
  score: (judged: readonly Judged[]) => Promise<ReadonlyMap<Judged, Score>>,
): Promise<Map<Judged, Score>> {
  const keyOf = ({ sample: { trial } }: Judged): string => `${trial.caseId} ${String(trial.try)}`;
  const bases = new Map(
    judged.filter(({ sample }) => sample.trial.side === 'base').map((one) => [keyOf(one), one]),
  );
  const pairs = judged
    .filter(({ sample }) => sample.trial.side === 'head')
    .map((head) => {
      const base = bases.get(keyOf(head)) ?? null;
      return { head, base, asked: { ...head, rival: base === null ? null : rivalOf(head, base) } };
    });
  const scores = await score(pairs.map(({ asked }) => asked));
  const alone: Score = {
    metric: metric.name,
    status: 'skipped',
    value: null,
    reason: 'there is no answer of the other side to compare with',
    skip: metric.skip,
  };
  const found = new Map<Judged, Score>(judged.map((one) => [one, alone]));
  for (const { head, base, asked } of pairs) {
    const own = scoreOf(scores, asked, metric.name);
    found.set(head, own);
    if (base !== null) found.set(base, mirrored(own));
  }
  return found;
}

/** The score that an answer must have by now. */
export function scoreOf(scores: ReadonlyMap<Judged, Score>, answer: Judged, metric: string): Score {
  const score = scores.get(answer);
  if (score === undefined)
    throw new TypeError(`metric "${metric}" has no score for an answer it was given`);
  return score;
}

/**
 * The other side's answer; where both were asked the same, the answer itself: a difference would be
 * chance.
 */
function rivalOf(head: Judged, base: Judged): string | null {
  const same =
    fingerprintOf(head.sample.trial.generation) === fingerprintOf(base.sample.trial.generation);
  const { completion } = same ? head.sample : base.sample;
  return completion.status === 'ok' ? completion.output : null;
}

function mirrored(score: Score): Score {
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
  /** Unforeseeable text for the delimiters around what a grader judges. */
  random: MetricTools['random'];
  price: Price;
}

/**
 * Base's answers before head's, so that nothing that head brings can have touched their scores; what
 * asks a model runs no code, and all of it is asked at once. A try's grade is drawn with the try's
 * own index, so that a grader's noise is as independent as the answers are.
 */
export async function scoreAnswers(
  metric: Metric,
  judged: readonly Judged[],
  sampleOf: (one: Judged) => MetricSample,
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Judged, Score>> {
  const score = (group: readonly Judged[]): Promise<[Judged, Score][]> =>
    scoreGroup(metric, group, sampleOf, scoring, tools);
  const asks = isModelGraded(metric) || comparesEmbeddings(metric);
  const groups = alike(judged, ({ sample: { trial } }) =>
    [trial.suite, trial.side, ...(asks ? [trial.try] : [])].join('\n'),
  );
  if (asks) return new Map((await Promise.all(groups.map(score))).flat());
  const scores = new Map<Judged, Score>();
  for (const side of ['base', 'head'] as const)
    for (const group of groups.filter(([first]) => first?.sample.trial.side === side))
      for (const [one, found] of await score(group)) scores.set(one, found);
  return scores;
}

function alike(judged: readonly Judged[], keyOf: (one: Judged) => string): Judged[][] {
  const groups = new Map<string, Judged[]>();
  for (const one of judged) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** Scores answers of one suite and one side. */
async function scoreGroup(
  metric: Metric,
  group: readonly Judged[],
  sampleOf: (one: Judged) => MetricSample,
  scoring: Scoring,
  { complete, evaluate, checkSchema, random }: ScoringTools,
): Promise<[Judged, Score][]> {
  const [first] = group;
  if (first === undefined) return [];
  const { suite, side, try: index } = first.sample.trial;
  const scores = await scoreMetric(metric, group.map(sampleOf), {
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
    rubrics: scoring.rubrics,
    graders: gradersFor(metric, scoring),
    embedder: embedderFor(metric, scoring),
    try: index,
  });
  if (scores.length !== group.length)
    throw new TypeError(
      `metric "${metric.name}" gave ${String(scores.length)} scores for ${String(group.length)} answers`,
    );
  return scores.flatMap((score, position): [Judged, Score][] => {
    const one = group[position];
    return one === undefined ? [] : [[one, score]];
  });
}

/** Errors of a schema say where the metric stands. */
function checkedAt(check: CheckSchema, { place: { file, line } }: Metric): CheckSchema {
  return async (schema, values) =>
    (await check(schema, values)).map((finding) =>
      finding.status === 'error'
        ? { ...finding, message: `${file}:${String(line)}: ${finding.message}` }
        : finding,
    );
}

export function metricSample(
  { sample, reference, rival = null }: Judged,
  price: Price,
): MetricSample {
  const {
    completion,
    messages,
    trial: { generation },
  } = sample;
  if (completion.status !== 'ok') throw new TypeError('only answers are scored');
  return {
    completion,
    messages,
    input: reference.input,
    expected: reference.expected,
    rival,
    price: (usage) =>
      generation.kind === 'request' ? price(asDirect(generation.target), usage) : null,
    thread: [...messages, { role: 'assistant', content: completion.output }],
  };
}
