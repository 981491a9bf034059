import type { Scoring } from '../select/scoring.ts';
import { isBatched } from '../select/targets.ts';
import {
  gatesByPreference,
  isPairwise,
  judgingTargets,
  metricsFor,
  ownMetrics,
} from '../suite/metrics.ts';
import type { DependsOn, Metric, Score } from '../types/metric.ts';
import { declined } from '../types/model.ts';
import { earlier, inDependencyOrder, inWaves, metricOf, unmet } from './conditions.ts';
import type { ScoringItem, Answer } from './execute.ts';
import {
  type ScoringTools,
  scoreAnswers,
  metricAnswer,
  scorePairs,
  scoreFor,
} from './score-metric.ts';

/**
 * Why whoever was asked declined to answer, which fails the try; null: an answer came, or something
 * was in its way.
 */
export function noAnswer({ completion, dialogue }: Answer): string | null {
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
  item: ScoringItem;
  scores: Score[];
}

/** One answer with what is known of it so far, by metric. */
interface Row {
  item: ScoringItem;
  scores: Map<string, Score>;
}

/**
 * Every metric of the scoring on every answer, in the order of the answers. A metric whose
 * `depends_on` does not hold is skipped with its reason.
 */
export async function scoreItems(
  items: readonly ScoringItem[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<ScoredAnswer[]> {
  const { tests } = scoring;
  const rows = items.map((item): Row => ({ item, scores: new Map() }));
  const answered = rows.filter(
    ({ item: { answer } }) => answer.completion.status === 'ok' && noAnswer(answer) === null,
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
function finished({ item, scores }: Row, { tests }: Scoring): ScoredAnswer {
  const reason = noAnswer(item.answer);
  if (reason !== null)
    return {
      item,
      scores: metricsFor(tests, item.reference).map((metric) => failed(metric, reason)),
    };
  if (item.answer.completion.status !== 'ok') return { item, scores: [] };
  const complete = metricsFor(tests, item.reference).map(({ name }) => {
    const score = scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return score;
  });
  return { item, scores: complete };
}

/** The metrics that single references have of their own. */
async function scoreOwn(
  answered: readonly Row[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<void> {
  const own = ownMetrics(answered.map(({ item }) => item.reference));
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
  const items = rows.map(({ item }) => item);
  const score = (some: readonly ScoringItem[]): Promise<Map<ScoringItem, Score>> =>
    scoreAnswers(metric, some, (one) => metricAnswer(one, tools.price), scoring, tools);
  const scores = await (isPairwise(metric) ? scorePairs(metric, items, score) : score(items));
  for (const row of rows) row.scores.set(metric.name, scoreFor(scores, row.item, metric.name));
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
            open.map(({ item }) => item),
            scoring,
            tools,
          );
    for (const row of open) {
      const reason =
        before === null
          ? unmet(condition, row.scores.get(dependency?.name ?? condition.name))
          : unmetBefore(condition, dependency, before.get(row.item));
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
  items: readonly ScoringItem[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<ScoringItem, Score>> {
  const before = new Map(
    items.map((one) => [
      one,
      earlier(
        metricAnswer(one, tools.price),
        dependency.level,
        -condition.relative_object_position,
      ),
    ]),
  );
  return await scoreAnswers(
    dependency,
    items.filter((one) => before.get(one) !== null),
    (one) => before.get(one) ?? metricAnswer(one, tools.price),
    scoring,
    tools,
  );
}
