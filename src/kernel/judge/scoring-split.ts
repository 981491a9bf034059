import type { Outcome } from '../../types/metric.ts';
import type { ReferenceRun, SuiteComparison, Try } from '../plan/suite-run.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import { isScoringKey, onlySkipDiffers, referenceScoringDiffers } from '../select/scoring.ts';
import { cohenKappa } from '../statistics/kappa.ts';
import { mcnemar } from '../statistics/suite-test.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';
import { countCorners, cornerRates, splitRuns, type FallUnderBase } from './under-base-scoring.ts';

/**
 * Splits the change of the pass rate: the prompt's part (with head's scoring) and the scoring's
 * part (on base's answers).
 */
export function scoringSplit(
  comparison: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  underBase: FallUnderBase | null,
): ScoringResult | null {
  const { run: suite } = comparison;
  if (suite.baseScoring === null) return null;
  const fell = underBase === null || underBase.excusedBy === 'passes' ? [] : underBase.references;
  const excused = underBase !== null && underBase.excusedBy !== 'none';
  const runs = splitRuns(comparison);
  const because = suite.suite.because.filter(
    ({ key }) => isScoringKey(key, suite.suite) || key === 'references',
  );
  const isRolledUp = because.some(({ key }) => key === 'metrics_rollup');
  const { rates, judged } = isRolledUp ? byTests(runs, rollUps) : byAnswers(comparison, runs);
  const effects = {
    prompt_effect: rateDifference(rates.head_head, rates.base_head),
    scoring_effect: rateDifference(rates.base_head, rates.base_base),
    total: rateDifference(rates.head_head, rates.base_base),
  };
  return {
    path: suite.suite.path,
    name: suite.suite.name,
    rates,
    ...effects,
    because,
    ...(onlySkips(suite) && { only_skips: true as const }),
    flipped: flips(judged),
    same_answers: { unit: isRolledUp ? 'tests' : 'answers', ...compareOutcomes(judged) },
    ...(excused && { excused }),
    ...(underBase !== null && { under_base: { base: underBase.base, head: underBase.head } }),
    ...(fell.length > 0 && { fell: fell.flatMap((id) => fallenTry(runs, id) ?? []) }),
  };
}

function fallenTry(runs: readonly ReferenceRun[], id: string): NonNullable<ScoringResult['fell']> {
  const run = runs.find(({ affected: { reference } }) => reference.id === id);
  const before = run?.base.find(({ byBase }) => byBase?.outcome === 'pass');
  const after = run?.head.find(({ byBase }) => byBase?.outcome === 'fail');
  return before === undefined || after?.byBase === undefined || after.byBase === null
    ? []
    : [
        {
          id,
          base_try: before.byHead.try,
          head_try: after.byHead.try,
          scores: after.byBase.scores,
        },
      ];
}

function rateDifference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/** An answer or test of base under base's scoring and under head's. */
interface JudgedTwice {
  id: string;
  was: Outcome | null;
  is: Outcome | null;
  answer?: Try;
}

interface Measured {
  rates: ScoringResult['rates'];
  judged: readonly JudgedTwice[];
}

function byAnswers(comparison: SuiteComparison, runs: readonly ReferenceRun[]): Measured {
  const judged = runs.flatMap(({ affected, base }) =>
    base.map((answer) => ({
      id: affected.reference.id,
      was: answer.byBase?.outcome ?? null,
      is: answer.byHead.outcome,
      answer,
    })),
  );
  return { rates: cornerRates(countCorners(comparison)), judged };
}

/** A roll-up acts on tests, so rates of answers would not show what it changes. */
function byTests(
  runs: readonly ReferenceRun[],
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): Measured {
  const tests = runs.flatMap((run) => {
    const { base, head, other } = rollUps.get(run) ?? {};
    const of = (rolled: RollUpOutcome | null | undefined): Outcome | null =>
      rolled ? (rolled.outcome ?? 'ungraded') : null;
    return [{ id: run.affected.reference.id, was: of(other), is: of(base), onHead: of(head) }];
  });
  const both = tests.filter(({ was, is }) => hasJudged(was) && hasJudged(is));
  const share = (outcomes: readonly (Outcome | null)[]) =>
    outcomes.length > 0 && outcomes.every(hasJudged)
      ? outcomes.filter((outcome) => outcome === 'pass').length / outcomes.length
      : null;
  const rates = {
    base_base: share(both.map(({ was }) => was)),
    base_head: share(both.map(({ is }) => is)),
    head_base: null,
    head_head: share(both.map(({ onHead }) => onHead)),
  };
  return { rates, judged: tests };
}

function hasJudged(outcome: Outcome | null): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

function compareOutcomes(outcomes: readonly JudgedTwice[]) {
  const count = (before: Outcome, after: Outcome) =>
    outcomes.filter(({ was, is }) => was === before && is === after).length;
  const passFail = count('pass', 'fail');
  const failPass = count('fail', 'pass');
  const table = [
    [count('pass', 'pass'), passFail],
    [failPass, count('fail', 'fail')],
  ];
  return {
    judged: table.flat().reduce((sum, cell) => sum + cell, 0),
    pass_fail: passFail,
    fail_pass: failPass,
    p: Math.min(1, mcnemar({ passFail, failPass })),
    kappa: cohenKappa(table),
  };
}

function flips(judged: readonly JudgedTwice[]): ScoringResult['flipped'] {
  const differing = judged.filter(({ was, is }) => was !== null && is !== null && was !== is);
  return [...Map.groupBy(differing, ({ id }) => id)].flatMap(([id, [first]]) => {
    const { was, is, answer } = first ?? {};
    if (!was || !is) return [];
    const { byHead, byBase = null } = answer ?? {};
    return [
      {
        id,
        from: was,
        to: is,
        ...(byHead !== undefined && { base_try: byHead.try }),
        ...(was === 'fail' && byBase !== null && { scores: byBase.scores }),
      },
    ];
  });
}

function onlySkips({ runs }: SuiteComparison['run']): boolean {
  const edited = runs.flatMap(({ affected: { reference, baseReference } }) =>
    baseReference !== null && referenceScoringDiffers(baseReference, reference)
      ? [onlySkipDiffers(baseReference, reference)]
      : [],
  );
  return edited.length > 0 && edited.every((only) => only);
}
