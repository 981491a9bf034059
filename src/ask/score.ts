import { scoreMetric } from '../metrics/index.ts';
import type { MetricSample, MetricTools } from '../metrics/sample.ts';
import { asDirect, type Price } from '../plan/price.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Yardstick } from '../select/scoring.ts';
import { isBatched } from '../select/targets.ts';
import {
  embedderFor,
  gatesByPreference,
  gradersFor,
  isPairwise,
  judgingTargets,
  metricsFor,
  ownMetrics,
} from '../suite/metrics.ts';
import type { DependsOn, Metric, Score } from '../types/metric.ts';
import type { Complete, Evaluate } from '../types/model.ts';
import { earlier, inDependencyOrder, inWaves, metricOf, unmet } from './conditions.ts';
import type { Judged } from './execute.ts';

/**
 * Scores a comparing metric: head's answer is judged against base's of the same reference and try,
 * and base's score is its mirror image. `score` judges answers that have a rival; equal questions
 * and equal answers are ties that cost nothing.
 */
export async function scorePairs(
  metric: Metric,
  judged: readonly Judged[],
  score: (judged: readonly Judged[]) => Promise<Score[]>,
): Promise<Score[]> {
  const keyOf = ({ sample: { trial } }: Judged): string => `${trial.caseId} ${String(trial.try)}`;
  const bases = new Map(
    judged.filter(({ sample }) => sample.trial.side === 'base').map((one) => [keyOf(one), one]),
  );
  const pairs = judged
    .filter(({ sample }) => sample.trial.side === 'head')
    .map((head) => ({ head, base: bases.get(keyOf(head)) ?? null }));
  const asked = pairs.map(({ head, base }) => ({
    ...head,
    rival: base === null ? null : rivalOf(head, base),
  }));
  const scores = await score(asked);
  const found = new Map<Judged, Score>();
  pairs.forEach(({ head, base }, index) => {
    const own = scores[index];
    if (own === undefined) return;
    found.set(head, own);
    if (base !== null) found.set(base, mirrored(own));
  });
  const alone: Score = {
    metric: metric.name,
    status: 'skipped',
    value: null,
    reason: 'there is no answer of the other side to compare with',
    skip: metric.skip,
  };
  return judged.map((one) => found.get(one) ?? alone);
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
  /** Unforeseeable text for the delimiters around what a grader judges. */
  random: MetricTools['random'];
  price: Price;
}

/**
 * Every metric of the yardstick on every answer: one list of scores per answer, in the order of the
 * metrics. An answer that never came has no scores. A metric whose `depends_on` does not hold is
 * skipped with its reason.
 */
