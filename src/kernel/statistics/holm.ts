import { reachesLevel } from './table.ts';

/**
 * Holm's step-down procedure. If each test that rejects at one level also rejects at larger ones,
 * the family-wise error is at most alpha. Source: Holm 1979.
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

export function holmCalled<Item>(
  items: readonly Item[],
  pOf: (item: Item) => number,
  alpha: number,
): Item[] {
  const judges = new Map(
    items.map((item) => {
      const p = pOf(item);
      return [item, (level: number) => reachesLevel(p, level)];
    }),
  );
  const levels = holmLevels(judges, alpha);
  return items.filter((item) => judges.get(item)?.(levels.get(item) ?? 0));
}
