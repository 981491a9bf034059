import type { Side } from '../types.ts';

/** Scores further apart than this are another skill: A.3 of the paper. */
export const SKILL_DISTANCE = 1;

/**
 * An attribute's affinity of a reference's expected answer and of an answer given to it; null where
 * one is unscored.
 */
export interface SkillPair {
  reference: string;
  expected: number | null;
  output: number | null;
}

/**
 * Share of references whose answer's affinity is more than 1 away from the expected answer's: lower
 * is better. Null when nothing was rated on both.
 */
export function misalignment(pairs: readonly SkillPair[]): number | null {
  const rated = pairs.flatMap(({ expected, output }) =>
    expected === null || output === null ? [] : [Math.abs(expected - output)],
  );
  return rated.length === 0
    ? null
    : rated.filter((distance) => distance > SKILL_DISTANCE).length / rated.length;
}

/**
 * Of both sides, the references whose answers were rated on both: shares of different references
 * would differ without any answer doing so. Where there is one side only, as in a sweep, all of it.
 */
export function inCommon({ base, head }: Record<Side, SkillPair[]>): Record<Side, SkillPair[]> {
  if (base.length === 0 || head.length === 0) return { base, head };
  const rated = (pairs: readonly SkillPair[]): Set<string> =>
    new Set(pairs.flatMap(({ reference, output }) => (output === null ? [] : [reference])));
  const [onBase, onHead] = [rated(base), rated(head)];
  const onBoth = (pairs: readonly SkillPair[]): SkillPair[] =>
    pairs.filter(({ reference }) => onBase.has(reference) && onHead.has(reference));
  return { base: onBoth(base), head: onBoth(head) };
}
