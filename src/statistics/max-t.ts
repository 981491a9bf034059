import { headMoments, headPasses } from './distributions.ts';
import { nextFloat, type Random } from './random.ts';
import { isInformative, type Table } from './table.ts';

/**
 * `z`: head's passes against what "nothing changed" expects, in standard deviations; `p`: adjusted
 * for all groups.
 */
export interface GroupTest {
  z: number;
  p: number;
}

/** Rounding slack between statistics that are equal on paper. */
const SLACK = 1e-12;

/**
 * Which groups of tables got worse, with one error level for all of them: the step-down max-T of
 * Westfall and Young. z_j = Σ (passes on head − mean) / √Σ variance over the tables of group j. In
 * each permutation the tries are dealt anew within every table, for all groups together, so that
 * groups sharing tables are no dearer than they have to be. With z ascending, p_(r) = the running
 * maximum of (1 + #{min over k >= r of z*_k <= z_(r)}) / (permutations + 1). `groups`: positions of
 * tables, which may overlap. A group without an informative table has z = 0 and p = 1. Mirror the
 * tables to ask for better.
 *
 * Source: Westfall and Young 1993, algorithm 4.1 in its max-T form.
 */
export function stepDownMaxT(
  tables: readonly Table[],
  groups: readonly (readonly number[])[],
  random: Random,
  permutations = 9999,
): GroupTest[] {
  const scale = groups.map((group) =>
    Math.sqrt(group.reduce((sum, i) => sum + variance(tables[i]), 0)),
  );
  const members = informative(tables, groups);
  const z = statistics(members, scale, ({ seen }) => seen);
  const order = [...z.keys()].sort((i, j) => at(z, i) - at(z, j));

  const asExtreme = new Float64Array(groups.length);
  for (let round = 0; round < permutations; round++) {
    const drawn = statistics(members, scale, ({ draw }) => draw(nextFloat(random)));
    let smallest = Infinity;
    for (const j of order.toReversed()) {
      smallest = Math.min(smallest, at(drawn, j));
      if (smallest <= at(z, j) + SLACK) asExtreme[j] = at(asExtreme, j) + 1;
    }
  }

  const p = new Float64Array(groups.length);
  let largest = 0;
  for (const j of order) {
    largest = Math.max(largest, (1 + at(asExtreme, j)) / (permutations + 1));
    p[j] = largest;
  }
  return groups.map((_, j) => ({ z: at(z, j), p: at(p, j) }));
}

/** Each group's sum of the members' deviations, in standard deviations. */
function statistics(
  members: readonly Member[],
  scale: readonly number[],
  deviation: (member: Member) => number,
): Float64Array {
  const sums = new Float64Array(scale.length);
  for (const member of members) {
    const own = deviation(member);
    for (const j of member.inGroups) sums[j] = at(sums, j) + own;
  }
  return sums.map((sum, j) => ((scale[j] ?? 0) > 0 ? sum / (scale[j] ?? 1) : 0));
}

/** Typed arrays hold a number at every position that is asked for here. */
function at(values: Float64Array, i: number): number {
  return values[i] ?? 0;
}

/**
 * A table's groups, and head's passes minus their mean: as seen, and as a sampler of what they
 * could have been.
 */
interface Member {
  inGroups: number[];
  seen: number;
  draw: (uniform: number) => number;
}

/** The tables that can move a statistic. */
function informative(tables: readonly Table[], groups: readonly (readonly number[])[]): Member[] {
  const inGroups = tables.map((): number[] => []);
  groups.forEach((group, j) => group.forEach((i) => inGroups[i]?.push(j)));
  return tables.flatMap((table, i) => {
    const own = inGroups[i] ?? [];
    return isInformative(table) && own.length > 0
      ? [{ inGroups: own, seen: table.head.passes - headMoments(table).mean, draw: sampler(table) }]
      : [];
  });
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

function variance(table: Table | undefined): number {
  return table !== undefined && isInformative(table) ? headMoments(table).variance : 0;
}
