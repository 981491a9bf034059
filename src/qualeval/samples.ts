import type { AttributeSample, Side } from '../types.ts';
import type { Table } from '../statistics/table.ts';
import { isComparable } from '../statistics/table.ts';
import { SKILL_DISTANCE, type SkillPair } from './alignment.ts';

/** Samples of a kind per attribute. */
const MOST = 3;

/**
 * The references of an attribute whose pass rate fell most, largest first, of equals those that
 * belong to it most. One that did not fall, or does not belong there at all (weight 0, put there to
 * fill a place), is no sample.
 */
export function largestDrops(
  references: readonly { id: string; table: Table; weight: number }[],
): AttributeSample[] {
  return references
    .filter(({ table, weight }) => isComparable(table) && weight > 0)
    .map(({ id, weight, table: { base, head } }) => ({
      id,
      weight,
      base: base.passes / base.tries,
      head: head.passes / head.tries,
    }))
    .filter(({ base, head }) => head < base)
    .sort(
      (a, b) =>
        a.head - a.base - (b.head - b.base) || b.weight - a.weight || (a.id < b.id ? -1 : 1),
    )
    .slice(0, MOST)
    .map(({ id, base, head }) => ({ kind: 'drop', reference: id, base, head }));
}

/**
 * The references whose answer shows clearly more or less of a sub-task than the expected one,
 * largest distance first, head's before base's.
 */
export function otherSkills(
  pairs: Readonly<Record<Side, readonly SkillPair[]>>,
): AttributeSample[] {
  const far = (['head', 'base'] as const).flatMap((side) =>
    pairs[side].flatMap(({ reference, expected, output }) =>
      expected === null || output === null || Math.abs(expected - output) <= SKILL_DISTANCE
        ? []
        : [{ kind: 'skill' as const, reference, side, expected, output }],
    ),
  );
  return far
    .sort(
      (a, b) =>
        Math.abs(b.expected - b.output) - Math.abs(a.expected - a.output) ||
        (a.side === b.side ? (a.reference < b.reference ? -1 : 1) : a.side === 'head' ? -1 : 1),
    )
    .slice(0, MOST);
}
