/**
 * Cohen's kappa of two raters: 1 − Σ w·observed / Σ w·expected, with w the distance of two
 * categories (by default 0 when equal, else 1). `table[i][j]`: items that the first rater put into
 * category i and the second into j; square. 1 is perfect agreement, 0 what chance gives. Null
 * without items, and where chance alone already agrees on everything (both raters used one and the
 * same category).
 *
 * Sources: Cohen 1960 and 1968.
 */
export function cohenKappa(
  table: readonly (readonly number[])[],
  weights: 'equal' | 'linear' | 'quadratic' = 'equal',
): number | null {
  const rows = table.map((row) => sum(row));
  const columns = table.map((_, j) => sum(table.map((row) => row[j] ?? 0)));
  const items = sum(rows);
  let [observed, expected] = [0, 0];
  table.forEach((row, i) =>
    row.forEach((count, j) => {
      const apart = distance(i, j, table.length, weights);
      observed += apart * count;
      expected += (apart * (rows[i] ?? 0) * (columns[j] ?? 0)) / items;
    }),
  );
  return items > 0 && expected > 0 ? 1 - observed / expected : null;
}

function distance(
  i: number,
  j: number,
  categories: number,
  weights: 'equal' | 'linear' | 'quadratic',
): number {
  if (i === j) return 0;
  if (weights === 'equal') return 1;
  const share = Math.abs(i - j) / (categories - 1);
  return weights === 'linear' ? share : share * share;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
