import { withCut } from '../../metrics/passing.ts';
import type { Metric, Score } from '../../types/metric.ts';
import { whyDeclined } from '../../types/model.ts';
import type { Scoring } from '../select/scoring.ts';
import { gatesByPreference, isPairwise, metricIdentity, metricsFor } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { inWaves } from './conditions.ts';
import type { AnsweredTry } from './execute.ts';
import { seenAnswer, skippedScore, type AnswerRow, type ScoringTools } from './score-metric.ts';
import { scoreRows } from './score-objects.ts';

interface AnswerToScore {
  answer: AnsweredTry;
  reference: Reference;
}

/** Why the model declined to answer, which fails the try. Null if it answered. */
export function noAnswer({ completion, own }: AnsweredTry): string | null {
  return own?.failedElsewhere === true ? null : whyDeclined(completion);
}

export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<{ answer: AnsweredTry; scores: Score[] }[]> {
  const all = answers.map((item) => ({ ...item, row: answerRow(item, tools) }));
  const judged = all.flatMap(({ reference, row }) => (row === null ? [] : [{ reference, row }]));
  const rows = judged.map(({ row }) => row);
  for (const wave of inWaves(scoring.tests.metrics))
    await Promise.all(
      wave.map((metric) => {
        // Metrics that compare two answers affect the gate only if no other metrics do.
        const isAdvice = isPairwise(metric) && !gatesByPreference(scoring.tests);
        return scoreRows(isAdvice ? { ...metric, skip: true } : metric, rows, scoring, tools);
      }),
    );
  const own = judged.flatMap(({ reference: { metrics = [] }, row }) =>
    metrics.map((metric) => ({ metric, row })),
  );
  await Promise.all(
    [...Map.groupBy(own, ({ metric }) => metricIdentity(metric)).values()].map((equal) => {
      const [first] = equal;
      const of = equal.map(({ row }) => row);
      return first && scoreRows(first.metric, of, scoring, tools);
    }),
  );
  return all.map((item) => ({
    answer: item.answer,
    scores: answerScores(item, item.row, scoring),
  }));
}

function answerRow(
  { answer, reference }: AnswerToScore,
  { price }: ScoringTools,
): AnswerRow | null {
  return answer.completion.status === 'ok' && noAnswer(answer) === null
    ? { answer, seen: seenAnswer(answer, reference, price), scores: new Map() }
    : null;
}

function answerScores(
  { answer, reference }: AnswerToScore,
  row: AnswerRow | null,
  { tests }: Scoring,
): Score[] {
  const metrics = metricsFor(tests, reference);
  const reason = noAnswer(answer);
  if (reason !== null) return metrics.map((metric) => failedScore(metric, reason));
  if (row === null || answer.completion.status === 'error') return [];
  const isCut = answer.completion.ended === 'length';
  return metrics.map(({ name }) => {
    const score = row.scores.get(name);
    if (score === undefined) throw new TypeError(`metric "${name}" has no score for an answer`);
    return isCut ? withCut(score) : score;
  });
}

function failedScore(metric: Metric, reason: string): Score {
  const skipped = skippedScore(metric, reason);
  return isPairwise(metric) ? skipped : { ...skipped, status: 'fail', reason };
}
