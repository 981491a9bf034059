import type { Distribution } from './distribution.ts';
import { certain } from './distribution.ts';
import type { Table } from './table.ts';
import { isInformative } from './table.ts';

/**
 * Passes on head when the table's tries are dealt to the sides at random, totals kept: K ~
 * Hypergeometric(M, t, nH) with M tries, t passes, nH tries on head. The ratio of neighbours, from
 * the mode outwards, needs no factorials: P(k + 1) / P(k) = (t − k)(nH − k) / ((k + 1)(nB − t + k +
 * 1)).
 */
export function headPasses(table: Table): Distribution {
  if (!isInformative(table)) return certain(table.head.passes);
  const [passes, base, head] = [
    table.base.passes + table.head.passes,
    table.base.tries,
    table.head.tries,
  ];
  const [low, high] = [Math.max(0, passes - base), Math.min(passes, head)];
  const ratio = (k: number): number =>
    ((passes - k) * (head - k)) / ((k + 1) * (base - passes + k + 1));
  const mode = Math.floor(((passes + 1) * (head + 1)) / (base + head + 2));

  const mass = new Float64Array(high - low + 1);
  mass[mode - low] = 1;
  for (let k = mode; k < high; k++) mass[k + 1 - low] = (mass[k - low] ?? 0) * ratio(k);
  for (let k = mode - 1; k >= low; k--) mass[k - low] = (mass[k + 1 - low] ?? 0) / ratio(k);
  const total = mass.reduce((sum, value) => sum + value, 0);
  return { low, mass: mass.map((value) => value / total) };
}

/** Mean t·nH/M and variance t·nH·nB·(M − t)/(M²(M − 1)) of `headPasses`. */
export function headMoments({ base, head }: Table): { mean: number; variance: number } {
  const [passes, tries] = [base.passes + head.passes, base.tries + head.tries];
  if (tries < 2) return { mean: head.passes, variance: 0 };
  const variance =
    (passes * head.tries * base.tries * (tries - passes)) / (tries * tries * (tries - 1));
  return { mean: (passes * head.tries) / tries, variance };
}
