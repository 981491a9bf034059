import { scoreMetric } from '../metrics/index.ts';
import type { MetricSample, MetricTools } from '../metrics/sample.ts';
import { asDirect, type Price } from '../plan/price.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Scoring } from '../select/scoring.ts';
import { isBatched } from '../select/targets.ts';
import {
  comparesEmbeddings,
  embedderFor,
  gatesByPreference,
  gradersFor,
  isModelGraded,
  isPairwise,
  judgingTargets,
  metricsFor,
  ownMetrics,
} from '../suite/metrics.ts';
import type { CheckSchema, DependsOn, Metric, Score } from '../types/metric.ts';
import { declined, type Complete, type Evaluate } from '../types/model.ts';
import { earlier, inDependencyOrder, inWaves, metricOf, unmet } from './conditions.ts';
import type { Judged, Sample } from './execute.ts';

/**
 * Scores a comparing metric: head's answer is judged against base's of the same reference and try,
 * and base's score is its mirror image. `score` judges answers that have a rival; equal questions
 * and equal answers are ties that cost nothing.
 */
async function scorePairs(
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
function scoreOf(scores: ReadonlyMap<Judged, Score>, answer: Judged, metric: string): Score {
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
 * Why whoever was asked declined to answer, which fails the try; null: an answer came, or something
 * was in its way.
 */
export function noAnswer({ completion, dialogue }: Sample): string | null {
  // What an evaluator declines is not the model's doing.
  return dialogue?.outcome === 'evaluator_error' ? null : declined(completion);
}

/** No metric passes where there is no answer; a comparison of answers has nothing to compare. */
function failed(metric: Metric, reason: string): Score {
  const { name, skip } = metric;
  return isPairwise(metric)
    ? { metric: name, status: 'skipped', value: null, reason, skip }
    : { metric: name, status: 'fail', value: null, reason, skip };
}

/** One answer with its scores, in the order of the metrics; an answer that never came has none. */
interface ScoredAnswer {
  answer: Judged;
  scores: Score[];
}

/** One answer with what is known of it so far, by metric. */
interface Row {
  answer: Judged;
  scores: Map<string, Score>;
}

/**
 * Every metric of the scoring on every answer, in the order of the answers. A metric whose
 * `depends_on` does not hold is skipped with its reason.
 */
export async function scoreSamples(
  judged: readonly Judged[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<ScoredAnswer[]> {
  const { tests } = scoring;
  const rows = judged.map((answer): Row => ({ answer, scores: new Map() }));
  const answered = rows.filter(
    ({ answer: { sample } }) => sample.completion.status === 'ok' && noAnswer(sample) === null,
  );
  const scoreOne = async (written: Metric): Promise<void> => {
    const metric =
      isPairwise(written) && !gatesByPreference(tests) ? { ...written, skip: true } : written;
    const reasons = await unmetConditions(metric, answered, scoring, tools);
    for (const [row, reason] of reasons)
      row.scores.set(metric.name, {
        metric: metric.name,
        status: 'skipped',
        value: null,
        reason,
        skip: metric.skip,
      });
    await scoreRows(
      metric,
      answered.filter((row) => !reasons.has(row)),
      scoring,
      tools,
    );
  };
  // One after the other, unless graders are asked in batches: each of those may take a day.
  const steps = judgingTargets(scoring).some(isBatched)
    ? inWaves(tests.metrics)
    : inDependencyOrder(tests.metrics).map((metric) => [metric]);
  for (const together of steps) await Promise.all(together.map(scoreOne));
  await scoreOwn(answered, scoring, tools);
  return rows.map((row) => finished(row, scoring));
}

/** @throws TypeError when an answer lacks a score: whatever stood in its place would be another's. */
function finished({ answer, scores }: Row, { tests }: Scoring): ScoredAnswer {
  const reason = noAnswer(answer.sample);
  if (reason !== null)
    return {
      answer,
      scores: metricsFor(tests, answer.reference).map((metric) => failed(metric, reason)),
    };
  if (answer.sample.completion.status !== 'ok') return { answer, scores: [] };
  const complete = metricsFor(tests, answer.reference).map(({ name }) => {
    const score = scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return score;
  });
  return { answer, scores: complete };
}

/** The metrics that single references have of their own. */
async function scoreOwn(
  answered: readonly Row[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<void> {
  const own = ownMetrics(answered.map(({ answer }) => answer.reference));
  await Promise.all(
    own.map(({ metric, positions }) => {
      const at = new Set(positions);
      return scoreRows(
        metric,
        answered.filter((_, index) => at.has(index)),
        scoring,
        tools,
      );
    }),
  );
}

/** Puts the metric's score into each of the rows. */
async function scoreRows(
  metric: Metric,
  rows: readonly Row[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<void> {
  const judged = rows.map(({ answer }) => answer);
  const score = (some: readonly Judged[]): Promise<Map<Judged, Score>> =>
    scoreAnswers(metric, some, (one) => metricSample(one, tools.price), scoring, tools);
  const scores = await (isPairwise(metric) ? scorePairs(metric, judged, score) : score(judged));
  for (const row of rows) row.scores.set(metric.name, scoreOf(scores, row.answer, metric.name));
}

/** Why the metric does not apply, by the answers to which it does not. */
async function unmetConditions(
  { depends_on: conditions }: Metric,
  answered: readonly Row[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Row, string>> {
  const reasons = new Map<Row, string>();
  for (const condition of conditions) {
    const dependency = metricOf(condition, scoring.tests.metrics);
    const open = answered.filter((row) => !reasons.has(row));
    const before =
      condition.relative_object_position === 0 || dependency === null
        ? null
        : await scoreEarlier(
            condition,
            dependency,
            open.map(({ answer }) => answer),
            scoring,
            tools,
          );
    for (const row of open) {
      const reason =
        before === null
          ? unmet(condition, row.scores.get(dependency?.name ?? condition.name))
          : unmetBefore(condition, dependency, before.get(row.answer));
      if (reason !== null) reasons.set(row, reason);
    }
  }
  return reasons;
}

function unmetBefore(
  condition: DependsOn,
  dependency: Metric | null,
  score: Score | undefined,
): string | null {
  return score === undefined
    ? `depends on ${condition.name} of an earlier ${dependency?.level.toLowerCase() ?? 'object'}, and there is none`
    : unmet(condition, score);
}

/** The dependency's score on an earlier turn or message of each dialogue that has one. */
async function scoreEarlier(
  condition: DependsOn,
  dependency: Metric,
  judged: readonly Judged[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<Judged, Score>> {
  const before = new Map(
    judged.map((one) => [
      one,
      earlier(
        metricSample(one, tools.price),
        dependency.level,
        -condition.relative_object_position,
      ),
    ]),
  );
  return await scoreAnswers(
    dependency,
    judged.filter((one) => before.get(one) !== null),
    (one) => before.get(one) ?? metricSample(one, tools.price),
    scoring,
    tools,
  );
}

/**
 * Base's answers before head's, so that nothing that head brings can have touched their scores; what
 * asks a model runs no code, and all of it is asked at once. A try's grade is drawn with the try's
 * own index, so that a grader's noise is as independent as the answers are.
 */
async function scoreAnswers(
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

function metricSample({ sample, reference, rival = null }: Judged, price: Price): MetricSample {
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
