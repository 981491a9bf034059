import type { Side } from '../../types/plain.ts';
import { tryOutcomes } from '../plan/ledger.ts';
import { countingRuns, type ReferenceRun, type SuiteComparison } from '../plan/suite-run.ts';
import type { PassRate, SuiteResult } from '../result/suite-result.ts';
import { countOutcomes, isComparable, meanOfCounts, meanOfTables } from '../statistics/table.ts';
import { rollupName } from '../suite/gate.ts';
import { gatesByValues } from '../suite/metrics.ts';
import { comparedInPairs } from './preference.ts';
import type { RunRollUps } from './roll-up.ts';
import type { SuiteVerdict } from './suite-row.ts';

export function ratedRuns(suite: SuiteComparison): readonly ReferenceRun[] {
  return suite.compared.length > 0 ? suite.compared : countingRuns(suite);
}

/** Pass rates count only tries with an index below the returned number. */
export function ratedTries(verdict: SuiteVerdict | null): number {
  return verdict?.upTo ?? Infinity;
}

/** Whether passes say nothing: no answer can fail by its value, and none failed otherwise. */
export function isJudgedByValues({ run: { scoring, runs } }: SuiteComparison): boolean {
  return (
    gatesByValues(scoring.tests, scoring.rubrics) &&
    runs.every(({ base, head }) =>
      [...base, ...head].every(({ byHead }) => byHead.outcome !== 'fail'),
    )
  );
}

/** Uses only references that are judged on both sides, so that the rates match the difference. */
export function passRate(suite: SuiteComparison, verdict: SuiteVerdict | null): PassRate {
  if (isJudgedByValues(suite)) return { base: null, head: null, ...NO_DIFFERENCE, p: null };
  if (verdict === null || verdict.look.interval === null) {
    const runs = ratedRuns(suite);
    const tries = ratedTries(verdict);
    const rate = (side: Side) =>
      meanOfCounts(runs.map((run) => countOutcomes(tryOutcomes(run)[side].slice(0, tries))));
    return { base: rate('base'), head: rate('head'), ...NO_DIFFERENCE, p: null };
  }
  const { interval, test, tables } = verdict.look;
  const rate = (side: Side) => meanOfTables(tables, side);
  return { base: rate('base'), head: rate('head'), ...interval, p: test.midDown };
}

const NO_DIFFERENCE = { difference: null, low: null, high: null };

export function rolledUp(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): NonNullable<SuiteResult['rollups']> {
  const runs = isJudgedByValues(suite) ? [] : ratedRuns(suite);
  const count = (side: Side) => {
    const found = runs.flatMap((run) => {
      const outcome = run.affected[side] === null ? null : rollUps.get(run)?.[side].outcome;
      return outcome === null || outcome === undefined ? [] : [outcome];
    });
    return found.length === 0
      ? null
      : { passes: found.filter((outcome) => outcome === 'pass').length, references: found.length };
  };
  return {
    policy: rollupName(suite.run.scoring.tests.rollup),
    base: count('base'),
    head: count('head'),
  };
}

export function comparedReferences(
  { run, policy, compared }: SuiteComparison,
  { look: { tables } }: SuiteVerdict,
): number {
  if (policy.kind !== 'pairs') return tables.filter(isComparable).length;
  return comparedInPairs(run.scoring.tests, compared).size;
}

export function unaskedSide({ runs }: SuiteComparison['run']): Pick<SuiteResult, 'unasked'> {
  const side = (['head', 'base'] as const).find((each) =>
    runs.every(({ affected }) => affected[each] === null || affected[each].kind === 'impossible'),
  );
  return side === undefined ? {} : { unasked: side };
}
