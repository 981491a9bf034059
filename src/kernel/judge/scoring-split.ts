import type { Outcome } from '../../types/metric.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import { isScoringKey, onlySkipDiffers, referenceScoringDiffers } from '../select/scoring.ts';
import { cohenKappa } from '../statistics/kappa.ts';
import { mcnemar } from '../statistics/suite-test.ts';
import type { RunRollUps } from './roll-up.ts';
import { countCorners, cornerRates, splitRuns, type FallUnderBase } from './under-base-scoring.ts';

/**
 * Splits the change of the pass rate: the prompt's part (with head's scoring) and the scoring's
 * part (on base's answers).
 */
export function scoringSplit(
  comparison: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  underBase: FallUnderBase | null = null,
): ScoringResult | null {
  const { run: suite } = comparison;
  if (suite.baseScoring === null) return null;
  const fell = underBase === null || underBase.excusedBy === 'passes' ? [] : underBase.references;
  const excused = underBase !== null && underBase.excusedBy !== 'none';
  const runs = splitRuns(comparison);
  const because = suite.suite.because.filter(
    ({ key }) => isScoringKey(key, suite.suite) || key === 'references',
  );
  const onlyRollUp = because.length > 0 && because.every(({ key }) => key === 'metrics_rollup');
  const { rates, same_answers } = onlyRollUp ? byTests(runs, rollUps) : byAnswers(comparison, runs);
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
    flipped: flips(runs, rollUps),
    same_answers,
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

/** The outcome of the same answers of base under base's scoring and under head's. */
interface JudgedTwice {
  was: Outcome | null;
  is: Outcome | null;
}

type Measured = Pick<ScoringResult, 'rates' | 'same_answers'>;

function byAnswers(comparison: SuiteComparison, runs: readonly ReferenceRun[]): Measured {
  const outcomes = runs.flatMap(({ base }) =>
    base.map(({ byHead, byBase }) => ({ was: byBase?.outcome ?? null, is: byHead.outcome })),
  );
  return {
    rates: cornerRates(countCorners(comparison)),
    same_answers: { unit: 'answers', ...compareOutcomes(outcomes) },
  };
}

/** A roll-up acts on tests, so rates of answers would not show what it changes. */
function byTests(
  runs: readonly ReferenceRun[],
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): Measured {
  const tests = runs.flatMap((run): JudgedTest[] => {
    const found = rollUps.get(run);
    return found === undefined
      ? []
      : [
          {
            was: found.other?.outcome ?? null,
            is: found.base.outcome,
            onHead: found.head.outcome,
          },
        ];
  });
  return { rates: testRates(tests), same_answers: { unit: 'tests', ...compareOutcomes(tests) } };
}

interface JudgedTest extends JudgedTwice {
  onHead: Outcome | null;
}

function testRates(tests: readonly JudgedTest[]): ScoringResult['rates'] {
  const judged = tests.filter(({ was, is }) => was !== null && is !== null);
  const share = (outcomes: readonly (Outcome | null)[]) =>
    outcomes.length === 0 || outcomes.includes(null)
      ? null
      : outcomes.filter((outcome) => outcome === 'pass').length / outcomes.length;
  return {
    base_base: share(judged.map(({ was }) => was)),
    base_head: share(judged.map(({ is }) => is)),
    head_base: null,
    head_head: share(judged.map(({ onHead }) => onHead)),
  };
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

function flips(
  runs: readonly ReferenceRun[],
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): ScoringResult['flipped'] {
  return runs.flatMap((run) => {
    const found = rollUps.get(run);
    if (found === undefined || found.other === null) return [];
    const before = found.other.outcome;
    const after = found.base.outcome;
    if (before === after) return [];
    const tag = (outcome: 'pass' | 'fail' | null): Outcome => outcome ?? 'ungraded';
    return [{ id: run.affected.reference.id, from: tag(before), to: tag(after) }];
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
