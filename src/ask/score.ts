import type { Scoring } from '../select/scoring.ts';
import { isBatched } from '../select/targets.ts';
import {
  comparesEmbeddings,
  everyMetric,
  gatesByPreference,
  isModelGraded,
  isPairwise,
  judgingTargets,
  metricsFor,
  ownMetrics,
} from '../suite/metrics.ts';
import type { Metric, Score } from '../types/metric.ts';
import { whyDeclined } from '../types/model.ts';
import { inDependencyOrder, inWaves } from './conditions.ts';
import { WINDOW, type ScoringItem, type Answer } from './execute.ts';
import type { ScoringTools } from './score-metric.ts';
import { scoreRows, type AnswerRow } from './score-objects.ts';

/**
 * Why the model or program declined to answer, which fails the try; null: an answer came, or a
 * failure kept it from coming.
 */
export function noAnswer({ completion, dialogue }: Answer): string | null {
  // What an evaluator declines is not the model's doing.
  return dialogue?.outcome === 'evaluator_error' ? null : whyDeclined(completion);
}

/** No metric passes where there is no answer; a comparison of answers has nothing to compare. */
function failedScore(metric: Metric, reason: string): Score {
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

/**
 * Every metric of the scoring on every answer, in the order of the answers. A metric whose
 * `depends_on` does not hold is skipped with its reason.
 */
export async function scoreItems(
  items: readonly ScoringItem[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<ScoredAnswer[]> {
  const metrics = everyMetric({
    metrics: scoring.tests.metrics,
    references: items.map(({ reference }) => reference),
  });
  if (!metrics.every(isComputed)) return scoreTogether(items, scoring, tools);
  const scored: ScoredAnswer[] = [];
  // While it is scored, an answer takes some 2 KB beside itself.
  for (let start = 0; start < items.length; start += WINDOW)
    scored.push(...(await scoreTogether(items.slice(start, start + WINDOW), scoring, tools)));
  return scored;
}

/** Whether a metric follows from one answer without a model or the user's code: in any batch alike. */
function isComputed(metric: Metric): boolean {
  return (
    metric.source.kind === 'built-in' &&
    !isModelGraded(metric) &&
    !comparesEmbeddings(metric) &&
    !isPairwise(metric)
  );
}

async function scoreTogether(
  items: readonly ScoringItem[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<ScoredAnswer[]> {
  const { tests } = scoring;
  const rows = items.map((item): AnswerRow => ({ item, scores: new Map(), objects: new Map() }));
  const answered = rows.filter(
    ({ item: { answer } }) => answer.completion.status === 'ok' && noAnswer(answer) === null,
  );
  const scoreOne = async (written: Metric): Promise<void> => {
    const metric =
      isPairwise(written) && !gatesByPreference(tests) ? { ...written, skip: true } : written;
    await scoreRows(metric, answered, scoring, tools);
  };
  // One after the other, unless graders are asked in batches: each of those may take a day.
  const steps = judgingTargets(scoring).some(isBatched)
    ? inWaves(tests.metrics)
    : inDependencyOrder(tests.metrics).map((metric) => [metric]);
  for (const together of steps) await Promise.all(together.map(scoreOne));
  await scoreOwn(answered, scoring, tools);
  return rows.map((row) => scoredAnswer(row, scoring));
}

/** @throws TypeError when an answer lacks a score: whatever stood in its place would be another's. */
function scoredAnswer({ item, scores }: AnswerRow, { tests }: Scoring): ScoredAnswer {
  const reason = noAnswer(item.answer);
  if (reason !== null)
    return {
      item,
      scores: metricsFor(tests, item.reference).map((metric) => failedScore(metric, reason)),
    };
  const { completion } = item.answer;
  if (completion.status !== 'ok') return { item, scores: [] };
  const why = completion.finish_reason === 'length' ? withCut : (score: Score): Score => score;
  const complete = metricsFor(tests, item.reference).map(({ name }) => {
    const score = scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return why(score);
  });
  return { item, scores: complete };
}

/** What fails in an answer that was cut may be in the part that is missing. */
function withCut(score: Score): Score {
  if (score.status !== 'fail') return score;
  const cut = 'the answer was cut at its limit of tokens';
  return { ...score, reason: score.reason === null ? cut : `${score.reason}; ${cut}` };
}

/** The metrics that single references have of their own. */
async function scoreOwn(
  answered: readonly AnswerRow[],
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
