import { canDiffer, momentsOf, type Cluster } from '../../kernel/statistics/clusters.ts';
import { headMoments, headPasses } from '../../kernel/statistics/distributions.ts';
import { nextFloat, nextIndex, type Random } from '../../kernel/statistics/random.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { isInformative, type Table } from '../../kernel/statistics/table.ts';
import { unitsAmong } from './clusters.ts';

/**
 * `z`: standardized deviation of head's passes from the null mean; `p`: adjusted for all groups.
 */
interface GroupTest {
  z: number;
  p: number;
}

interface MaxTOptions {
  /** Default 9999. */
  permutations?: number;
  clusters?: readonly Cluster[];
}

/** Tolerance for statistics that are mathematically equal. */
const STATISTIC_TOLERANCE = 1e-12;

/**
 * Which groups of tables got worse, controlling the family-wise error: the step-down max-T of
 * Westfall and Young. z_j = Σ (passes on head − mean) / √Σ variance over the tables of group j.
 * Each permutation deals the tries within every table, for all groups at once, so correlated groups
 * cost less. Clusters are permuted as whole tries, also in the variance. With z ascending, p_(r) =
 * the running maximum of (1 + #{min over k >= r of z*_k <= z_(r)}) / (permutations + 1). `groups`:
 * positions of tables, may overlap. A group without an informative table has z = 0, p = 1. Mirror
 * the tables to test for better.
 *
 * Source: Westfall and Young 1993, algorithm 4.1 in its max-T form.
 */
export function stepDownMaxT(
  tables: readonly Table[],
  groups: readonly (readonly number[])[],
  random: Random,
  { permutations = 9999, clusters = [] }: MaxTOptions = {},
): GroupTest[] {
  const clustered = new Set(clusters.flatMap((members) => members.map(({ at }) => at)));
  const scale = groups.map((group) => {
    const units = unitsAmong(tables, clusters, group).filter(canDiffer);
    return Math.sqrt(sum(units.map((unit) => momentsOf(unit).variance)));
  });
  const inGroups = tables.map((): number[] => []);
  groups.forEach((group, j) => group.forEach((i) => inGroups[i]?.push(j)));
  const units = [
    ...tables.flatMap((table, i) => (clustered.has(i) ? [] : singleUnit(table, inGroups[i] ?? []))),
    ...clusters.map((members) => dealtTogether(members, inGroups)),
  ];
  const z = statistics(units, scale, null);
  const order = [...z.keys()].sort((i, j) => elementAt(z, i) - elementAt(z, j));

  const descending = order.toReversed();
  const asExtreme = new Float64Array(groups.length);
  for (let round = 0; round < permutations; round++) {
    const drawn = statistics(units, scale, random);
    let smallest = Infinity;
    for (const j of descending) {
      smallest = Math.min(smallest, elementAt(drawn, j));
      if (smallest <= elementAt(z, j) + STATISTIC_TOLERANCE)
        asExtreme[j] = elementAt(asExtreme, j) + 1;
    }
  }

  const p = new Float64Array(groups.length);
  let largest = 0;
  for (const j of order) {
    largest = Math.max(largest, (1 + elementAt(asExtreme, j)) / (permutations + 1));
    p[j] = largest;
  }
  return groups.map((_, j) => ({ z: elementAt(z, j), p: elementAt(p, j) }));
}

function statistics(
  units: readonly PermutationUnit[],
  scale: readonly number[],
  random: Random | null,
): Float64Array {
  const sums = new Float64Array(scale.length);
  const add = (inGroups: readonly number[], deviation: number): void => {
    for (const j of inGroups) sums[j] = elementAt(sums, j) + deviation;
  };
  for (const unit of units) unit(random, add);
  return sums.map((sum, j) => ((scale[j] ?? 0) > 0 ? sum / (scale[j] ?? 1) : 0));
}

function elementAt(values: Float64Array, i: number): number {
  return values[i] ?? 0;
}

/** A unit of permutation: passes its tables' groups, and head's passes minus their mean. */
type PermutationUnit = (
  random: Random | null,
  add: (inGroups: readonly number[], deviation: number) => void,
) => void;

function singleUnit(table: Table, inGroups: readonly number[]): PermutationUnit[] {
  if (!isInformative(table) || inGroups.length === 0) return [];
  const seen = table.head.passes - headMoments(table).mean;
  const draw = sampler(table);
  return [
    (random, add) => {
      add(inGroups, random === null ? seen : draw(nextFloat(random)));
    },
  ];
}

/** The members of a cluster: head's tries are the same for all. */
function dealtTogether(
  members: Cluster,
  groupsOf: readonly (readonly number[])[],
): PermutationUnit {
  const parts = members.map(({ at: table, base, head }) => {
    const tries = [...base, ...head];
    return {
      inGroups: groupsOf[table] ?? [],
      tries,
      mean: (sum(tries) * head.length) / tries.length,
    };
  });
  const [first] = members;
  const onBase = first?.base.length ?? 0;
  const all = onBase + (first?.head.length ?? 0);
  return (random, add) => {
    const order = Array.from({ length: all }, (_, i) => i);
    if (random !== null) shuffleEnd(order, onBase, random);
    const onHead = order.slice(onBase);
    for (const { inGroups, tries, mean } of parts)
      add(inGroups, sum(onHead.map((i) => tries[i] ?? 0)) - mean);
  };
}

/** Fisher–Yates from `from` on, with a random choice of all. */
function shuffleEnd(order: number[], from: number, random: Random): void {
  for (let i = order.length - 1; i >= from; i--) {
    const other = nextIndex(random, i + 1);
    [order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0];
  }
}

function sampler(table: Table): (uniform: number) => number {
  const { low, mass } = headPasses(table);
  const start = low - headMoments(table).mean;
  return (uniform) => {
    let [k, left] = [0, uniform];
    while (k < mass.length - 1 && left > (mass[k] ?? 1)) left -= mass[k++] ?? 1;
    return start + k;
  };
}
