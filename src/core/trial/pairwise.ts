import type { Metric, Score, Tests } from '../../types.ts';
import { PAIRWISE } from '../../metrics/index.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Judged } from './judged.ts';

/** Whether a metric compares both sides' answers with each other. */
export function isPairwise({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.uses === PAIRWISE;
}

/**
 * Whether nothing but comparisons of the two sides gates here; they then decide, and are advice
 * otherwise.
 */
export function gatesByPreference({ metrics, conversation }: Tests): boolean {
  const gating = metrics.filter(({ skip }) => !skip);
  return conversation === null && gating.length > 0 && gating.every(isPairwise);
}

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
