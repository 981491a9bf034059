import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { Unit } from '../../kernel/statistics/clusters.ts';
import { differenceInterval } from '../../kernel/statistics/interval.ts';
import {
  isComparable,
  meanOfCounts,
  type Counts,
  type Table,
} from '../../kernel/statistics/table.ts';
import { sideMean } from '../../kernel/statistics/value-test.ts';
import { metricNumber } from '../../metrics/value.ts';
import type { Outcome } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import type { AttributeResult, Proficiency } from './result.ts';

/** By the try's outcome or by one metric's score; only tries with an index below `tries`. */
export function countTries(
  given: readonly TryResult[],
  metric: string | null,
  tries: number | null,
): Counts {
  const words = triesBelow(given, tries).map((tryResult) => tryOutcome(tryResult, metric));
  const passes = words.filter((word) => word === 'pass').length;
  return { passes, tries: passes + words.filter((word) => word === 'fail').length };
}

export function triesBelow(given: readonly TryResult[], tries: number | null): TryResult[] {
  return given.filter(({ try: index }) => tries === null || index < tries);
}

export function tryOutcome(
  { outcome, scores }: TryResult,
  metric: string | null,
): Outcome | undefined {
  return metric === null ? outcome : scores.find((score) => score.metric === metric)?.status;
}

/** Pass rates, difference and two-sided 90 % interval; `units` are permuted together. */
export function proficiencyOf(
  tables: readonly Table[],
  units: readonly Unit[] = tables,
): Proficiency {
  const compared = tables.filter(isComparable);
  const interval = differenceInterval(tables, { units });
  const onBase = tables.some(({ base }) => base.tries > 0);
  const onHead = tables.some(({ head }) => head.tries > 0);
  const shown =
    onBase && onHead ? compared : tables.filter(({ base, head }) => base.tries + head.tries > 0);
  return {
    n: shown.length,
    base: meanOfCounts(shown.map(({ base }) => base)),
    head: meanOfCounts(shown.map(({ head }) => head)),
    difference: interval?.difference ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

/** Mean over references; of one that ran on both sides, only with numbers on both. */
export function meanValues(
  metric: string,
  references: readonly Record<Side, readonly TryResult[]>[],
  tries: number | null,
): NonNullable<AttributeResult['values']> | null {
  const numbers = (side: readonly TryResult[]): (number | null)[] =>
    triesBelow(side, tries).map(({ scores }) =>
      metricNumber(scores.find((score) => score.metric === metric)?.value ?? null),
    );
  const all = references.map(({ base, head }) => ({ base: numbers(base), head: numbers(head) }));
  const has = (side: Side): boolean => sideMean(all, side) !== null;
  const sides = (['base', 'head'] as const).filter(has);
  const shown = all.filter((reference) =>
    sides.every((side) => reference[side].some((n) => n !== null)),
  );
  return shown.length === 0 || sides.length === 0
    ? null
    : {
        metric,
        n: shown.length,
        base: sideMean(shown, 'base'),
        head: sideMean(shown, 'head'),
      };
}
