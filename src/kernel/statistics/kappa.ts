import { at, sum } from './sums.ts';

/**
 * Cohen's kappa of two graders: 1 − observed / expected disagreement. `table[i][j]`: items with
 * category i by the first grader and j by the second. Null without items, or if there is only one
 * category. Source: Cohen 1960.
 */
export function cohenKappa(table: readonly (readonly number[])[]): number | null {
  const rows = table.map((row) => sum(row));
  const columns = table.map((_, j) => sum(table.map((row) => row[j] ?? 0)));
  const items = sum(rows);
  let observed = 0;
  let expected = 0;
  table.forEach((row, i) =>
    row.forEach((count, j) => {
      if (i === j) return;
      observed += count;
      expected += (at(rows, i) * at(columns, j)) / items;
    }),
  );
  return items > 0 && expected > 0 ? 1 - observed / expected : null;
}
