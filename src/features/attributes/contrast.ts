import { shuffleFront, type Random } from '../../kernel/statistics/random.ts';
import { at } from '../../kernel/statistics/sums.ts';
import type { Fit, Group, CountedUnit } from './loss-model.ts';

/** Tolerance for comparing statistics that are mathematically equal. */
const STATISTIC_TOLERANCE = 1e-9;

/**
 * Adjusted one-sided p that a group's members fell more than the other units of their stratum,
 * beyond what the fit explains. Max-T: the falls of each stratum are permuted for all groups at
 * once.
 *
 * z = U/√V, with U = Σ over members of d, where d is a fall minus its stratum's mean, and
 * V = ½ Σ over strata of f Σ d² + ½ Σ over members of (1 − 2f) d², where f is the share of members
 * in the stratum: the mean of the pooled variance and one that differs inside and outside.
 */
export function contrastP(
  { strata }: Fit,
  groups: readonly Group[],
  { random, permutations }: { random: Random; permutations: number },
): Map<Group, number> {
  const units = strata.flatMap((stratum) => stratum.units);
  const falls = new Float64Array(units.length);
  let first = 0;
  const blocks = strata.map(({ units: own, kept }) => {
    const raw = own.map(({ base, head }) => kept * rate(base) - rate(head));
    const mean = raw.reduce((total, fall) => total + fall, 0) / raw.length;
    falls.set(
      raw.map((fall) => fall - mean),
      first,
    );
    const order = Int32Array.from(own, (_, i) => first + i);
    const squares = raw.reduce((total, fall) => total + (fall - mean) ** 2, 0);
    first += own.length;
    return { own, order, squares, first: order[0] ?? 0 };
  });
  const terms = groups.map((group) => contrastTerms(group, blocks));
  const seen = terms.map((own) => ({ z: zOf(own, falls), asExtreme: 0 }));
  const dealt = Float64Array.from(falls);
  for (let round = 0; round < permutations; round++) {
    for (const { order, first: from } of blocks) {
      shuffleFront(order, order.length, random);
      order.forEach((place, i) => {
        dealt[from + i] = at(falls, place);
      });
    }
    const top = terms.reduce((most, own) => Math.max(most, zOf(own, dealt)), -Infinity);
    for (const own of seen) if (top >= own.z - STATISTIC_TOLERANCE) own.asExtreme += 1;
  }
  return new Map(
    groups.map((group, i) => [
      group,
      (1 + (seen[i]?.asExtreme ?? permutations)) / (permutations + 1),
    ]),
  );
}

function rate({ passes, tries }: CountedUnit['base']): number {
  return passes / tries;
}

interface ContrastTerms {
  /** Positions of members in strata that also have other units. */
  members: Int32Array;
  /** 1 − 2f of each member's stratum. */
  slopes: Float64Array;
  /** Σ f Σ d², which no permutation changes. */
  fixed: number;
}

function contrastTerms(
  group: Group,
  blocks: readonly { own: readonly CountedUnit[]; first: number; squares: number }[],
): ContrastTerms {
  const parts = blocks.flatMap(({ own, first, squares }) => {
    const inside = own.flatMap((unit, i) => (group.has(unit) ? first + i : []));
    const share = inside.length / own.length;
    return share > 0 && share < 1 ? [{ inside, share, squares }] : [];
  });
  return {
    members: Int32Array.from(parts.flatMap(({ inside }) => inside)),
    slopes: Float64Array.from(
      parts.flatMap(({ inside, share }) => inside.map(() => 1 - 2 * share)),
    ),
    fixed: parts.reduce((total, { share, squares }) => total + share * squares, 0),
  };
}

function zOf({ members, slopes, fixed }: ContrastTerms, falls: Float64Array): number {
  let fall = 0;
  let spread = fixed;
  for (let i = 0; i < members.length; i++) {
    const own = at(falls, at(members, i));
    fall += own;
    spread += at(slopes, i) * own * own;
  }
  return spread > STATISTIC_TOLERANCE ? fall / Math.sqrt(spread / 2) : 0;
}
