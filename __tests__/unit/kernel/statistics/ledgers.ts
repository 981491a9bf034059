import type { LedgerReference, SuiteLedger } from '../../../../src/kernel/plan/ledger.ts';
import type { RunState } from '../../../../src/kernel/plan/policy.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import type { Outcome } from '../../../../src/types/metric.ts';

const outcomes = (passes: string): Outcome[] =>
  [...passes].map((letter) => (letter === '1' ? 'pass' : 'fail'));

/** Tries of one reference: `1` is a pass, `0` a failure. */
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

export const reference = (tries: Tries, own: Partial<LedgerReference> = {}): LedgerReference => ({
  tries,
  metrics: new Map(),
  judgedBy: 1,
  cluster: null,
  isCritical: false,
  isSteady: false,
  isAwaited: false,
  planned: Infinity,
  ...own,
});

type OwnOf = (at: number) => Partial<LedgerReference>;

const ledgerOf = (references: LedgerReference[], isAdaptive = true): SuiteLedger => ({
  references,
  isAdaptive,
  minDrop: 0.01,
  tolerance: 'auto',
  hasOpenShare: () => false,
});

/** `ownOf` returns overrides for the reference at an index. */
export const ledger = (tries: readonly Tries[], ownOf: OwnOf = () => ({})): SuiteLedger =>
  ledgerOf(tries.map((own, at) => reference(own, ownOf(at))));

/** A ledger with a fixed number of tries. */
export const fixed = (tries: readonly Tries[], planned: number, ownOf: OwnOf = () => ({})) =>
  ledgerOf(
    tries.map((own, at) => reference(own, { planned, ...ownOf(at) })),
    false,
  );

/** A ledger from the tries of each metric. A try passes if it passes in all metrics. */
export function withMetrics(
  byMetric: Readonly<Record<string, readonly Tries[]>>,
  ownOf: OwnOf = () => ({}),
): SuiteLedger {
  const single = Object.entries(byMetric);
  const side = (at: number, which: 'base' | 'head'): Outcome[] =>
    single[0]![1][at]![which].map((_, i) =>
      single.every(([, tries]) => tries[at]![which][i] === 'pass') ? 'pass' : 'fail',
    );
  const all = single[0]![1].map((_, at) => ({ base: side(at, 'base'), head: side(at, 'head') }));
  const fails = ({ base, head }: Tries) => [...base, ...head].includes('fail');
  return ledger(all, (at) => ({
    metrics: new Map(
      single.flatMap(([metric, tries]) => (fails(tries[at]!) ? [[metric, tries[at]!]] : [])),
    ),
    judgedBy: single.length,
    ...ownOf(at),
  }));
}

/** For each suite, the indices of the references that satisfy `is`. */
export const positions = (
  { suites }: RunState,
  is: (own: RunState['suites'][number]['references'][number]) => boolean,
): number[][] =>
  suites.map(({ references }) => references.flatMap((own, at) => (is(own) ? at : [])));

/** For each suite, the next number of tries by index of the reference. */
export const wantedOf = ({ suites }: RunState): Map<number, number>[] =>
  suites.map(
    ({ references }) =>
      new Map(references.flatMap(({ wanted }, at) => (wanted === null ? [] : [[at, wanted]]))),
  );
