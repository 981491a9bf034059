import type { AttributeSample, Side } from '../types.ts';
import type { Table } from '../statistics/table.ts';
import { isComparable } from '../statistics/table.ts';
import { SKILL_DISTANCE, type SkillPair } from './alignment.ts';

/** Samples of a kind per attribute. */
const MOST = 3;

/** The references of an attribute whose pass rate fell most, largest first; those that did not fall are no samples. */
export function largestDrops(references: readonly { id: string; table: Table }[]): AttributeSample[] {
  return references.filter(({ table }) => isComparable(table))
    .map(({ id, table: { base, head } }) => ({ kind: 'drop' as const, reference: id, base: base.passes / base.tries, head: head.passes / head.tries }))
    .filter(({ base, head }) => head < base)
    .sort((a, b) => (a.head - a.base) - (b.head - b.base) || (a.reference < b.reference ? -1 : 1))
    .slice(0, MOST);
}

/** The references whose answer shows clearly more or less of a sub-task than the expected one, largest distance first, head's before base's. */
export function otherSkills(pairs: Readonly<Record<Side, readonly SkillPair[]>>): AttributeSample[] {
  const far = (['head', 'base'] as const).flatMap((side) => pairs[side].flatMap(({ reference, expected, output }) => (
    expected === null || output === null || Math.abs(expected - output) <= SKILL_DISTANCE ? [] : [{ kind: 'skill' as const, reference, side, expected, output }])));
  return far.sort((a, b) => Math.abs(b.expected - b.output) - Math.abs(a.expected - a.output) || (a.side === b.side ? (a.reference < b.reference ? -1 : 1) : a.side === 'head' ? -1 : 1)).slice(0, MOST);
}
