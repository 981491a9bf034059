import { headMoments, headPasses, type Distribution } from './distributions.ts';
import { at, sum } from './sums.ts';
import { isComparable, isInformative, isJudged, type Table, type Tries } from './table.ts';

/** Tries of one reference. Those of one `cluster` are permuted together; null: alone. */
export interface ClusteredTries {
  tries: Tries;
  cluster: string | null;
}

/** One reference of a cluster by its position, with its passes by try, 1 or 0. */
interface ClusterMember {
  at: number;
  base: readonly number[];
  head: readonly number[];
}

/** References with a common cause, such as templates of one text; most have one member. */
export type Cluster = readonly ClusterMember[];

/**
 * Clusters with tries on both sides, over tries below `upTo` that all members have. Tries on which
 * no member is judged are left out. For the others, a member without a pass counts as not passed.
 */
export function clustersOf(rows: readonly ClusteredTries[], upTo = Infinity): Cluster[] {
  const groups = Map.groupBy(rows.entries(), ([at, { cluster }]) => cluster ?? at);
  return [...groups.values()].flatMap((members) => {
    const all = members.map(([, { tries }]) => tries);
    const [onBase, onHead] = [judgedTries(all, 'base', upTo), judgedTries(all, 'head', upTo)];
    if (onBase.length === 0 || onHead.length === 0) return [];
    const passes = (tries: Tries['base'], judged: readonly number[]): number[] =>
      judged.map((i) => Number(tries[i] === 'pass'));
    return [
      members.map(([at, { tries }]) => ({
        at,
        base: passes(tries.base, onBase),
        head: passes(tries.head, onHead),
      })),
    ];
  });
}

function judgedTries(members: readonly Tries[], side: keyof Tries, upTo: number): number[] {
  const shared = Math.min(upTo, ...members.map((tries) => tries[side].length));
  return [...Array(shared).keys()].filter((i) => members.some((tries) => isJudged(tries[side][i])));
}

/** Passes of all members by try. Under the null, whole tries are exchangeable between the sides. */
export interface ClusterTable {
  size: number;
  base: readonly number[];
  head: readonly number[];
}

/** What is permuted together: a reference's tries, or a cluster's. */
export type Unit = Table | ClusterTable;

export function isCluster(unit: Unit): unit is ClusterTable {
  return 'size' in unit;
}

export function clusterTable(cluster: Cluster): ClusterTable {
  const totals = (side: 'base' | 'head'): number[] =>
    (cluster[0]?.[side] ?? []).map((_, i) => sum(cluster.map((member) => member[side][i] ?? 0)));
  return { size: cluster.length, base: totals('base'), head: totals('head') };
}

export function unitOf(cluster: Cluster): Unit {
  const table = clusterTable(cluster);
  if (cluster.length > 1) return table;
  const { base, head } = table;
  return {
    base: { passes: sum(base), tries: base.length },
    head: { passes: sum(head), tries: head.length },
  };
}

export function hasBothSides(unit: Unit): boolean {
  return isCluster(unit) ? unit.base.length > 0 && unit.head.length > 0 : isComparable(unit);
}

/** Whether some permutation changes the passes on head. */
export function canDiffer(unit: Unit): boolean {
  if (!isCluster(unit)) return isInformative(unit);
  const tries = [...unit.base, ...unit.head];
  return hasBothSides(unit) && tries.some((passes) => passes !== tries[0]);
}

export function triesOf(unit: Unit): { base: number; head: number } {
  return isCluster(unit)
    ? { base: unit.base.length, head: unit.head.length }
    : { base: unit.base.tries, head: unit.head.tries };
}

export function passesOnHead(unit: Unit): number {
  return isCluster(unit) ? sum(unit.head) : unit.head.passes;
}

/** Units with an equal key have the same null distribution. */
export function lawKey(unit: Unit): string {
  if (isCluster(unit)) {
    const passes = [...unit.base, ...unit.head].sort((a, b) => a - b);
    return `${passes.join()}/${String(unit.head.length)}`;
  }
  const { base, head } = unit;
  return [base.tries, head.tries, base.passes + head.passes].join('/');
}

/**
 * Exact distribution of passes on head when whole tries are permuted; for a cluster, the sum of a
 * random choice of as many tries as head has.
 */
export function lawOf(unit: Unit): Distribution {
  if (!isCluster(unit)) return headPasses(unit);
  const all = [...unit.base, ...unit.head];
  const most = sum(all);
  // ways[n][s]: number of choices of n tries so far with sum s.
  const ways = Array.from({ length: unit.head.length + 1 }, () => new Float64Array(most + 1));
  ways[0]?.fill(1, 0, 1);
  for (const passes of all) {
    for (let chosen = unit.head.length; chosen >= 1; chosen--) {
      const [to, from] = [ways[chosen], ways[chosen - 1]];
      if (to === undefined || from === undefined) continue;
      for (let s = most; s >= passes; s--) to[s] = at(to, s) + at(from, s - passes);
    }
  }
  const counts = ways.at(-1) ?? Float64Array.of(1);
  const whole = counts.reduce((total, count) => total + count, 0);
  return { low: 0, mass: counts.map((count) => count / whole) };
}

/** Mean and variance of `lawOf`. */
export function momentsOf(unit: Unit): { mean: number; variance: number } {
  if (!isCluster(unit)) return headMoments(unit);
  const { base, head } = unit;
  const all = [...base, ...head];
  if (all.length < 2) return { mean: sum(head), variance: 0 };
  const mean = sum(all) / all.length;
  const spread = sum(all.map((passes) => (passes - mean) ** 2)) / (all.length - 1);
  return {
    mean: head.length * mean,
    variance: (spread * head.length * base.length) / all.length,
  };
}
