/** Scores further apart than this are another skill: A.3 of the paper. */
export const SKILL_DISTANCE = 1;

/** An attribute's affinity of a reference's expected answer and of an answer given to it; null where one is unscored. */
export interface SkillPair { reference: string; expected: number | null; output: number | null }

/** Share of references whose answer's affinity is more than 1 away from the expected answer's: lower is better. Null when nothing was rated on both. */
export function misalignment(pairs: readonly SkillPair[]): number | null {
  const rated = pairs.flatMap(({ expected, output }) => (expected === null || output === null ? [] : [Math.abs(expected - output)]));
  return rated.length === 0 ? null : rated.filter((distance) => distance > SKILL_DISTANCE).length / rated.length;
}
