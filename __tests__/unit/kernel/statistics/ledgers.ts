import type { SuiteLedger } from '../../../../src/kernel/statistics/ledger.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import type { Outcome } from '../../../../src/types/metric.ts';

const outcomes = (passes: string): Outcome[] =>
  [...passes].map((letter) => (letter === '1' ? 'pass' : 'fail'));

/** Tries of one reference, `1` for a pass and `0` for a failure. */
export const tried = (base: string, head: string): Tries => ({
  base: outcomes(base),
  head: outcomes(head),
});

export const repeat = <T>(count: number, value: T): T[] =>
  Array.from({ length: count }, () => value);

export const fine = (count: number, tries = 2): Tries[] =>
  repeat(count, tried('1'.repeat(tries), '1'.repeat(tries)));

export const broken = (tries: number): Tries => tried('1'.repeat(tries), '0'.repeat(tries));

export const healed = (tries: number): Tries => tried('0'.repeat(tries), '1'.repeat(tries));

export const ledger = (tries: readonly Tries[], own: Partial<SuiteLedger> = {}): SuiteLedger => ({
  columns: [{ metric: null, tries }],
  metrics: 1,
  blocks: tries.map(() => null),
  critical: new Set(),
  steady: new Set(),
  minDrop: 0.01,
  tolerance: 'auto',
  fixed: null,
  ...own,
});

/** By metric, the tries of each reference; together a try passes where all metrics pass. */
export function withMetrics(
  byMetric: Readonly<Record<string, readonly Tries[]>>,
  own: Partial<SuiteLedger> = {},
): SuiteLedger {
  const single = Object.entries(byMetric).map(([metric, tries]) => ({ metric, tries }));
  const [first] = single;
  const side = (at: number, which: 'base' | 'head'): Outcome[] =>
    first!.tries[at]![which].map((_, i) =>
      single.every(({ tries }) => tries[at]![which][i] === 'pass') ? 'pass' : 'fail',
    );
  const all = first!.tries.map((_, at) => ({ base: side(at, 'base'), head: side(at, 'head') }));
  const failing = single.filter(({ tries }) =>
    tries.some(({ base, head }) => [...base, ...head].includes('fail')),
  );
  return ledger(all, {
    columns: [{ metric: null, tries: all }, ...failing],
    metrics: single.length,
    ...own,
  });
}
