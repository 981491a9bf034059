/**
 * Pairs as many entries as possible (augmenting paths; Kuhn 1955, Berge 1957). The result maps
 * positions in `right` to positions in `left`.
 */
export function maximumPairs<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  fits: (left: Left, right: Right) => boolean,
): Map<number, number> {
  const partners = new Map<number, number>();
  const fitting = left.map((entry) =>
    right.flatMap((other, index) => (fits(entry, other) ? [index] : [])),
  );
  let seen = new Set<number>();
  const augments = (entry: number) => {
    const open = (fitting[entry] ?? []).filter((other) => !seen.has(other));
    const free = open.find((other) => !partners.has(other));
    if (free !== undefined) {
      partners.set(free, entry);
      return true;
    }
    for (const other of open) {
      const partner = partners.get(other);
      if (seen.has(other) || partner === undefined) continue;
      seen.add(other);
      if (!augments(partner)) continue;
      partners.set(other, entry);
      return true;
    }
    return false;
  };
  for (let entry = 0; entry < left.length; entry++) {
    if (augments(entry)) seen = new Set();
  }
  return partners;
}
