import type { ReferenceResult, SuiteResult } from '../../types.ts';

/**
 * Whether a reference of a result counts for its verdict: what is skipped or in quarantine is only
 * shown.
 */
export function countsForVerdict({
  skip,
  quarantined,
}: Pick<ReferenceResult, 'skip' | 'quarantined'>): boolean {
  return !skip && quarantined !== true;
}

/**
 * References that got worse by their own tries, in suites that are not called regressed: single
 * references are called at a false-discovery rate, and a suite at its share of alpha, which is
 * stricter.
 */
export function worseAlone(suites: readonly SuiteResult[]): number {
  return suites
    .filter(({ verdict }) => verdict !== 'regressed')
    .flatMap(({ references }) => references)
    .filter((one) => one.status === 'regressed' && countsForVerdict(one)).length;
}