export async function scoreSamples(
  judged: readonly Judged[],
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<Score[][]> {
  const { tests } = yardstick;
  const found = judged.map(() => new Map<string, Score>());
  const answered = judged.flatMap(({ sample }, index) =>
    sample.completion.status === 'ok' ? [index] : [],
  );
  const scoreOne = async (written: Metric): Promise<void> => {
    const metric =
      isPairwise(written) && !gatesByPreference(tests) ? { ...written, skip: true } : written;
    const reasons = await unmetConditions(metric, answered, judged, found, yardstick, tools);
    const ready = answered.filter((index) => reasons.get(index) === undefined);
    for (const [index, reason] of reasons)
      found[index]?.set(metric.name, {
        metric: metric.name,
        status: 'skipped',
        value: null,
        reason,
        skip: metric.skip,
      });
    const scores = await scoreAnswers(
      metric,
      ready.map((index) => judged[index]).filter((one) => one !== undefined),
      yardstick,
      tools,
    );
    ready.forEach((index, position) => {
      const score = scores[position];
      if (score !== undefined) found[index]?.set(metric.name, score);
    });
  };
  // One after the other, unless graders are asked in batches: each of those may take a day.
  const steps = judgingTargets(yardstick).some(isBatched)
    ? inWaves(tests.metrics)
    : inDependencyOrder(tests.metrics).map((metric) => [metric]);
  for (const together of steps) await Promise.all(together.map(scoreOne));
  await scoreOwn(judged, found, yardstick, tools);
  return found.map((scores, index) =>
    metricsFor(tests, judged[index]?.reference ?? {})
      .map(({ name }) => scores.get(name))
      .filter((score) => score !== undefined),
  );
}

/** The metrics that single references have of their own. */
async function scoreOwn(
  judged: readonly Judged[],
  found: readonly Map<string, Score>[],
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<void> {
  const own = ownMetrics(
    judged.map(({ sample, reference }) => (sample.completion.status === 'ok' ? reference : null)),
  );
  await Promise.all(
    own.map(async ({ metric, positions }) => {
      const scores = await scoreAnswers(
        metric,
        positions.map((index) => judged[index]).filter((one) => one !== undefined),
        yardstick,
        tools,
      );
      positions.forEach((index, position) => {
        const score = scores[position];
        if (score !== undefined) found[index]?.set(metric.name, score);
      });
    }),
  );
}

function scoreAnswers(
  metric: Metric,
  judged: readonly Judged[],
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<Score[]> {
  const score = (some: readonly Judged[]): Promise<Score[]> =>
    scoreByTry(metric, some, (one) => metricSample(one, tools.price), yardstick, tools);
  return isPairwise(metric) ? scorePairs(metric, judged, score) : score(judged);
}

/** Why the metric does not apply, by the index of each answer to which it does not. */
async function unmetConditions(
  { depends_on: conditions }: Metric,
  answered: readonly number[],
  judged: readonly Judged[],
  found: readonly ReadonlyMap<string, Score>[],
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<Map<number, string>> {
  const reasons = new Map<number, string>();
  for (const condition of conditions) {
    const dependency = metricOf(condition, yardstick.tests.metrics);
    const open = answered.filter((index) => !reasons.has(index));
    const scores =
      condition.relative_object_position === 0 || dependency === null
        ? open.map((index) => found[index]?.get(dependency?.name ?? condition.name))
        : await scoreEarlier(
            condition,
            dependency,
            open.map((index) => judged[index]).filter((one) => one !== undefined),
            yardstick,
            tools,
          );
    open.forEach((index, position) => {
      const score = scores[position];
      const reason =
        score === null
          ? `depends on ${condition.name} of an earlier ${dependency?.level.toLowerCase() ?? 'object'}, and there is none`
          : unmet(condition, score);
      if (reason !== null) reasons.set(index, reason);
    });
  }
  return reasons;
}

/**
 * The dependency's score on an earlier turn or message of each dialogue; null where there is none.
 */
async function scoreEarlier(
  condition: DependsOn,
  dependency: Metric,
  judged: readonly Judged[],
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<(Score | null | undefined)[]> {
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
  const present = judged.filter((one) => before.get(one) !== null);
  const scores = await scoreByTry(
    dependency,
    present,
    (one) => before.get(one) ?? metricSample(one, tools.price),
    yardstick,
    tools,
  );
  const byAnswer = new Map(present.map((one, index) => [one, scores[index]]));
  return judged.map((one) => (byAnswer.has(one) ? byAnswer.get(one) : null));
}

/**
 * A try's grade is drawn with the try's own index, so that a grader's noise is as independent as
 * the answers are.
 */
async function scoreByTry(
  metric: Metric,
  judged: readonly Judged[],
  sampleOf: (one: Judged) => MetricSample,
  yardstick: Yardstick,
  tools: ScoringTools,
): Promise<Score[]> {
  const tries = [...new Set(judged.map(({ sample }) => sample.trial.try))];
  const scores = new Map<Judged, Score>();
  await Promise.all(
    tries.map(async (index) => {
      const group = judged.filter(({ sample }) => sample.trial.try === index);
      const { rubrics, side } = yardstick;
      const [graders, embedder] = [gradersFor(metric, yardstick), embedderFor(metric, yardstick)];
      const { complete, evaluate, random } = tools;
      const results = await scoreMetric(metric, group.map(sampleOf), {
        complete,
        evaluate,
        random,
        rubrics,
        graders,
        embedder,
        side,
        try: index,
      });
      group.forEach((one, position) => {
        const score = results[position];
        if (score !== undefined) scores.set(one, score);
      });
    }),
  );
  return judged.map((one) => scores.get(one)).filter((score) => score !== undefined);
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
