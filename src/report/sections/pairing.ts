import { countsForVerdict, sideCounts } from '../../kernel/result/counts.ts';
import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { holmCalled } from '../../kernel/statistics/holm.ts';
import { suiteTest } from '../../kernel/statistics/suite-test.ts';
import type { Table } from '../../kernel/statistics/table.ts';
import { pairedMean } from './intervals.ts';

export interface Pairing {
  references: number;
  /** The other run's share of passing tries minus this run's, −1 to 1 (mean over references). */
  difference: number;
  low: number | null;
  high: number | null;
  /** Two-sided p-value (mid-p) of an exact permutation test within references. */
  p: number;
}

export const PAIRED_LEVEL = 0.05;

/**
 * Compares head's tries in two results, reference by reference. Null if the results share no judged
 * reference.
 */
export function pairing(first: SuiteResult, second: SuiteResult): Pairing | null {
  const ofSecond = judgedOnHead(second);
  const tables = [...judgedOnHead(first)].flatMap(([id, before]): Table[] => {
    const after = ofSecond.get(id);
    return after === undefined ? [] : [{ base: sideCounts(before), head: sideCounts(after) }];
  });
  const mean = pairedMean(
    tables.map(({ base, head }) => sidePassShare(head) - sidePassShare(base)),
  );
  if (mean === null) return null;
  const { midDown, midUp } = suiteTest(tables);
  return { references: tables.length, ...mean, p: Math.min(1, 2 * Math.min(midDown, midUp)) };
}

/** Finds suites that differ from `suite` by more than chance (with Holm's correction). */
export function differingSuites(
  suite: SuiteResult,
  others: readonly SuiteResult[],
): ReadonlySet<SuiteResult> {
  return new Set(holmCalled(others, (other) => pairing(suite, other)?.p ?? 1, PAIRED_LEVEL));
}

function judgedOnHead({ references }: SuiteResult): Map<string, SideResult> {
  return new Map(
    references
      .filter(countsForVerdict)
      .flatMap(({ id, head }) => (head !== null && head.tries_judged > 0 ? [[id, head]] : [])),
  );
}

function sidePassShare({ passes, tries }: Table['base']): number {
  return passes / tries;
}
