import { byCodeUnits } from '../../../text/order.ts';

export interface RankedTrace {
  group: number;
  /** Equal for what is equal, which also has an equal group. */
  rank: string;
  /** The lowest one of equal ones is chosen. */
  version: string;
  isUrgent: boolean;
}

/**
 * Chooses different items: urgent ones, then those of the groups in turn, by rank. To choose from the
 * chosen ones and from others gives the same as to choose from all, so urgent ones keep their turn.
 */
export function chooseTraces<T extends RankedTrace>(all: readonly T[], most: number): T[] {
  const ordered = all
    .toSorted((a, b) => byCodeUnits(a.rank, b.rank) || byCodeUnits(a.version, b.version))
    .filter(({ rank }, index, list) => rank !== list[index - 1]?.rank);
  return [...Map.groupBy(ordered, ({ group }) => group).values()]
    .flatMap((own) => own.map((item, index) => ({ item, round: item.isUrgent ? -1 : index })))
    .sort((a, b) => a.round - b.round || byCodeUnits(a.item.rank, b.item.rank))
    .slice(0, most)
    .map(({ item }) => item);
}
