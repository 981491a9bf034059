/** A share as people read it: `84.0 %`; `–` when nothing was judged. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** A difference of shares: `−6.0 points`, with a real minus sign. */
export function points(difference: number | null): string {
  return difference === null ? '–' : `${signed(difference)} points`;
}

/** A difference of shares in points without the word: `−6.0`. */
export function signed(difference: number): string {
  const text = Math.abs(difference * 100).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return `${difference < 0 ? '−' : '+'}${text}`;
}

/** `1 reference`, `2 references`. */
export function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
