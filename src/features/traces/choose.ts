import { byCodeUnits } from '../../text/order.ts';

/** Bounds the memory, with `2 * most` items in each group. */
const MAX_STRATA = 64;

/** The group whose items are chosen before others. */
export const FIRST = '';

/** Equal items have equal ranks. The first of them counts. */
type Group<T> = Map<string, T>;

export interface Choice<T> {
  add(group: string, rank: string, item: T): void;
  chosen(): T[];
}

/** Draws at most `most` different items: from each group in turn those with the lowest ranks. */
export function createChoice<T>(most: number): Choice<T> {
  const groups = new Map<string, Group<T>>();
  const lowest = (group: Group<T>) =>
    [...group].sort(([a], [b]) => byCodeUnits(a, b)).slice(0, most);
  return {
    add(given, rank, item) {
      const name =
        groups.size < MAX_STRATA || groups.has(given) || given === FIRST ? given : 'other';
      const group = groups.get(name) ?? new Map<string, T>();
      if (!group.has(rank)) group.set(rank, item);
      groups.set(name, group.size < 2 * most ? group : new Map(lowest(group)));
    },
    chosen() {
      const rounds = [...groups].flatMap(([name, group]) =>
        lowest(group).map((entry, index) => ({ round: name === FIRST ? -1 : index, entry })),
      );
      const ordered = rounds.sort(
        (a, b) => a.round - b.round || byCodeUnits(a.entry[0], b.entry[0]),
      );
      const distinct = new Map<string, T>();
      for (const { entry } of ordered) if (!distinct.has(entry[0])) distinct.set(...entry);
      return [...distinct.values()].slice(0, most);
    },
  };
}
