import type { Outcome } from '../../types/metric.ts';
import type { TryResult } from '../result/reference-result.ts';
import { fingerprintOf } from '../select/affected-suite.ts';
import type { ClusteredTries } from '../statistics/clusters.ts';
import { clusteredTries, type Column, type SuiteLedger } from '../statistics/ledger.ts';
import type { Tries } from '../statistics/table.ts';
import type { ReferenceRun, SuiteComparison, Try } from './suite-run.ts';

/** More metrics than this are not tested one by one; those that fail most often are. */
const MOST_COLUMNS = 20;

export function tryOutcomes({ base, head }: Pick<ReferenceRun, 'base' | 'head'>): Tries {
  return {
    base: base.map(({ byHead }) => byHead.outcome),
    head: head.map(({ byHead }) => byHead.outcome),
  };
}

export function criticalOf(compared: readonly ReferenceRun[]): number[] {
  return compared.flatMap(({ affected: { reference } }, index) =>
    reference.tags.includes('critical') ? [index] : [],
  );
}

/**
 * By group and reference, the name of the block that it is dealt with; null: alone. One block are
 * references that ask the same on both sides, and those of one `cluster` of a group.
 */
function blocksOf(groups: readonly (readonly ReferenceRun[])[]): (string | null)[][] {
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
      const own = question === '' ? `alone ${String(group)} ${reference.id}` : question;
      if (reference.cluster === undefined) return own;
      const cluster = `cluster ${String(group)} ${reference.cluster}`;
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

/** Some tries of each reference, with the cluster that they are permuted with. */
export function clusteredRuns(
  compared: readonly ReferenceRun[],
  triesOf: (run: ReferenceRun) => Tries = tryOutcomes,
): ClusteredTries[] {
  return clusteredTries(compared.map(triesOf), suiteBlocks(compared));
}

export function suiteBlocks(compared: readonly ReferenceRun[]): (string | null)[] {
  return blocksOf([compared])[0] ?? [];
}

/** All gating metrics together, then, if there are several, each one that failed. */
function columnsOf(compared: readonly ReferenceRun[]): Pick<SuiteLedger, 'columns' | 'metrics'> {
  const all: Column = { metric: null, tries: compared.map(tryOutcomes) };
  const names = new Set<string>();
  const failures = new Map<string, number>();
  for (const { base, head } of compared)
    for (const { byHead } of [...base, ...head])
      for (const { metric, skip, status } of byHead.scores) {
        if (skip) continue;
        names.add(metric);
        if (status === 'fail') failures.set(metric, (failures.get(metric) ?? 0) + 1);
      }
  const tested = [...failures]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_COLUMNS)
    .map(([metric]) => metric);
  const single = names.size < 2 ? [] : tested.map((metric) => columnOf(compared, metric));
  return { columns: [all, ...single], metrics: names.size };
}

function columnOf(compared: readonly ReferenceRun[], metric: string): Column {
  const side = (tries: readonly Try[]): Tries['base'] =>
    tries.map(({ byHead }) => outcomeIn(byHead, metric));
  return {
    metric,
    tries: compared.map(({ base, head }) => ({ base: side(base), head: side(head) })),
  };
}

/** What one metric says of a try: it fails only where the metric does. */
export function outcomeIn({ outcome, scores }: TryResult, metric: string): Outcome {
  if (outcome !== 'fail') return outcome;
  const failed = scores.some(
    (score) => score.metric === metric && !score.skip && score.status === 'fail',
  );
  return failed ? 'fail' : 'pass';
}

/** The evidence of suites whose tries are compared one by one. */
export function ledgersOf(suites: readonly SuiteComparison[]): SuiteLedger[] {
  const blocks = blocksOf(suites.map(({ compared }) => compared));
  return suites.map(({ compared, gate, steady, policy }, s) => ({
    ...columnsOf(compared),
    blocks: blocks[s] ?? [],
    critical: new Set(criticalOf(compared)),
    steady: new Set(
      [...compared.keys()].filter((at) => {
        const id = compared[at]?.affected.reference.id;
        return id !== undefined && steady.has(id);
      }),
    ),
    minDrop: gate.min_drop,
    tolerance: gate.tolerance,
    fixed:
      policy.kind === 'adaptive'
        ? null
        : compared.map(({ affected: { reference } }) => reference.n_tries ?? policy.tries),
  }));
}
