import type { Metric, Score } from '../../types/metric.ts';
import { whyDeclined } from '../../types/model.ts';
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
import { inDependencyOrder, inWaves } from './conditions.ts';
import { WINDOW, type ScoringItem, type AnsweredTry } from './execute.ts';
import type { ScoringTools } from './score-metric.ts';
import { scoreRows, type AnswerRow } from './score-objects.ts';

/** Why the model or program declined, which fails the try; null: it answered, or a call failed. */
export function noAnswer({ completion, own }: AnsweredTry): string | null {
  return own?.failedElsewhere === true ? null : whyDeclined(completion);
}

/** Metrics fail without an answer; a comparison of answers is skipped. */
function failedScore(metric: Metric, reason: string): Score {
  const { name, skip } = metric;
  return isPairwise(metric)
    ? { metric: name, status: 'skipped', value: null, reason, skip }
    : { metric: name, status: 'fail', value: null, reason, skip };
}

interface ScoredAnswer {
  item: ScoringItem;
  scores: Score[];
}

/** Metrics with unmet `depends_on` are skipped with a reason. */
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
  // Scoring an answer needs about 2 KB besides the answer.
  for (let start = 0; start < items.length; start += WINDOW)
    scored.push(...(await scoreTogether(items.slice(start, start + WINDOW), scoring, tools)));
  return scored;
}

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
  // One step after the other, unless graders run in batches: each batch may take a day.
  const steps = judgingTargets(scoring).some(isBatched)
    ? inWaves(tests.metrics)
    : inDependencyOrder(tests.metrics).map((metric) => [metric]);
  for (const together of steps) await Promise.all(together.map(scoreOne));
  await scoreOwn(answered, scoring, tools);
  return rows.map((row) => scoredAnswer(row, scoring));
}

function scoredAnswer({ item, scores }: AnswerRow, { tests }: Scoring): ScoredAnswer {
  const reason = noAnswer(item.answer);
  if (reason !== null)
    return {
      item,
      scores: metricsFor(tests, item.reference).map((metric) => failedScore(metric, reason)),
    };
  const { completion } = item.answer;
  if (completion.status !== 'ok') return { item, scores: [] };
  const why = completion.ended === 'length' ? withCut : (score: Score): Score => score;
  const complete = metricsFor(tests, item.reference).map(({ name }) => {
    const score = scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return why(score);
  });
  return { item, scores: complete };
}

/** The failing part of a truncated answer may be the missing one. */
function withCut(score: Score): Score {
  if (score.status !== 'fail') return score;
  const cut = 'the answer was cut at its limit of tokens';
  return { ...score, reason: score.reason === null ? cut : `${score.reason}; ${cut}` };
}

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
