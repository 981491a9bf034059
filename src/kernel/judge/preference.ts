import type { ReferenceRun } from '../plan/suite-run.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { countTable, type Table, type Tries } from '../statistics/table.ts';
import { gatesByPreference, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';

interface Comparison {
  better: 'head' | 'base' | 'tie';
}

function comparisons(metric: string, runs: readonly ReferenceRun[]): Comparison[] {
  return runs.flatMap(({ head }) =>
    head.flatMap(({ byHead }): Comparison[] => {
      const value = byHead.scores.find((score) => score.metric === metric)?.value;
      return typeof value === 'number'
        ? [{ better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie' }]
        : [];
    }),
  );
}

/** One try per comparison: the side not preferred fails, so the suite's test is the sign test. */
export function preferenceTries({ metrics }: Tests, runs: readonly ReferenceRun[]): Tries[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined
    ? []
    : comparisons(metric.name, runs).map(({ better }) => ({
        base: [better === 'head' ? 'fail' : 'pass'],
        head: [better === 'base' ? 'fail' : 'pass'],
      }));
}

export function preferenceTables(tests: Tests, runs: readonly ReferenceRun[]): Table[] {
  return preferenceTries(tests, runs).map((tries) => countTable(tries));
}

/** By the suite's first comparing metric; null without one, or without a comparison. */
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
  };
}
