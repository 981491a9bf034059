import { ENDING_KINDS, ENDS_AS, type EndingKind } from '../kernel/result/endings.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import { SIDES } from '../types/plain.ts';

const WORDS: Readonly<Record<EndingKind, string>> = {
  empty: 'empty',
  cut: 'cut at a limit of tokens',
  withheld: 'filtered or refused without an explanation',
  refused: 'filtered or refused',
  unknown: 'ended for a reason that evaldiff does not know',
};

/** For example `cut at a limit of tokens: base 0 of 24, head 24 of 24`. */
export function endingShares(references: readonly ReferenceResult[]): string[] {
  const sides = SIDES.map((side) => ({
    side,
    tries: references.flatMap((reference) => reference[side]?.tries ?? []),
  })).filter(({ tries }) => tries.length > 0);
  return ENDING_KINDS.flatMap((kind) => {
    const such = sides.flatMap(({ tries }) => tries.filter(ENDS_AS[kind]));
    if (such.length === 0) return [];
    const counts = sides.map(
      ({ side, tries }) => `${side} ${tries.filter(ENDS_AS[kind]).length} of ${tries.length}`,
    );
    const reasons = [...new Set(such.flatMap(({ ended_as }) => ended_as ?? []))];
    const named = kind === 'unknown' ? ` (${reasons.join(', ')})` : '';
    return [`${WORDS[kind]}${named}: ${counts.join(', ')}`];
  });
}
