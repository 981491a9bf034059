import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Score } from '../../types/metric.ts';
import type { Reports } from './feature-report.ts';
import { groupByEqualKey, exampleTries, type ReferenceEntry } from './order.ts';

export interface Failure {
  /**
   * The first failing metric. Null if there is no answer, or if only the combined result of the
   * tries fails.
   */
  metric: string | null;
  unjudged: boolean;
  reason: string | null;
  entries: ReferenceEntry[];
}

/**
 * Groups failures by suite, metric and reason. A failure with a unique reason is grouped only by
 * suite and metric.
 */
export function failures(entries: readonly ReferenceEntry[], reports: Reports): Failure[] {
  const all = entries.map((entry) => ({ entry, ...failureCause(entry, reports) }));
  const exact = Map.groupBy(all, ({ reasonKey }) => reasonKey);
  return groupByEqualKey(all, ({ reasonKey, metricKey }) =>
    exact.get(reasonKey)?.length === 1 ? metricKey : reasonKey,
  ).map((group) => {
    const [{ metric, unjudged, reason }] = group;
    const isEqual = group.every((other) => other.reason === reason);
    const entries = group.map(({ entry }) => entry);
    return { metric, unjudged, reason: isEqual ? reason : null, entries };
  });
}

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
  reasonKey: string;
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

/** Omits scores that failed only because there is no answer. */
export function ownFailures(tryResult: TryResult | null): Score[] {
  return failedScores(tryResult).filter(
    ({ reason }) =>
      tryResult?.error === null || tryResult?.error === undefined || reason !== tryResult.error,
  );
}

export function failedScores(tryResult: Pick<TryResult, 'scores'> | null): Score[] {
  return (tryResult?.scores ?? [])
    .filter(({ status }) => status !== 'pass' && status !== 'skipped')
    .sort((a, b) => Number(a.skip) - Number(b.skip));
}
