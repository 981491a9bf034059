import { suiteTest } from './suite-test.ts';
import type { Table } from './table.ts';

/**
 * p-values of McNemar's test: one-sided for "pass → fail is the commoner change", and two-sided;
 * exact and mid-p.
 */
export interface McNemar {
  one: number;
  midOne: number;
  two: number;
  midTwo: number;
}

/**
 * McNemar's exact test on the items whose word differs between two looks at the same items: X ~
 * Binomial(n, ½). Without such items: one = two = midTwo = 1, midOne = ½.
 *
 * Source: Fagerland, Lydersen, Laake 2013.
 */
export function mcnemar(changes: { passFail: number; failPass: number }): McNemar {
  const worse: Table = { base: { passes: 1, tries: 1 }, head: { passes: 0, tries: 1 } };
  const better: Table = { base: worse.head, head: worse.base };
  const { down, midDown, up, midUp } = suiteTest([
    ...Array.from({ length: changes.passFail }, () => worse),
    ...Array.from({ length: changes.failPass }, () => better),
  ]);
  // With as many changes each way, half the middle probability is left out; without any change
  // there is no middle.
  const tied = changes.passFail === 0 ? 1 : 1 - (down + up - 1) / 2;
  return {
    one: down,
    midOne: midDown,
    two: Math.min(1, 2 * Math.min(down, up)),
    midTwo: changes.passFail === changes.failPass ? tied : 2 * Math.min(midDown, midUp),
  };
}
