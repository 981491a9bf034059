/**
 * Fleiss' kappa of several ratings an item: (P − Pe) / (1 − Pe). `counts[i][j]`: ratings of item i
 * in category j; every item has the same number of ratings, two at least. 1 is perfect agreement, 0
 * what chance gives. Null without items or pairs of ratings, and where every rating is in one
 * category.
 *
 * Source: Fleiss 1971.
 */
export function fleissKappa(counts: readonly (readonly number[])[]): number | null {
  const ratings = (counts[0] ?? []).reduce((total, count) => total + count, 0);
  if (ratings < 2) return null;
  const shares = (counts[0] ?? []).map(
    (_, j) => counts.reduce((total, row) => total + (row[j] ?? 0), 0) / (counts.length * ratings),
  );
  const agreeing = counts.reduce(
    (total, row) => total + row.reduce((squares, count) => squares + count * count, 0) - ratings,
    0,
  );
  const observed = agreeing / (counts.length * ratings * (ratings - 1));
  const expected = shares.reduce((total, share) => total + share * share, 0);
  return expected < 1 ? (observed - expected) / (1 - expected) : null;
}
