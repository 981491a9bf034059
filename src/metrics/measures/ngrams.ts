/** Between the words of an n-gram; white space never stands inside a word. */
const JOIN = ' ';

/** How often each run of `n` tokens occurs. */
export function countNgrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start + n <= tokens.length; start++) {
    const gram = n === 1 ? (tokens[start] ?? '') : tokens.slice(start, start + n).join(JOIN);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** Occurrences that both sides share, each n-gram clipped to the smaller count. */
export function overlap(
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
): number {
  let shared = 0;
  for (const [gram, count] of one) shared += Math.min(count, other.get(gram) ?? 0);
  return shared;
}

/** Weighted harmonic mean (1 + β²)PR ÷ (β²P + R); 0 when both are 0. */
export function fBeta(precision: number, recall: number, beta: number): number {
  const denominator = beta * beta * precision + recall;
  return denominator === 0 ? 0 : ((1 + beta * beta) * precision * recall) / denominator;
}
