/**
 * Holm's adjusted p-values in the order of `p`: p_(k) becomes the running maximum of min(1, (m − k
 * + 1)·p_(k)).
 *
 * Source: Holm 1979.
 */
export function holm(p: readonly number[]): number[] {
  const order = [...p.keys()].sort((i, j) => (p[i] ?? 1) - (p[j] ?? 1));
  const adjusted = p.map(() => 1);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (p.length - rank) * (p[i] ?? 1)));
    adjusted[i] = largest;
  });
  return adjusted;
}
