/**
 * Signed, with thousands separators in groups of three, decimals and an exponent; a hyphen after a
 * letter or digit is no sign.
 */
const NUMBER =
  /(?:(?<![\p{L}\p{N}])[-+−])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<!\d)\.\d+/gu;

/** Every finite number in a text, in order. `$1,024.50` is 1024.5; `3-5` is 3 and 5. */
export function numbersIn(text: string): number[] {
  return [...text.matchAll(NUMBER)]
    .map(([found]) => Number(found.replaceAll(',', '').replace('−', '-')))
    .filter(Number.isFinite);
}

/** The number a value stands for, when it is exactly one. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const found = numbersIn(value);
  return found.length === 1 && found[0] !== undefined ? found[0] : null;
}
