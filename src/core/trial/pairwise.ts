import type { Metric, PreferenceSummary, Score, Tests } from '../../types.ts';
import { PAIRWISE } from '../../metrics/index.ts';
import { differenceInterval } from '../../statistics/interval.ts';
import { suiteTest } from '../../statistics/suite-test.ts';
import type { Table } from '../../statistics/table.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { CaseRun } from './rounds.ts';
import type { Judged } from './score.ts';
import { plural, points, signed } from '../compare/wording.ts';

/** Whether a metric compares both sides' answers with each other. */
export function isPairwise({ source }: Metric): boolean {
  return source.kind === 'built-in' && source.uses === PAIRWISE;
}

/** Whether nothing but comparisons of the two sides gates here; they then decide, and are advice otherwise. */
export function gatesByPreference({ metrics, conversation }: Tests): boolean {
  const gating = metrics.filter(({ skip }) => !skip);
  return conversation === null && gating.length > 0 && gating.every(isPairwise);
}

/**
 * Scores a comparing metric: head's answer is judged against base's of the same reference and try, and base's score is
 * its mirror image. `score` judges answers that have a rival; equal questions and equal answers are ties that cost nothing.
 */
export async function scorePairs(metric: Metric, judged: readonly Judged[], score: (judged: readonly Judged[]) => Promise<Score[]>): Promise<Score[]> {
  const keyOf = ({ sample: { trial } }: Judged): string => `${trial.caseId} ${String(trial.try)}`;
  const bases = new Map(judged.filter(({ sample }) => sample.trial.side === 'base').map((one) => [keyOf(one), one]));
  const pairs = judged.filter(({ sample }) => sample.trial.side === 'head').map((head) => ({ head, base: bases.get(keyOf(head)) ?? null }));
  const asked = pairs.map(({ head, base }) => ({ ...head, rival: base === null ? null : rivalOf(head, base) }));
  const scores = await score(asked);
  const found = new Map<Judged, Score>();
  pairs.forEach(({ head, base }, index) => {
    const own = scores[index];
    if (own === undefined) return;
    found.set(head, own);
    if (base !== null) found.set(base, mirrored(own));
  });
  const alone: Score = { metric: metric.name, status: 'skipped', value: null, reason: 'there is no answer of the other side to compare with', skip: metric.skip };
  return judged.map((one) => found.get(one) ?? alone);
}

/** The other side's answer; where both were asked the same, the answer itself: a difference would be chance. */
function rivalOf(head: Judged, base: Judged): string | null {
  const same = fingerprintOf(head.sample.trial.generation) === fingerprintOf(base.sample.trial.generation);
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

interface Comparison { better: 'head' | 'base' | 'tie' }

/** The comparisons of one metric that could be read, one for each reference and try. */
function comparisons(metric: string, runs: readonly CaseRun[]): Comparison[] {
  return runs.flatMap(({ head }) => head.flatMap(({ result }): Comparison[] => {
    const value = result.scores.find((score) => score.metric === metric)?.value;
    return typeof value === 'number' ? [{ better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie' }] : [];
  }));
}

/** One table for each comparison of the suite's first comparing metric: the side that is not preferred fails. The suite's test on such tables is the sign test. */
export function preferenceTables({ metrics }: Tests, runs: readonly CaseRun[]): Table[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined ? [] : comparisons(metric.name, runs).map(({ better }) => ({
    base: { passes: better === 'head' ? 0 : 1, tries: 1 }, head: { passes: better === 'base' ? 0 : 1, tries: 1 },
  }));
}

/** How base's and head's answers compare, by the suite's first comparing metric; null without one, or without a comparison. */
export function preferenceOf(tests: Tests, runs: readonly CaseRun[]): PreferenceSummary | null {
  const metric = tests.metrics.find(isPairwise);
  if (metric === undefined) return null;
  const found = comparisons(metric.name, runs);
  const count = (wanted: Comparison['better']): number => found.filter(({ better }) => better === wanted).length;
  const tables = preferenceTables(tests, runs);
  const interval = differenceInterval(tables);
  if (interval === null) return null;
  const [head, base, ties] = [count('head'), count('base'), count('tie')];
  const p = suiteTest(tables).midDown;
  const gates = gatesByPreference(tests);
  return {
    metric: metric.name, head, base, ties, p, ...interval, gates,
    summary: `of ${plural(found.length, 'comparison')} head's answer is preferred in ${String(head)} and base's in ${String(base)}, ${String(ties)} are ties `
      + `(${points(interval.difference)}, 90 % interval ${signed(interval.low)} to ${signed(interval.high)}, sign test p ${p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`})`
      + `${gates ? '' : '; advice only, since other metrics gate'}.`,
  };
}
