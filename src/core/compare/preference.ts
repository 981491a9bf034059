import type { PreferenceSummary, Tests } from '../../types.ts';
import { differenceInterval } from '../../statistics/interval.ts';
import { suiteTest } from '../../statistics/suite-test.ts';
import type { Table } from '../../statistics/table.ts';
import { gatesByPreference, isPairwise } from '../trial/pairwise.ts';
import type { CaseRun } from '../trial/rounds.ts';
import { plural, points, pValue, signed } from '../../text/amounts.ts';

interface Comparison {
  better: 'head' | 'base' | 'tie';
}

/** The comparisons of one metric that could be read, one for each reference and try. */
function comparisons(metric: string, runs: readonly CaseRun[]): Comparison[] {
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
export function preferenceTables({ metrics }: Tests, runs: readonly CaseRun[]): Table[] {
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
export function preferenceOf(tests: Tests, runs: readonly CaseRun[]): PreferenceSummary | null {
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
      `of ${plural(found.length, 'comparison')} head's answer is preferred in ${String(head)} and base's in ${String(base)}, ${String(ties)} are ties ` +
      `(${points(interval.difference)}, 90 % interval ${signed(interval.low)} to ${signed(interval.high)}, sign test ${pValue(p)})` +
      `${gates ? '' : '; advice only, since other metrics gate'}.`,
  };
}
