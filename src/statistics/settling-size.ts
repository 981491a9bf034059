import { normalQuantile } from './normal.ts';
import type { Design } from './visible-drop.ts';

/** Nobody runs more; beyond these "more tries" or "more references" is no advice. */
const MOST = { tries: 100, references: 100_000 };

/**
 * What would settle "cannot tell" when in truth nothing changed: the tries a side (references as
 * they are), or the references (tries as they are), at which the low end of `differenceInterval`
 * lies above −tolerance with the given power: (z_{1−alpha} + z_power)·SE <= tolerance with SE² =
 * v(1/nB + 1/nH)/N + 2/(nB·nH·N²). Tolerance in 0–1. Null where no number up to 100 tries or
 * 100,000 references is enough.
 */
export function settlingSize(
  design: Design,
  tolerance: number,
  alpha = 0.05,
  power = 0.8,
): { tries: number | null; references: number | null } {
  const z = normalQuantile(1 - alpha) + normalQuantile(power);
  const settles = (references: number, base: number, head: number): boolean => {
    if (references === 0 || base === 0 || head === 0) return false;
    const square =
      (design.variance * (1 / base + 1 / head)) / references + 2 / (base * head * references ** 2);
    return z * Math.sqrt(square) <= tolerance;
  };
  return {
    tries: smallest(MOST.tries, (tries) => settles(design.references, tries, tries)),
    references: smallest(MOST.references, (references) =>
      settles(references, design.tries.base, design.tries.head),
    ),
  };
}

/** The smallest number from 1 to `most` that is enough; more is never worse. */
function smallest(most: number, isEnough: (value: number) => boolean): number | null {
  let [from, to] = [1, most + 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isEnough(middle)) to = middle;
    else from = middle + 1;
  }
  return from <= most ? from : null;
}
