import { countingRuns, type SuiteComparison, type SuiteRun } from '../plan/suite-run.ts';
import { countsIn } from '../suite/gate.ts';
import { gatesByPreference } from '../suite/metrics.ts';
import type { GateInput } from './gate-input.ts';

export function plannedFacts(
  suites: readonly SuiteComparison[],
): Pick<GateInput, 'affected' | 'counted' | 'removed' | 'preferenceAlone'> {
  return {
    affected: suites.flatMap(({ run }) => run.runs).length,
    counted: suites.flatMap(countingRuns).length,
    removed: suites.flatMap(withdrawnReferences),
    preferenceAlone: suites
      .filter(
        ({ run }) =>
          run.runs.length > 0 &&
          gatesByPreference(run.scoring.tests) &&
          run.runs.every(({ affected: { base } }) => base === null),
      )
      .map(({ run }) => run.suite.name),
  };
}

function withdrawnReferences({ run, newlyQuarantined }: SuiteComparison): string[] {
  const removed = run.suite.references
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) => reference.id);
  const ids = [...removed, ...newlySkippedIds(run), ...newlyQuarantined];
  return [...new Set(ids)].map((id) => `${run.suite.path}: ${id}`);
}

export function newlySkippedIds({ suite, scoring: { tests } }: SuiteRun): string[] {
  return suite.references
    .filter(({ reference, baseReference }) => reference.skip && baseReference?.skip === false)
    .filter(({ reference }) => !countsIn(tests, reference))
    .map(({ reference }) => reference.id);
}
