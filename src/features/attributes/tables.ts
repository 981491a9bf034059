import { isComparable, type Table } from '../../kernel/statistics/table.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Side } from '../../types/plain.ts';
import { SKILL_DISTANCE, type SkillPair } from './affinity.ts';
import type { AttributeSample } from './result.ts';

const MAX_SAMPLES = 3;

export function largestDrops(
  references: readonly { id: string; table: Table; affinity: number }[],
): AttributeSample[] {
  return references
    .filter(({ table }) => isComparable(table))
    .map(({ id, affinity, table: { base, head } }) => ({
      id,
      affinity,
      base: base.passes / base.tries,
      head: head.passes / head.tries,
    }))
    .filter(({ base, head }) => head < base)
    .sort(
      (a, b) =>
        a.head - a.base - (b.head - b.base) || b.affinity - a.affinity || byCodeUnits(a.id, b.id),
    )
    .slice(0, MAX_SAMPLES)
    .map(({ id, base, head }) => ({ kind: 'drop', reference: id, base, head }));
}

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
        byCodeUnits(b.side, a.side) ||
        byCodeUnits(a.reference, b.reference),
    )
    .slice(0, MAX_SAMPLES);
}
