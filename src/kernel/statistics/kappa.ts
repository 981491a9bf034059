import { sum } from './sums.ts';

/**
 * Cohen's kappa of two graders: 1 − observed / expected disagreement. `table[i][j]`: items in
 * category i for the first grader and j for the second; square. 1 is perfect agreement, 0 chance.
 * Null without items, and when both graders used only one and the same category. Source: Cohen
 * 1960.
 */
export function cohenKappa(table: readonly (readonly number[])[]): number | null {
  const rows = table.map((row) => sum(row));
  const columns = table.map((_, j) => sum(table.map((row) => row[j] ?? 0)));
  const items = sum(rows);
  let [observed, expected] = [0, 0];
  table.forEach((row, i) =>
    row.forEach((count, j) => {
      if (i === j) return;
      observed += count;
      expected += ((rows[i] ?? 0) * (columns[j] ?? 0)) / items;
    }),
  );
  return items > 0 && expected > 0 ? 1 - observed / expected : null;
}

/**
 * Fleiss' kappa: (P − Pe) / (1 − Pe). `counts[i][j]`: ratings of item i in category j; every item
 * has the same number of ratings, at least two. 1 is perfect agreement, 0 chance. Null without
 * items or pairs of ratings, and when all ratings are in one category. Source: Fleiss 1971.
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
