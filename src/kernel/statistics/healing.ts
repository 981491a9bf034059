import { evidenceOf, tryPairs, type PairedTry } from './evidence.ts';
import type { Tries } from './table.ts';

/** False-discovery rate of "healed" over all references of a run. Nothing gates on it. */
const LEVEL = 0.05;

/** A reference looks healed if in this many first pairs base always failed and head never did. */
const FIRST_PAIRS = 2;

export const MOST_HEALING_PAIRS = 9;

/** A candidate with less evidence is cleared. */
const LEAST_EVIDENCE = 1;

interface Healing {
  /** Positions of references that are called healed. */
  healed: number[];
  /** Positions of candidates that one more pair could settle, of the first `most` ones. */
  open: number[];
}

/**
 * References that failed on base and pass on head: the e-values of "got worse" with the sides
 * exchanged, called by e-BH, so at most 5 % of the calls are wrong on average, whenever one stops.
 *
 * Source: Wang and Ramdas 2022 (e-BH).
 */
export function findHealed(tries: readonly Tries[], most = Infinity): Healing {
  const pairs = tries.map(tryPairs);
  const values = tries.map(healingEvidence);
  const q = evidenceFdr(values);
  const candidates = [...pairs.keys()].filter((at) => isCandidate(pairs[at] ?? []));
  const isHealed = (at: number): boolean => (q[at] ?? 1) <= LEVEL;
  const healed = candidates.filter(isHealed);
  const open = candidates
    .slice(0, most)
    .filter(
      (at) =>
        !isHealed(at) &&
        (pairs[at]?.length ?? 0) < MOST_HEALING_PAIRS &&
        (values[at] ?? 0) >= LEAST_EVIDENCE,
    );
  return { healed, open };
}

/** E-value that head passes more often than base. */
export function healingEvidence(tries: Tries): number {
  return evidenceOf(tryPairs(tries).map(({ base, head }) => ({ base: head, head: base })));
}

function isCandidate(pairs: readonly PairedTry[]): boolean {
  const first = pairs.slice(0, FIRST_PAIRS);
  return first.length === FIRST_PAIRS && first.every(({ base, head }) => !base && head);
}

/**
 * By position, the least false-discovery rate at which e-BH calls it, 0–1: the least n / (j·e_(j))
 * over its own rank and all later ones, with e_(j) the j-th largest of n e-values.
 */
export function evidenceFdr(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
  const q = values.map(() => 1);
  let least = 1;
  order.forEach((at, fromLast) => {
    least = Math.min(least, values.length / ((values.length - fromLast) * (values[at] ?? 0)));
    q[at] = least;
  });
  return q;
}
