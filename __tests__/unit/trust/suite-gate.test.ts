import { describe, expect, test } from '@jest/globals';
import type { SuiteGate } from '../../../src/kernel/suite/gate-settings.ts';
import { ownGate } from '../../../src/kernel/suite/gate.ts';
import { arrange } from '../../../src/trust/arrange.ts';
import { sources } from '../../../src/trust/trust.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { project, suite, tests } from '../app/run/builders.ts';

const withGate = (gate?: SuiteGate) =>
  project([suite({ tests: gate === undefined ? {} : { gate } })]);
const gates = (
  base: Parameters<typeof arrange>[0],
  head: Parameters<typeof arrange>[1],
  level: 'trusted' | 'member' | 'untrusted',
) => {
  const {
    head: { suites },
    notices,
  } = arrange(base, head, sources(level), OWN_SETTINGS);
  return {
    gate: suites[0]?.tests.gate,
    said: notices.filter(({ message }) => message.includes("the suite's gate")).length,
  };
};

describe('the gate of a suite', () => {
  const strict: SuiteGate = { min_drop: 0.02 };
  const loose: SuiteGate = { fail_on: 'never' };

  test.each(['member', 'untrusted'] as const)(
    "is base's in a pull request at level %s, and a change to it is said",
    (level) => {
      expect(gates(withGate(strict), withGate(loose), level).gate).toEqual(strict);
      expect(gates(withGate(), withGate(loose), level).gate).toBeUndefined();
      expect(gates(withGate(strict), withGate(), level).gate).toEqual(strict);
    },
  );

  test("is said to be base's where a member changes it, and only there", () => {
    expect(gates(withGate(strict), withGate(loose), 'member').said).toBe(1);
    expect(gates(withGate(strict), withGate(strict), 'member')).toEqual({ gate: strict, said: 0 });
  });

  test("is head's for a suite that base does not have, and on trusted events", () => {
    expect(gates(null, withGate(loose), 'member')).toEqual({ gate: loose, said: 0 });
    expect(gates(withGate(strict), withGate(loose), 'trusted')).toEqual({ gate: loose, said: 0 });
  });

  test('does not stand above what the workflow says makes a run red', () => {
    expect(ownGate(tests({ gate: { ...loose, ...strict } }), 'failure')).toEqual({
      fail_on: 'failure',
      min_drop: 0.02,
    });
    expect(ownGate(tests({ gate: strict }), 'failure')).toEqual(strict);
    expect(ownGate(tests(), null)).toEqual({});
  });
});
