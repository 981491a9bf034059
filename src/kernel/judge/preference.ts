import { BY_ORDER, SAME_ANSWER } from '../../metrics/answer.ts';
import { suiteClusters } from '../plan/ledger.ts';
import type { ReferenceRun } from '../plan/suite-run.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import type { Scoring } from '../select/scoring.ts';
import type { ClusteredTries } from '../statistics/clusters.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { contrast } from '../statistics/look.ts';
import { gatesByPreference, gradersFor, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';

interface Comparison {
  run: ReferenceRun;
  better: 'head' | 'base' | 'tie' | typeof SAME_ANSWER | (typeof BY_ORDER)[number];
  cluster: string | null;
}

function comparisons({ metrics }: Tests, runs: readonly ReferenceRun[]): Comparison[] {
  const metric = metrics.find(isPairwise);
  if (metric === undefined) return [];
  const clusters = new Map(suiteClusters(runs).map((cluster, at) => [runs[at], cluster]));
  return runs.flatMap((run) =>
    run.head.flatMap(({ byHead }): Comparison[] => {
      const score = byHead.scores.find((own) => own.metric === metric.name);
      if (typeof score?.value !== 'number') return [];
      const { value, label } = score;
      const name = clusters.get(run) ?? null;
      const tie = ([SAME_ANSWER, ...BY_ORDER] as const).find((kind) => kind === label) ?? 'tie';
      return [
        {
          run,
          better: value === 1 ? 'head' : value === 0 ? 'base' : tie,
          cluster: name === null ? null : `${name} ${byHead.try}`,
        },
      ];
    }),
  );
}

/** Set if the grader chose by the answers' order in most comparisons, which shows nothing. */
function choicesByOrder(
  found: readonly Comparison[],
): Omit<NonNullable<PreferenceSummary['by_order']>, 'graders'> | null {
  const asked = found.filter(({ better }) => better !== SAME_ANSWER);
  const torn = asked.flatMap(({ better }) => BY_ORDER.find((kind) => kind === better) ?? []);
  const [kind = 'order', ...others] = new Set(torn);
  return 2 * torn.length > asked.length
    ? { comparisons: torn.length, of: asked.length, chosen: others.length > 0 ? 'order' : kind }
    : null;
}

function withEvidence(found: readonly Comparison[]): readonly Comparison[] {
  return choicesByOrder(found) === null
    ? found
    : found.filter(({ better }) => BY_ORDER.every((kind) => kind !== better));
}

/**
 * One try per comparison. It fails on the side that is not preferred, so the suite's test is the
 * sign test.
 */
export function preferenceTries(tests: Tests, runs: readonly ReferenceRun[]): ClusteredTries[] {
  return withEvidence(comparisons(tests, runs)).map(asTries);
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

export function comparedInPairs(tests: Tests, runs: readonly ReferenceRun[]): Set<ReferenceRun> {
  return new Set(withEvidence(comparisons(tests, runs)).map(({ run }) => run));
}

export function comparePreference(
  scoring: Scoring,
  runs: readonly ReferenceRun[],
): PreferenceSummary | null {
  const { tests } = scoring;
  const metric = tests.metrics.find(isPairwise);
  const found = comparisons(tests, runs);
  const count = (wanted: 'head' | 'base') => found.filter(({ better }) => better === wanted).length;
  const { test, tables, units } = contrast(found.map(asTries));
  const interval = differenceInterval(tables, { units });
  if (metric === undefined || interval === null) return null;
  const head = count('head');
  const base = count('base');
  const byOrder = choicesByOrder(found);
  const graders = gradersFor(metric, scoring).map(({ target }) => target.model);
  return {
    metric: metric.name,
    head,
    base,
    ties: found.length - head - base,
    ...(byOrder !== null && { by_order: { ...byOrder, graders } }),
    p: test.midDown,
    ...interval,
    gates: gatesByPreference(tests),
  };
}
