import { comparesShare } from '../../metrics/passing.ts';
import type { Outcome } from '../../types/metric.ts';
import type { TryResult } from '../result/reference-result.ts';
import { fingerprintOf } from '../select/affected-suite.ts';
import type { ClusteredTries } from '../statistics/clusters.ts';
import { clusteredTries, type LookRow } from '../statistics/look.ts';
import { isLargeDrop, type Tries } from '../statistics/table.ts';
import { valueDifference } from '../statistics/value-test.ts';
import { everyMetric } from '../suite/metrics.ts';
import type { LookPlan } from './looks.ts';
import { isOpenDrop, numberTest, valuesByReference, type MetricNumber } from './metric-numbers.ts';
import { isCritical, type ReferenceRun, type SuiteComparison, type Try } from './suite-run.ts';

export interface LedgerReference extends LookRow {
  metrics: ReadonlyMap<string, Tries>;
  judgedBy: number;
  isCritical: boolean;
  isSteady: boolean;
  isAwaited: boolean;
  /** Number of tries per side. Infinity if it is not fixed. */
  planned: number;
}

export interface SuiteLedger {
  references: readonly LedgerReference[];
  isAdaptive: boolean;
  minDrop: number;
  tolerance: number | 'auto';
  /** Whether a share that can fail the suite dropped, perhaps by more than the tolerance. */
  hasOpenShare(upTo: number, plan: LookPlan, tolerance: number): boolean;
}

export function tryOutcomes({ base, head }: ReferenceRun): Tries {
  return {
    base: base.map(({ byHead }) => byHead.outcome),
    head: head.map(({ byHead }) => byHead.outcome),
  };
}

/**
 * References with the same questions, or the same `cluster` in their suite, form a cluster. Null:
 * in none.
 */
function clusterNames(groups: readonly (readonly ReferenceRun[])[]): (string | null)[][] {
  const parents = new Map<string, string>();
  const rootOf = (key: string): string => {
    const parent = parents.get(key) ?? key;
    return parent === key ? key : rootOf(parent);
  };
  const sizes = new Map<string, number>();
  const keys = groups.map((runs, group) =>
    runs.map(({ affected: { base, head, reference } }) => {
      const question =
        base === null || head === null ? '' : `${fingerprintOf(base)} ${fingerprintOf(head)}`;
      const own = question === '' ? `alone ${group} ${reference.id}` : question;
      if (reference.cluster === undefined) return own;
      const cluster = `cluster ${group} ${reference.cluster}`;
      parents.set(rootOf(own), rootOf(cluster));
      return own;
    }),
  );
  for (const key of keys.flat()) sizes.set(rootOf(key), (sizes.get(rootOf(key)) ?? 0) + 1);
  return keys.map((own) =>
    own.map((key) => {
      const root = rootOf(key);
      return (sizes.get(root) ?? 0) > 1 ? root : null;
    }),
  );
}

export function clusteredRuns(
  compared: readonly ReferenceRun[],
  triesOf: (run: ReferenceRun) => Tries,
): ClusteredTries[] {
  return clusteredTries(compared.map(triesOf), suiteClusters(compared));
}

export function suiteClusters(compared: readonly ReferenceRun[]): (string | null)[] {
  return clusterNames([compared])[0] ?? [];
}

export function outcomeIn({ outcome, scores }: TryResult, metric: string): Outcome {
  if (outcome !== 'fail') return outcome;
  const failed = scores.some(
    (score) => score.metric === metric && !score.skip && score.status === 'fail',
  );
  return failed ? 'fail' : 'pass';
}

export function createLedgers(suites: readonly SuiteComparison[]): SuiteLedger[] {
  const clusters = clusterNames(suites.map(({ compared }) => compared));
  return suites.map((suite, s) => {
    const { compared, gate, steady, awaited, policy } = suite;
    const runs = compared.map((run) => ({
      run,
      gating: new Set(scoresOf(run).map(({ metric }) => metric)),
    }));
    const metrics = new Set(runs.flatMap(({ gating }) => [...gating]));
    return {
      references: runs.map(({ run, gating }, at): LedgerReference => {
        const { reference } = run.affected;
        return {
          tries: tryOutcomes(run),
          metrics: metrics.size < 2 ? new Map() : failingTries(run),
          judgedBy: gating.size,
          cluster: clusters[s]?.[at] ?? null,
          isCritical: isCritical(run),
          isSteady: steady.has(reference.id),
          isAwaited: awaited.has(reference.id),
          planned: policy.kind === 'adaptive' ? Infinity : countPlannedTries(run, policy),
        };
      }),
      isAdaptive: policy.kind === 'adaptive',
      minDrop: gate.min_drop,
      tolerance: gate.tolerance,
      hasOpenShare: (upTo, plan, tolerance) =>
        gatingShares(suite).some((number) => isOpenShare(suite, number, { upTo, plan, tolerance })),
    };
  });
}

function gatingShares({ run, gate }: SuiteComparison): MetricNumber[] {
  return everyMetric(run.scoring.tests)
    .filter((metric) => comparesShare(metric) && gate.metrics?.[metric.name] === 'fail')
    .map((metric) => ({ metric, entry: null, name: metric.name }));
}

function isOpenShare(
  suite: SuiteComparison,
  number: MetricNumber,
  { upTo, plan, tolerance }: { upTo: number; plan: LookPlan; tolerance: number },
): boolean {
  const { compared: runs, gate } = suite;
  // The means are cheap, and without a drop no test is needed.
  const difference = valueDifference(valuesByReference(number, runs, upTo));
  if (!isLargeDrop(difference, gate.min_drop)) return false;
  const test = numberTest(suite, number, { runs, clusters: suiteClusters(runs), upTo }, plan);
  return isOpenDrop(test, gate.min_drop, tolerance);
}

function countPlannedTries(
  { affected: { reference } }: ReferenceRun,
  { tries }: { tries: number },
): number {
  return reference.n_tries ?? tries;
}

/**
 * With fixed tries, means use only planned tries. Critical references get more when they fail,
 * which would bias a mean.
 */
export function maxPlannedTries(
  { policy }: SuiteComparison,
  runs: readonly ReferenceRun[],
): number {
  return policy.kind === 'fixed'
    ? Math.max(...runs.map((run) => countPlannedTries(run, policy)))
    : Infinity;
}

function scoresOf({ base, head }: ReferenceRun): TryResult['scores'] {
  return [...base, ...head].flatMap(({ byHead }) => byHead.scores.filter(({ skip }) => !skip));
}

function failingTries(run: ReferenceRun): Map<string, Tries> {
  const failing = scoresOf(run).flatMap(({ metric, status }) => (status === 'fail' ? metric : []));
  const side = (tries: readonly Try[], metric: string): Tries['base'] =>
    tries.map(({ byHead }) => outcomeIn(byHead, metric));
  return new Map(
    [...new Set(failing)].map((metric) => [
      metric,
      { base: side(run.base, metric), head: side(run.head, metric) },
    ]),
  );
}

export function plannedTries({ references }: SuiteLedger): LookRow[] {
  return references.map(({ tries, metrics, cluster, planned }) => {
    const cut = ({ base, head }: Tries): Tries => ({
      base: base.slice(0, planned),
      head: head.slice(0, planned),
    });
    const byMetric = [...metrics].map(([metric, own]) => [metric, cut(own)] as const);
    return { tries: cut(tries), metrics: new Map(byMetric), cluster };
  });
}
