import type { Complete, DependsOn, Evaluate, Metric, Score } from '../../types.ts';
import { scoreMetric, type MetricSample, type MetricTools } from '../../metrics/index.ts';
import { isBatched } from '../select/target.ts';
import { earlier, inDependencyOrder, inWaves, metricOf, unmet } from './conditions.ts';
import { embedderFor, gradersFor, judgingTargets } from '../fingerprint/metric-models.ts';
import type { Price } from '../spend/meter.ts';
import { asDirect } from '../spend/price.ts';
import type { Judged } from './judged.ts';
import { metricsFor, ownMetrics } from './own-metrics.ts';
import { gatesByPreference, isPairwise, scorePairs } from './pairwise.ts';
import type { Yardstick } from '../fingerprint/yardstick.ts';

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
