import type { Distribution } from './distributions.ts';
import { sum } from './sums.ts';
import type { Tries } from './table.ts';

/**
 * References with a common cause (templates of one text): passes by try. Under the null, only whole
 * tries are exchangeable between the sides.
 */
export interface Bundle {
  /** Positions among the tables. */
  members: readonly number[];
  base: readonly number[];
  head: readonly number[];
}

/** A member's passes by try, 1 or 0. */
interface ClusterMember {
  at: number;
  base: readonly number[];
  head: readonly number[];
}

export type Cluster = readonly ClusterMember[];

/**
 * Clusters of references by name (null: none), over try indices below `to` that all members have;
 * single members are not clusters. Tries on which no member is judged are left out. For the others,
 * a member without a pass counts as not passed.
 */
export function clustersByName(
  tries: readonly Tries[],
  names: readonly (string | null)[],
  to: number,
): Cluster[] {
  const byName = new Map<string, number[]>();
  names.forEach((name, i) => {
    if (name === null) return;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [i]);
    else known.push(i);
  });
  return [...byName.values()]
    .filter((members) => members.length > 1)
    .map((members) => {
      const side = (which: 'base' | 'head'): number[][] => {
        const all = members.map((i) => (tries[i]?.[which] ?? []).slice(0, to));
        const shared = Math.min(...all.map(({ length }) => length));
        const judged = [...Array(shared).keys()].filter((at) =>
          all.some((outcomes) => outcomes[at] === 'pass' || outcomes[at] === 'fail'),
        );
        return all.map((outcomes) => judged.map((at) => Number(outcomes[at] === 'pass')));
      };
      const [base, head] = [side('base'), side('head')];
      return members.map((at, own) => ({ at, base: base[own] ?? [], head: head[own] ?? [] }));
    })
    .filter(([first]) => (first?.base.length ?? 0) > 0 && (first?.head.length ?? 0) > 0);
}

export function bundleOf(members: Cluster): Bundle {
  const sums = (which: 'base' | 'head'): number[] =>
    (members[0]?.[which] ?? []).map((_, at) =>
      sum(members.map((member) => member[which][at] ?? 0)),
    );
  return { members: members.map(({ at }) => at), base: sums('base'), head: sums('head') };
}

export function bundlesOf(
  tries: readonly Tries[],
  names: readonly (string | null)[],
  to: number,
): Bundle[] {
  return clustersByName(tries, names, to).map(bundleOf);
}

/**
 * Exact distribution of passes on head when whole tries are permuted: the sum of a random choice of
 * as many tries as head has.
 */
export function bundlePasses({ base, head }: Bundle): Distribution {
  const all = [...base, ...head];
  const most = sum(all);
  // ways[n][s]: share of choices of n tries so far with sum s; scaled at the end.
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
  const whole = counts.reduce((all, count) => all + count, 0);
  return { low: 0, mass: counts.map((count) => count / whole) };
}

/** Mean and variance of `bundlePasses`: a sum drawn without replacement. */
export function bundleMoments({ base, head }: Bundle): { mean: number; variance: number } {
  const all = [...base, ...head];
  const tries = all.length;
  const mean = sum(all) / tries;
  if (tries < 2) return { mean: sum(head), variance: 0 };
  const spread = all.reduce((sum, passes) => sum + (passes - mean) ** 2, 0) / (tries - 1);
  return {
    mean: head.length * mean,
    variance: (spread * head.length * base.length) / tries,
  };
}
