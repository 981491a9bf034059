import type { GateSettings, Notice, Project, SuiteGate, Tests } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import { pairSuites } from '../select/pair.ts';

/**
 * What a suite sets of the gate for itself. What the workflow says makes a run red (`fail-on`)
 * stands above every file.
 */
export function ownGate({ gate = {} }: Tests, failOn: GateSettings['fail_on'] | null): SuiteGate {
  return failOn === null || gate.fail_on === undefined ? gate : { ...gate, fail_on: failOn };
}

/**
 * Head with base's gate in each suite that base has: a pull request does not choose the gate it has
 * to pass.
 */
export function withGatesOfBase(
  base: Project | null,
  head: Project,
): { head: Project; notices: Notice[] } {
  const bases = new Map(
    pairSuites(base, head).flatMap(({ base: before, head: after }) =>
      before === null || after === null ? [] : [[after, before] as const],
    ),
  );
  const notices: Notice[] = [];
  const suites = head.suites.map((suite) => {
    const before = bases.get(suite);
    if (
      before === undefined ||
      canonicalJson({ ...before.tests.gate }) === canonicalJson({ ...suite.tests.gate })
    )
      return suite;
    notices.push({
      kind: 'settings',
      place: { file: suite.tests.file, line: 0 },
      message: `${suite.prompt.name}: this pull request changes the suite's gate; base's is in force until it is merged`,
    });
    const { gate: _, ...tests } = suite.tests;
    return {
      ...suite,
      tests: before.tests.gate === undefined ? tests : { ...tests, gate: before.tests.gate },
    };
  });
  return { head: notices.length === 0 ? head : { ...head, suites }, notices };
}
