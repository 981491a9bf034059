import { unitOf, type Cluster, type Unit } from '../../kernel/statistics/clusters.ts';
import type { Table } from '../../kernel/statistics/table.ts';

export function mirrorClusters(clusters: readonly Cluster[]): Cluster[] {
  return clusters.map((members) =>
    members.map(({ at, base, head }) => ({ at, base: head, head: base })),
  );
}

/** The parts of clusters that are among these positions. */
export function clustersAmong(
  clusters: readonly Cluster[],
  positions: readonly number[],
): Cluster[] {
  const among = new Set(positions);
  return clusters.flatMap((members) => {
    const there = members.filter(({ at }) => among.has(at));
    return there.length === 0 ? [] : [there];
  });
}

/** What is permuted together among these positions. */
export function unitsAmong(
  tables: readonly Table[],
  clusters: readonly Cluster[],
  positions: readonly number[],
): Unit[] {
  const clustered = new Set(clusters.flatMap((members) => members.map(({ at }) => at)));
  return [
    ...positions.flatMap((at) => (clustered.has(at) ? [] : (tables[at] ?? []))),
    ...clustersAmong(clusters, positions).map(unitOf),
  ];
}
