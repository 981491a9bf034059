import type { Counts } from '../statistics/table.ts';
import type { MetricResult, MetricValues } from './metric-result.ts';
import type { ReferenceResult, SideResult, TryResult } from './reference-result.ts';
import type { ScoringResult } from './scoring-result.ts';
import type { EvidenceCount, SuiteResult } from './suite-result.ts';

export function countsForVerdict({ skip, quarantined }: ReferenceResult): boolean {
  return !skip && quarantined !== true;
}

export function sideCounts(side: Pick<SideResult, 'passes' | 'tries_judged'> | null): Counts {
  return { passes: side?.passes ?? 0, tries: side?.tries_judged ?? 0 };
}

export function sideShare({ passes, tries_judged }: SideResult): number {
  return passes / Math.max(1, tries_judged);
}

export type MeasuredMetric = MetricResult & { values: MetricValues };

export function measuredMetrics({ metrics }: SuiteResult): MeasuredMetric[] {
  return metrics.flatMap(({ values, ...metric }) =>
    values === undefined ? [] : [{ ...metric, values }],
  );
}

export function failingMetrics(suite: SuiteResult): MeasuredMetric[] {
  return measuredMetrics(suite).filter(
    ({ values }) => values.moved === 'worse' && values.gate === 'fail',
  );
}

/** True if neither passes nor values decide, so that the suite cannot show that head is worse. */
export function showsOnly({ metrics, unit }: SuiteResult): boolean {
  const decides = ({ gates, values }: MetricResult) =>
    gates && (unit !== 'values' || values?.decides === true);
  return metrics.length > 0 && !metrics.some(decides);
}

export function allTries(suites: readonly Pick<SuiteResult, 'references'>[]): TryResult[] {
  return suites.flatMap(({ references }) => references.flatMap(bothTries));
}

export function bothTries({ base, head }: ReferenceResult): TryResult[] {
  return [...(base?.tries ?? []), ...(head?.tries ?? [])];
}

const MAX_UNGRADED_SHARE = 0.1;

export function ungradedSuites(
  suites: readonly SuiteResult[],
): { name: string; ungraded: number; tries: number }[] {
  return suites.flatMap(({ name, references }) => {
    const tries = allTries([{ references }]);
    const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded').length;
    return ungraded > MAX_UNGRADED_SHARE * tries.length
      ? [{ name, ungraded, tries: tries.length }]
      : [];
  });
}

/** A run is not green if more than this share of its references lacks evidence (a judged try). */
const MAX_MISSING_SHARE = 0.02;

/**
 * Suites that cannot be green, because references lack evidence. If too many references of the run
 * lack it, returns every suite with such a reference. Otherwise, returns suites where a critical
 * reference, or every reference, lacks evidence.
 */
export function blocksGreen<T extends EvidenceCount>(counts: readonly T[]): T[] {
  const lacking = counts.filter(({ missing }) => missing.length > 0);
  const missing = lacking.reduce((sum, count) => sum + count.missing.length, 0);
  if (missing > MAX_MISSING_SHARE * counts.reduce((sum, { of }) => sum + of, 0)) return lacking;
  return lacking.filter(({ critical, references }) => critical.length > 0 || references === 0);
}

export interface NamedReference {
  path: string;
  suite: string;
  id: string;
}

export function fixedReferences(suites: readonly SuiteResult[]): NamedReference[] {
  return referencesThat(suites, ({ status }) => status === 'fixed');
}

export function newFailing(suites: readonly SuiteResult[]): NamedReference[] {
  return referencesThat(suites, isNewFailing);
}

/** Failed tries after which a new test fails beyond chance. It has up to nine tries. */
export const FAILURES_TO_SETTLE = 3;

/** Whether the tries that failed are too few to say that the new test fails. */
export function isNewUnproven(reference: ReferenceResult, suite: SuiteResult): boolean {
  return failsAsNew(reference, suite) && !hasFailedOften(reference.head);
}

export function isNewFailing(reference: ReferenceResult, suite: SuiteResult): boolean {
  return failsAsNew(reference, suite) && hasFailedOften(reference.head);
}

function failsAsNew(reference: ReferenceResult, suite: SuiteResult): boolean {
  return isNew(reference, suite) && reference.head?.rollup === 'fail';
}

function hasFailedOften(side: SideResult | null): boolean {
  const { passes, tries } = sideCounts(side);
  return !hasFailedOnce(side) && (tries - passes) * FAILURES_TO_SETTLE >= tries;
}

/** Whether one failed try is all the evidence. Recorded answers never differ, so one is enough. */
function hasFailedOnce(side: SideResult | null): boolean {
  if (side === null) return false;
  const isCalled = side.tries.some(
    ({ usage, latency_ms: latency }) => usage !== null || (latency ?? 0) !== 0,
  );
  return isCalled && side.tries_judged - side.passes < 2;
}

/** Whether a test that got worse did so in more than one try. */
export function hasBroken({ status, head }: ReferenceResult): boolean {
  return status === 'regressed' || !hasFailedOnce(head);
}

export function isNew({ status, head }: ReferenceResult, { verdict }: SuiteResult): boolean {
  return head !== null && (status === 'added' || verdict === 'new');
}

/** References that count for the verdict, and for which this is true. */
export function referencesThat(
  suites: readonly SuiteResult[],
  is: (reference: ReferenceResult, suite: SuiteResult) => boolean,
): NamedReference[] {
  return suites.flatMap((suite) =>
    suite.references
      .filter((reference) => countsForVerdict(reference) && is(reference, suite))
      .map(({ id }) => ({ path: suite.path, suite: suite.name, id })),
  );
}

/** The changes of the scoring, largest first. Empty if anything else changed. */
export function onlyScoringChanged({
  scoring,
  suites,
}: {
  scoring: readonly ScoringResult[];
  suites: readonly SuiteResult[];
}): ScoringResult[] {
  const moved = scoring
    .filter(
      ({ rates: of, same_answers: { pass_fail } }) =>
        of.base_base !== of.base_head || pass_fail > 0,
    )
    .sort((a, b) => Math.abs(b.scoring_effect ?? 0) - Math.abs(a.scoring_effect ?? 0));
  return suites.some(({ pass_rate, verdict }) => pass_rate.difference !== null || verdict === 'new')
    ? []
    : moved;
}
