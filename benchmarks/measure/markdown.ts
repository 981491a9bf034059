/** A Markdown table. The first columns are text, the others are figures. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  texts = 1,
): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(titles),
    row(titles.map((_, index) => (index < texts ? '---' : '---:'))),
    ...rows.map(row),
  ].join('\n');
}

/** The median, with the range of several values in brackets: `1.20 (1.10–1.40)`. */
export function spread(
  values: readonly number[],
  format: (value: number) => string = rounded,
): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = NaN, high = NaN] = [sorted[0], sorted.at(-1)];
  const shown = format(median(values));
  return format(low) === format(high) ? shown : `${shown} (${format(low)}–${format(high)})`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [left = NaN, right = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (left + right) / 2;
}

/** Three significant figures, thousands with a comma. */
export function rounded(value: number): string {
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const digits = Math.min(2, Math.max(0, 2 - magnitude));
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
