import type { Metric, Score } from '../../types/metric.ts';
import { whyDeclined } from '../../types/model.ts';
import type { Scoring } from '../select/scoring.ts';
import { gatesByPreference, isPairwise, metricsFor, ownMetrics } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { inWaves } from './conditions.ts';
import type { AnsweredTry } from './execute.ts';
import { seenAnswer, skippedScore, type AnswerRow, type ScoringTools } from './score-metric.ts';
import { scoreRows } from './score-objects.ts';

interface AnswerToScore {
  answer: AnsweredTry;
  reference: Reference;
}

/** Why the model or program declined, which fails the try; null: it answered, or a call failed. */
export function noAnswer({ completion, own }: AnsweredTry): string | null {
  return own?.failedElsewhere === true ? null : whyDeclined(completion);
}

/** The scores of each answer, in order. Metrics with unmet `depends_on` are skipped. */
export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Score[][]> {
  const { tests } = scoring;
  const rows = new Map<AnswerToScore, AnswerRow>();
  for (const item of answers) {
    const { answer, reference } = item;
    if (answer.completion.status === 'ok' && noAnswer(answer) === null)
      rows.set(item, {
        answer,
        seen: seenAnswer(answer, reference, tools.price),
        scores: new Map(),
      });
  }
  const shared = [...rows.values()];
  for (const wave of inWaves(tests.metrics))
    await Promise.all(
      wave.map((metric) => scoreRows(asAdvice(metric, scoring), shared, scoring, tools)),
    );
  const judged = [...rows.keys()];
  await Promise.all(
    ownMetrics(judged.map(({ reference }) => reference)).map(({ metric, positions }) => {
      const own = positions.flatMap((at) => shared[at] ?? []);
      return scoreRows(metric, own, scoring, tools);
    }),
  );
  return answers.map((item) => scoresOf(item, rows.get(item), scoring));
}

/** Comparisons of answers do not gate beside metrics that do. */
function asAdvice(metric: Metric, { tests }: Scoring): Metric {
  return isPairwise(metric) && !gatesByPreference(tests) ? { ...metric, skip: true } : metric;
}

function scoresOf(
  { answer, reference }: AnswerToScore,
  row: AnswerRow | undefined,
  { tests }: Scoring,
): Score[] {
  const metrics = metricsFor(tests, reference);
  const reason = noAnswer(answer);
  if (reason !== null) return metrics.map((metric) => failedScore(metric, reason));
  if (row === undefined || answer.completion.status === 'error') return [];
  const isCut = answer.completion.ended === 'length';
  return metrics.map(({ name }) => {
    const score = row.scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return isCut ? withCut(score) : score;
  });
}

/** Metrics fail without an answer; a comparison of answers is skipped. */
function failedScore(metric: Metric, reason: string): Score {
  const skipped = skippedScore(metric, reason);
  return isPairwise(metric) ? skipped : { ...skipped, status: 'fail', reason };
}

/** The failing part of a truncated answer may be the missing one. */
function withCut(score: Score): Score {
  if (score.status !== 'fail') return score;
  const cut = 'the answer was cut at its limit of tokens';
  return { ...score, reason: score.reason === null ? cut : `${score.reason}; ${cut}` };
}
