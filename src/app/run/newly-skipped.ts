import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { countsIn } from '../../kernel/suite/gate.ts';

/** References that gated on base and are skipped on head: a way to go green that must be seen. */
export function newlySkippedIds({ suite, scoring: { tests } }: SuiteRun): string[] {
  return suite.references
    .filter(({ reference, baseReference }) => reference.skip && baseReference?.skip === false)
    .filter(({ reference }) => !countsIn(tests, reference))
    .map(({ reference }) => reference.id);
}
