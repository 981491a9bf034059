import type { Outcome } from '../../types/metric.ts';
import { certain, trim, type Distribution } from './distributions.ts';
import { at, sum } from './sums.ts';
import { isJudged, type Table, type Tries } from './table.ts';

/** The tries of a cluster's references are permuted together by index. Null: in no cluster. */
export interface ClusteredTries {
  tries: Tries;
  cluster: string | null;
}

/** 1 for a try that passes, else 0. */
interface ClusterMember {
  at: number;
  base: readonly number[];
  head: readonly number[];
}

/**
 * References that tend to pass and fail together, such as variants of one text. Usually only one.
 */
export type Cluster = readonly ClusterMember[];

/**
 * Omits a try without any judged reference. In other tries, unjudged references get the outcome of
 * most of their judged tries. So errors are not evidence, and the test is exact.
 */
export function formClusters(rows: readonly ClusteredTries[], upTo = Infinity): Cluster[] {
  return clusteredRows(rows).flatMap((members) => {
    const all = members.map(([, { tries }]) => tries);
    const onBase = judgedTries(all, 'base', upTo);
    const onHead = judgedTries(all, 'head', upTo);
    if (onBase.length === 0 || onHead.length === 0) return [];
    return [
      members.map(([at, { tries }]) => {
        const base = onBase.map((i) => tries.base[i]);
        const head = onHead.map((i) => tries.head[i]);
        const known = [...base, ...head].filter(isJudged);
        const usual = 2 * known.filter((own) => own === 'pass').length >= known.length;
        const passes = (own: Outcome | undefined) => Number(isJudged(own) ? own === 'pass' : usual);
        return { at, base: base.map(passes), head: head.map(passes) };
      }),
    ];
  });
}

/** Each row with its index. A row without a cluster is its own. */
export function clusteredRows<Row extends ClusteredTries>(rows: readonly Row[]): [number, Row][][] {
  return [...Map.groupBy(rows.entries(), ([at, { cluster }]) => cluster ?? at).values()];
}

function judgedTries(members: readonly Tries[], side: keyof Tries, upTo: number): number[] {
  const shared = Math.min(upTo, ...members.map((tries) => tries[side].length));
  return [...Array(shared).keys()].filter((i) => members.some((tries) => isJudged(tries[side][i])));
}

/** How many of the cluster's references pass each try. */
export interface ClusterTable {
  size: number;
  base: readonly number[];
  head: readonly number[];
}

export type Unit = Table | ClusterTable;

export function isCluster(unit: Unit): unit is ClusterTable {
  return 'size' in unit;
}

export function clusterTable(cluster: Cluster): ClusterTable {
  const [first, ...others] = cluster;
  const totals = (side: 'base' | 'head') =>
    others.reduce(
      (passes, member) => passes.map((own, i) => own + at(member[side], i)),
      first?.[side] ?? [],
    );
  return { size: cluster.length, base: totals('base'), head: totals('head') };
}

function passesOf(unit: Unit): Pick<ClusterTable, 'base' | 'head'> {
  if (isCluster(unit)) return unit;
  const side = ({ passes, tries }: Table['base']) =>
    Array.from({ length: tries }, (_, i) => Number(i < passes));
  return { base: side(unit.base), head: side(unit.head) };
}

export function hasBothSides(unit: Unit): boolean {
  const { base, head } = triesOf(unit);
  return base > 0 && head > 0;
}

export function canDiffer(unit: Unit): boolean {
  const { base, head } = passesOf(unit);
  const [first] = base;
  return hasBothSides(unit) && [...base, ...head].some((passes) => passes !== first);
}

export function triesOf(unit: Unit): { base: number; head: number } {
  const { base, head } = passesOf(unit);
  return { base: base.length, head: head.length };
}

export function passesOnHead(unit: Unit): number {
  return sum(passesOf(unit).head);
}

/** Units (references or clusters) with equal keys have the same null distribution. */
export function nullKey(unit: Unit): string {
  const { base, head } = passesOf(unit);
  return `${[...base, ...head].sort((a, b) => a - b).join()}/${head.length}`;
}

/**
 * Exact distribution of head's passes if the sides' tries are permuted. For one reference, it is
 * hypergeometric.
 */
export function nullDistribution(unit: Unit): Distribution {
  if (!canDiffer(unit)) return certain(passesOnHead(unit));
  const { base, head } = passesOf(unit);
  const all = [...base, ...head];
  const most = sum(all);
  // ways[n][s]: in how many ways n of the tries so far can have s passes.
  const ways = Array.from({ length: head.length + 1 }, () => new Float64Array(most + 1));
  ways[0]?.fill(1, 0, 1);
  for (const passes of all) {
    for (let chosen = head.length; chosen >= 1; chosen--) {
      const to = ways[chosen];
      const from = ways[chosen - 1];
      if (to === undefined || from === undefined) continue;
      for (let s = most; s >= passes; s--) to[s] = at(to, s) + at(from, s - passes);
    }
  }
  const counts = ways.at(-1) ?? Float64Array.of(1);
  const whole = counts.reduce((total, count) => total + count, 0);
  return trim({ low: 0, mass: counts.map((count) => count / whole) });
}

export function nullMoments(unit: Unit): { mean: number; variance: number } {
  const { base, head } = passesOf(unit);
  const all = [...base, ...head];
  if (all.length < 2) return { mean: sum(head), variance: 0 };
  const mean = sum(all) / all.length;
  const spread = sum(all.map((passes) => (passes - mean) ** 2)) / (all.length - 1);
  return {
    mean: head.length * mean,
    variance: (spread * head.length * base.length) / all.length,
  };
}
