import { bundleOf, type Bundle, type Cluster } from '../../kernel/statistics/bundles.ts';

export function mirrorClusters(clusters: readonly Cluster[]): Cluster[] {
  return clusters.map((members) =>
    members.map(({ at, base, head }) => ({ at, base: head, head: base })),
  );
}

/** The bundles among a selection of tables, with positions in that selection. */
export function bundlesAmong(clusters: readonly Cluster[], positions: readonly number[]): Bundle[] {
  const place = new Map(positions.map((at, i) => [at, i]));
  return clusters.flatMap((members) => {
    const there = members.flatMap((member) => {
      const at = place.get(member.at);
      return at === undefined ? [] : [{ ...member, at }];
    });
    return there.length === 0 ? [] : [bundleOf(there)];
  });
}
