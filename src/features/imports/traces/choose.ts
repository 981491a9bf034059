import { byCodeUnits } from '../../../text/order.ts';

export interface RankedTrace {
  group: number;
  /** Equal for what is equal. */
  rank: string;
}

/**
 * Chooses different items: those of group 0, then of the other groups in turn, by rank. To choose from
 * the chosen ones and from others gives the same as to choose from all.
 */
export function chooseTraces<T extends RankedTrace>(all: readonly T[], most: number): T[] {
  const ordered = all
    .toSorted((a, b) => byCodeUnits(a.rank, b.rank) || a.group - b.group)
    .filter(({ rank }, index, list) => rank !== list[index - 1]?.rank);
  return [...Map.groupBy(ordered, ({ group }) => group)]
    .flatMap(([group, own]) => own.map((item, index) => ({ item, round: group && index + 1 })))
    .sort((a, b) => a.round - b.round || byCodeUnits(a.item.rank, b.item.rank))
    .slice(0, most)
    .map(({ item }) => item);
}
