import { canDiffer, nullKey, nullDistribution, passesOnHead, type Unit } from './clusters.ts';
import { sumDistributions, tails, times, type Distribution } from './distributions.ts';
import { sum } from './sums.ts';
import type { Table } from './table.ts';

interface UnitGroup<Own extends Unit> {
  unit: Own;
  count: number;
}

/**
 * Groups units (references or clusters), because thousands share a few null distributions. Sorted,
 * so that results do not depend on the order of units.
 */
export function groupUnits<Own extends Unit>(units: readonly Own[]): UnitGroup<Own>[] {
  const groups = new Map<string, UnitGroup<Own>>();
  for (const unit of units) {
    if (!canDiffer(unit)) continue;
    const key = nullKey(unit);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { unit, count: 1 });
    else group.count += 1;
  }
  const byKey = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return byKey.map(([, group]) => group);
}

/** `down`: one-sided p of "head passes less often". `up`: of "more often". */
export interface SuiteTest {
  down: number;
  midDown: number;
  up: number;
  midUp: number;
  /** The smallest `midDown` that a permutation can give. */
  least: number;
}

/**
 * The exact conditional Cochran–Mantel–Haenszel test, which permutes tries within units. With one
 * try per side, it is McNemar's. S = Σ passes on head. down = P(S <= s), midDown = P(S < s) + ½ P(S
 * = s). Probabilities below 1e-35 may become 0.
 *
 * Sources: Mehta, Patel, Gray 1985 (exact test of a common odds ratio); Fagerland et al. 2013
 * (mid-p).
 */
export function suiteTest(units: readonly Unit[]): SuiteTest {
  const passes = sum(units.filter(canDiffer).map(passesOnHead));
  const law = passDistribution(units);
  const { below, at, above } = tails(law, passes);
  return {
    down: Math.min(1, below + at),
    midDown: Math.min(1, below + at / 2),
    up: Math.min(1, above + at),
    midUp: Math.min(1, above + at / 2),
    least: (law.mass.find((share) => share > 0) ?? 1) / 2,
  };
}

export function passDistribution(units: readonly Unit[]): Distribution {
  return sumDistributions(
    groupUnits(units).map(({ unit, count }) => times(nullDistribution(unit), count)),
  );
}

/** McNemar's test: the two-sided mid-p. Source: Fagerland, Lydersen, Laake 2013. */
export function mcnemar(changes: { passFail: number; failPass: number }): number {
  const worse: Table = { base: { passes: 1, tries: 1 }, head: { passes: 0, tries: 1 } };
  const better: Table = { base: worse.head, head: worse.base };
  const { down, midDown, up, midUp } = suiteTest([
    ...Array.from({ length: changes.passFail }, () => worse),
    ...Array.from({ length: changes.failPass }, () => better),
  ]);
  // With equal counts, p is 1 minus half the probability of these counts.
  const tied = changes.passFail === 0 ? 1 : 1 - (down + up - 1) / 2;
  return changes.passFail === changes.failPass ? tied : 2 * Math.min(midDown, midUp);
}
