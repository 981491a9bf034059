import {
  formClusters,
  clusterTable,
  nullMoments,
  type Cluster,
  type ClusteredTries,
} from '../../kernel/statistics/clusters.ts';
import { permuteSums, headSums, type PermutedUnit } from '../../kernel/statistics/permutations.ts';
import type { Random } from '../../kernel/statistics/random.ts';
import { at, mean, sum } from '../../kernel/statistics/sums.ts';

/**
 * `z`: standardized deviation of head's passes from the null mean; `p`: adjusted for all groups.
 */
interface GroupTest {
  z: number;
  p: number;
}

/** Tolerance for comparing statistics that are mathematically equal. */
const STATISTIC_TOLERANCE = 1e-12;

/**
 * Which groups of references got worse, controlling the family-wise error rate. This is the
 * step-down max-T test of Westfall and Young.
 *
 * z_j = Σ (passes on head − mean) / √Σ variance over the references of group j. Each permutation
 * deals whole tries within every cluster, for all groups at once, so correlated groups cost less.
 * With z ascending, p_(r) = the running maximum of (1 + #{min over k >= r of z*_k <= z_(r)}) /
 * (permutations + 1).
 *
 * `groups` may overlap. A group in which no permutation differs has z = 0, p = 1. Mirror the rows
 * to test for improvements. Source: Westfall and Young 1993, algorithm 4.1 in its max-T form.
 */
export function stepDownMaxT<Group extends { positions: readonly number[] }>(
  rows: readonly ClusteredTries[],
  groups: readonly Group[],
  random: Random,
  permutations = 9999,
): (Group & GroupTest)[] {
  const clusters = formClusters(rows);
  const members = groups.map((group) => new Set(group.positions));
  const groupsOf = (own: number): number[] =>
    members.flatMap((group, j) => (group.has(own) ? j : []));
  const units = clusters.map((cluster) => unitOf(cluster, groupsOf));
  const scales = members.map((group) => deviation(clusters, group));
  const zOf = (total: number, j: number): number => {
    const scale = at(scales, j);
    return scale > 0 ? total / scale : 0;
  };
  const observed = headSums(units, groups.length);
  const dealt = permuteSums(units, { sums: groups.length, rounds: permutations, random });
  const ranked = dealt
    .map((sums, j) => ({ j, sums, z: zOf(at(observed, j), j), asExtreme: 0, p: 1 }))
    .sort((a, b) => a.z - b.z);
  const descending = ranked.toReversed();
  for (let round = 0; round < permutations; round++) {
    let smallest = Infinity;
    for (const group of descending) {
      smallest = Math.min(smallest, zOf(at(group.sums, round), group.j));
      if (smallest <= group.z + STATISTIC_TOLERANCE) group.asExtreme += 1;
    }
  }
  let largest = 0;
  for (const group of ranked) {
    largest = Math.max(largest, (1 + group.asExtreme) / (permutations + 1));
    group.p = largest;
  }
  const tests = new Map(ranked.map(({ j, z, p }) => [j, { z, p }]));
  return groups.map((group, j) => ({ ...group, ...(tests.get(j) ?? { z: 0, p: 1 }) }));
}

/** Subtracts the mean from the passes, so that head's sum is its deviation. */
function unitOf(cluster: Cluster, groupsOf: (position: number) => number[]): PermutedUnit {
  const parts = cluster.flatMap(({ at: position, base, head }) => {
    const passes = [...head, ...base];
    const middle = mean(passes);
    const sums = groupsOf(position);
    const differs = passes.some((value) => value !== passes[0]);
    return differs && sums.length > 0
      ? [{ values: passes.map((value) => value - middle), sums }]
      : [];
  });
  return { heads: cluster[0]?.head.length ?? 0, parts };
}

/**
 * Standard deviation of head's passes over a group. Only the group's members of a cluster count.
 */
function deviation(clusters: readonly Cluster[], group: ReadonlySet<number>): number {
  const variances = clusters.flatMap((cluster) => {
    const own = cluster.filter((member) => group.has(member.at));
    return own.length === 0 ? [] : nullMoments(clusterTable(own)).variance;
  });
  return Math.sqrt(sum(variances));
}
