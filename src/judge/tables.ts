import type { ReferenceRun } from '../plan/suite-run.ts';
import { outcomesOf } from '../plan/tries.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { meanOrNull } from '../statistics/sums.ts';
import { isComparable, countOutcomes, type Counts, type Table } from '../statistics/table.ts';
import { gatesByPreference, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';
import { pValue, counted, points, signed } from '../text/amounts.ts';
import type { Side } from '../types/plain.ts';

interface Comparison {
  better: 'head' | 'base' | 'tie';
}

/** The comparisons of one metric that could be read, one for each reference and try. */
function comparisons(metric: string, runs: readonly ReferenceRun[]): Comparison[] {
  return runs.flatMap(({ head }) =>
    head.flatMap(({ result }): Comparison[] => {
      const value = result.scores.find((score) => score.metric === metric)?.value;
      return typeof value === 'number'
        ? [{ better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie' }]
        : [];
    }),
  );
}

/**
 * One table for each comparison of the suite's first comparing metric: the side that is not
 * preferred fails. The suite's test on such tables is the sign test.
 */
export function preferenceTables({ metrics }: Tests, runs: readonly ReferenceRun[]): Table[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined
    ? []
    : comparisons(metric.name, runs).map(({ better }) => ({
        base: { passes: better === 'head' ? 0 : 1, tries: 1 },
        head: { passes: better === 'base' ? 0 : 1, tries: 1 },
      }));
}

/**
 * How base's and head's answers compare, by the suite's first comparing metric; null without one,
 * or without a comparison.
 */
export function preferenceOf(
  tests: Tests,
  runs: readonly ReferenceRun[],
): PreferenceSummary | null {
  const metric = tests.metrics.find(isPairwise);
  if (metric === undefined) return null;
  const found = comparisons(metric.name, runs);
  const count = (wanted: Comparison['better']): number =>
    found.filter(({ better }) => better === wanted).length;
  const tables = preferenceTables(tests, runs);
  const interval = differenceInterval(tables);
  if (interval === null) return null;
  const [head, base, ties] = [count('head'), count('base'), count('tie')];
  const p = suiteTest(tables).midDown;
  const gates = gatesByPreference(tests);
  return {
    metric: metric.name,
    head,
    base,
    ties,
    p,
    ...interval,
    gates,
    summary:
      `of ${counted(found.length, 'comparison')} head's answer is preferred in ${String(head)} and base's in ${String(base)}, ${String(ties)} are ties ` +
      `(${points(interval.difference)}, 90 % interval ${signed(interval.low)} to ${signed(interval.high)}, sign test ${pValue(p)})` +
      `${gates ? '' : '; advice only, since other metrics gate'}.`,
  };
}

/** The number of tries that every one of these runs has on the sides that can run. */
export function sharedTries(runs: readonly ReferenceRun[]): number {
  return runs.reduce((least, run) => {
    const lengths = (['base', 'head'] as const)
      .filter((side) => run.affected[side] !== null)
      .map((side) => run[side].length);
    return Math.min(least, ...lengths);
  }, Number.MAX_SAFE_INTEGER);
}

/**
 * Mean over references of their pass rate on one side, over tries [0, to); null when no try was
 * judged.
 */
export function meanRate(runs: readonly ReferenceRun[], side: Side, to: number): number | null {
  return meanOfCounts(runs.map((run) => countOutcomes(outcomesOf(run)[side].slice(0, to))));
}

/** Mean over tables with tries on both sides of one side's pass rate; null where there is none. */
export function meanOfTables(tables: readonly Table[], side: Side): number | null {
  return meanOfCounts(tables.filter(isComparable).map((table) => table[side]));
}

export function meanOfCounts(counts: readonly Counts[]): number | null {
  const rates = counts.filter(({ tries }) => tries > 0).map(({ passes, tries }) => passes / tries);
  return meanOrNull(rates);
}
