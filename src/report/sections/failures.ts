import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Score } from '../../types/metric.ts';
import type { Reports } from './feature-report.ts';
import { groupByEqualKey, exampleTries, type ReferenceEntry } from './order.ts';

/** References that fail in the same way, in the order they were given. */
export interface Failure {
  /** The metric that fails first; null: there is no answer, or the roll-up alone decides. */
  metric: string | null;
  /** The metric judges nothing there: it has no value, or no readable grade. */
  unjudged: boolean;
  /** What is said of every one of them; null where the words differ. */
  reason: string | null;
  entries: ReferenceEntry[];
}

/**
 * References grouped by what fails: those of a suite with the same metric and the same words, then
 * those with the same metric. A group stands where its first member did.
 */
export function failures(entries: readonly ReferenceEntry[], reports: Reports): Failure[] {
  const all = entries.map((entry) => ({ entry, ...failureCause(entry, reports) }));
  const exact = new Map<string, number>();
  for (const { reasonKey } of all) exact.set(reasonKey, (exact.get(reasonKey) ?? 0) + 1);
  const groups = new Map<string, Failure>();
  for (const { entry, metric, unjudged, reason, reasonKey, metricKey } of all) {
    const shared = (exact.get(reasonKey) ?? 0) > 1;
    const key = shared ? reasonKey : metricKey;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { metric, unjudged, reason, entries: [entry] });
    else {
      group.entries.push(entry);
      if (group.reason !== reason) group.reason = null;
    }
  }
  return [...groups.values()];
}

/** The same, what suites fail with in the same words once. */
export function sharedFailures(entries: readonly ReferenceEntry[], reports: Reports): Failure[] {
  return groupByEqualKey(
    failures(entries, reports),
    ({ metric, unjudged, reason, entries: [first] }) =>
      JSON.stringify([
        metric,
        unjudged,
        reason,
        reason === null ? [first?.suite.path, first?.suite.name] : null,
      ]),
  ).map(([first, ...others]) => ({
    ...first,
    entries: [first, ...others].flatMap((failure) => failure.entries),
  }));
}

/** The first entry, the group that it fails with, and how many other entries that group has. */
export function worstOf([failure]: readonly Failure[]): {
  worst: ReferenceEntry;
  failure: Failure;
  others: number;
} | null {
  const worst = failure?.entries[0];
  return failure === undefined || worst === undefined
    ? null
    : { worst, failure, others: failure.entries.length - 1 };
}

interface FailureCause {
  metric: string | null;
  unjudged: boolean;
  reason: string | null;
  /** Equal where the metric and the words of the reason are. */
  reasonKey: string;
  /** Equal where the metric is. */
  metricKey: string;
}

function failureCause({ suite, reference }: ReferenceEntry, reports: Reports): FailureCause {
  const { head } = exampleTries(reference, reports);
  const [score] = ownFailures(head);
  const metric = score?.metric ?? null;
  const reason = score === undefined ? (head?.error ?? null) : score.reason;
  const unjudged = score !== undefined && score.status !== 'fail';
  const of = [suite.path, suite.name, metric, unjudged];
  return {
    metric,
    unjudged,
    reason,
    reasonKey: JSON.stringify([...of, reason]),
    metricKey: JSON.stringify([...of, metric === null ? reason : null, 'alike']),
  };
}

/** The failed scores of a try without those that only repeat that there is no answer. */
export function ownFailures(tryResult: TryResult | null): Score[] {
  return failedScores(tryResult).filter(
    ({ reason }) =>
      tryResult?.error === null || tryResult?.error === undefined || reason !== tryResult.error,
  );
}

/** The scores of a try that did not pass, those that gate first. */
export function failedScores(tryResult: TryResult | null): Score[] {
  return (tryResult?.scores ?? [])
    .filter(({ status }) => status !== 'pass' && status !== 'skipped')
    .sort((a, b) => Number(a.skip) - Number(b.skip));
}
