import type { ReferenceResult } from '../../types.ts';

/** Whether a reference of a result counts for its verdict: what is skipped or in quarantine is only shown. */
export function countsForVerdict({ skip, quarantined }: Pick<ReferenceResult, 'skip' | 'quarantined'>): boolean {
  return !skip && quarantined !== true;
}
