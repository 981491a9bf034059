export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** NaN if there are no values. Correct even if the sum overflows. */
export function mean(values: readonly number[]): number {
  const total = sum(values);
  const n = values.length;
  return Number.isFinite(total) ? total / n : sum(values.map((value) => value / n));
}

export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

export function at(values: ArrayLike<number>, place: number): number {
  return values[place] ?? 0;
}
