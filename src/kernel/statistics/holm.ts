/**
 * Holm's step-down for judges that share alpha: each gets alpha / M; those that fire are removed and
 * the others get alpha / (number left), until none fires. Returns the level of each. The
 * family-wise error is at most alpha if a judge that fires at one level fires at every larger one.
 * Source: Holm 1979.
 */
export function holmLevels<Key>(
  judges: ReadonlyMap<Key, (level: number) => boolean>,
  alpha: number,
): Map<Key, number> {
  const levels = new Map<Key, number>();
  let open = [...judges];
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const [key] of open) levels.set(key, level);
    const left = open.filter(([, fires]) => !fires(level));
    if (left.length === open.length) break;
    open = left;
  }
  return levels;
}

/** Holm's adjusted p-values, in the order of `p`. */
export function holm(p: readonly number[]): number[] {
  const sorted = p.toSorted((a, b) => a - b);
  const adjusted = new Map<number, number>();
  sorted.reduce((largest, value, rank) => {
    const own = Math.max(largest, Math.min(1, value * (p.length - rank)));
    if (!adjusted.has(value)) adjusted.set(value, own);
    return own;
  }, 0);
  return p.map((value) => adjusted.get(value) ?? 1);
}
