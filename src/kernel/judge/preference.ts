import { suiteClusters } from '../plan/ledger.ts';
import type { ReferenceRun } from '../plan/suite-run.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import type { ClusteredTries } from '../statistics/clusters.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { contrast } from '../statistics/look.ts';
import { gatesByPreference, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';

interface Comparison {
  better: 'head' | 'base' | 'tie';
  cluster: string | null;
}

function comparisons(metric: string, runs: readonly ReferenceRun[]): Comparison[] {
  const clusters = new Map(suiteClusters(runs).map((cluster, at) => [runs[at], cluster]));
  return runs.flatMap((run) =>
    run.head.flatMap(({ byHead }): Comparison[] => {
      const value = byHead.scores.find((score) => score.metric === metric)?.value;
      if (typeof value !== 'number') return [];
      const name = clusters.get(run) ?? null;
      return [
        {
          better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie',
          cluster: name === null ? null : `${name} ${String(byHead.try)}`,
        },
      ];
    }),
  );
}

/**
 * One try per comparison. It fails on the side that is not preferred, so the suite's test is the
 * sign test.
 */
export function preferenceTries(
  { metrics }: Tests,
  runs: readonly ReferenceRun[],
): ClusteredTries[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined ? [] : comparisons(metric.name, runs).map(asTries);
}

function asTries({ better, cluster }: Comparison): ClusteredTries {
  return {
    tries: {
      base: [better === 'head' ? 'fail' : 'pass'],
      head: [better === 'base' ? 'fail' : 'pass'],
    },
    cluster,
  };
}

export function hasPreference(tests: Tests, run: ReferenceRun): boolean {
  return preferenceTries(tests, [run]).length > 0;
}

export function comparePreference(
  tests: Tests,
  runs: readonly ReferenceRun[],
): PreferenceSummary | null {
  const metric = tests.metrics.find(isPairwise);
  if (metric === undefined) return null;
  const found = comparisons(metric.name, runs);
  const count = (wanted: Comparison['better']): number =>
    found.filter(({ better }) => better === wanted).length;
  const { test, tables, units } = contrast(found.map(asTries));
  const interval = differenceInterval(tables, { units });
  if (interval === null) return null;
  const [head, base, ties] = [count('head'), count('base'), count('tie')];
  const p = test.midDown;
  const gates = gatesByPreference(tests);
  return { metric: metric.name, head, base, ties, p, ...interval, gates };
}
