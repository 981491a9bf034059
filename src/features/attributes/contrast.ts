import { shuffleFront, type Random } from '../../kernel/statistics/random.ts';
import { at } from '../../kernel/statistics/sums.ts';
import type { CountedUnit, Fit, MemberGroup } from './loss-model.ts';

const STATISTIC_TOLERANCE = 1e-9;

/**
 * Tests whether a group's members dropped more than the rest of their stratum. A stratum has the
 * units (references or clusters) that belong to the same reported groups. Returns one-sided p
 * values, adjusted over all groups with max-T, which permutes each stratum's drops.
 *
 * z = U/√V, with U = Σ over members of d, where d is a drop minus its stratum's mean. V = ½ Σ over
 * strata of f Σ d² + ½ Σ over members of (1 − 2f) d², where f is the members' share of the stratum.
 */
export function contrastP(
  { strata }: Fit,
  groups: readonly MemberGroup[],
  { random, permutations }: { random: Random; permutations: number },
): Map<MemberGroup, number> {
  const blocks = strata.map(blockOf);
  const tested = groups.map((group) => {
    const parts = blocks.flatMap((block) => {
      const inside = block.units.flatMap((unit, i) => (group.has(unit) ? i : []));
      const share = inside.length / block.units.length;
      return share > 0 && share < 1 ? [{ inside, share, block }] : [];
    });
    return { group, parts, seen: zOf(parts), asExtreme: 0 };
  });
  for (let round = 0; round < permutations; round++) {
    for (const { order } of blocks) shuffleFront(order, order.length, random);
    const top = Math.max(...tested.map(({ parts }) => zOf(parts)));
    for (const own of tested) if (top >= own.seen - STATISTIC_TOLERANCE) own.asExtreme += 1;
  }
  return new Map(
    tested.map(({ group, asExtreme }) => [group, (1 + asExtreme) / (permutations + 1)]),
  );
}

interface ContrastBlock {
  units: readonly CountedUnit[];
  falls: Float64Array;
  order: Int32Array;
  squares: number;
}

function blockOf({ units, kept }: Fit['strata'][number]): ContrastBlock {
  const rate = ({ passes, tries }: CountedUnit['base']) => passes / tries;
  const raw = Float64Array.from(units, ({ base, head }) => kept * rate(base) - rate(head));
  const mean = raw.reduce((total, fall) => total + fall, 0) / raw.length;
  const falls = raw.map((fall) => fall - mean);
  const squares = falls.reduce((total, fall) => total + fall * fall, 0);
  return { units, falls, order: Int32Array.from(units, (_, i) => i), squares };
}

function zOf(
  parts: readonly { inside: readonly number[]; share: number; block: ContrastBlock }[],
): number {
  let [fall, spread] = [0, 0];
  for (const { inside, share, block } of parts) {
    spread += share * block.squares;
    for (const i of inside) {
      const own = at(block.falls, at(block.order, i));
      fall += own;
      spread += (1 - 2 * share) * own * own;
    }
  }
  return spread > STATISTIC_TOLERANCE ? fall / Math.sqrt(spread / 2) : 0;
}
