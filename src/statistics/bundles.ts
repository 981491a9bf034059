import type { Distribution } from './distributions.ts';
import type { Tries } from './table.ts';

/**
 * References whose tries go together because they share a cause (templates of one text): by try,
 * how many of them passed. Under "nothing changed" whole tries can be dealt to the other side,
 * never those of a single member.
 */
export interface Bundle {
  /** Positions among the tables. */
  members: readonly number[];
  base: readonly number[];
  head: readonly number[];
}

/**
 * The bundles of references with the same name, over the try indices below `to`; those with one
 * member are none. `clusters`: each reference's name, or null.
 */
export function bundlesOf(
  tries: readonly Tries[],
  clusters: readonly (string | null)[],
  to: number,
): Bundle[] {
  const byName = new Map<string, number[]>();
  clusters.forEach((name, i) => {
    if (name !== null) byName.set(name, [...(byName.get(name) ?? []), i]);
  });
  return [...byName.values()]
    .filter((members) => members.length > 1)
    .map((members) => {
      const side = (which: 'base' | 'head'): number[] => {
        const own = members.map((i) => (tries[i]?.[which] ?? []).slice(0, to));
        const length = Math.max(...own.map((outcomes) => outcomes.length));
        return Array.from(
          { length },
          (_, at) => own.filter((outcomes) => outcomes[at] === 'pass').length,
        );
      };
      return { members, base: side('base'), head: side('head') };
    });
}

/**
 * Passes on head when whole tries are dealt to the sides at random: the sum of a random choice of
 * as many tries as head has. Exact, by counting the choices of each sum one try at a time.
 */
export function bundlePasses({ base, head }: Bundle): Distribution {
  const all = [...base, ...head];
  const most = total(all);
  // ways[n][s]: share of all choices of n tries seen so far, of sum s; scaled at the end.
  const ways = Array.from({ length: head.length + 1 }, () => new Float64Array(most + 1));
  const none = ways[0];
  if (none !== undefined) none[0] = 1;
  for (const passes of all) {
    for (let chosen = head.length; chosen >= 1; chosen--) {
      const [to, from] = [ways[chosen], ways[chosen - 1]];
      if (to === undefined || from === undefined) continue;
      for (let sum = most; sum >= passes; sum--)
        to[sum] = (to[sum] ?? 0) + (from[sum - passes] ?? 0);
    }
  }
  const counts = ways[head.length] ?? Float64Array.of(1);
  const whole = counts.reduce((sum, count) => sum + count, 0);
  return { low: 0, mass: counts.map((count) => count / whole) };
}

/** Mean and variance of `bundlePasses`: a sum drawn without replacement. */
export function bundleMoments({ base, head }: Bundle): { mean: number; variance: number } {
  const all = [...base, ...head];
  const tries = all.length;
  const mean = total(all) / tries;
  if (tries < 2) return { mean: total(head), variance: 0 };
  const spread = all.reduce((sum, passes) => sum + (passes - mean) ** 2, 0) / (tries - 1);
  return {
    mean: head.length * mean,
    variance: (spread * head.length * base.length) / tries,
  };
}

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
