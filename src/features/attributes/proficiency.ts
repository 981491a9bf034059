import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { ClusteredTries } from '../../kernel/statistics/clusters.ts';
import { differenceInterval } from '../../kernel/statistics/interval.ts';
import { contrast } from '../../kernel/statistics/look.ts';
import { meanOrNull } from '../../kernel/statistics/sums.ts';
import { isComparable, meanOfCounts, type Tries } from '../../kernel/statistics/table.ts';
import { nonNullValues, sideMean, type Values } from '../../kernel/statistics/value-test.ts';
import { namedNumber } from '../../metrics/objects.ts';
import type { Better, Outcome } from '../../types/metric.ts';
import { SIDES, type Side } from '../../types/plain.ts';
import type { AttributeResult, Proficiency } from './result.ts';

export function outcomesOf(
  given: readonly TryResult[],
  metric: string | null,
  tries: number | null,
): Outcome[] {
  const byTry = new Map(
    triesBelow(given, tries).map((tryResult) => [
      tryResult.try,
      metric === null
        ? tryResult.outcome
        : tryResult.scores.find((score) => score.metric === metric)?.status,
    ]),
  );
  const last = Math.max(-1, ...byTry.keys());
  return Array.from({ length: last + 1 }, (_, at) => byTry.get(at) ?? 'skipped');
}

function triesBelow(given: readonly TryResult[], tries: number | null): TryResult[] {
  return given.filter(({ try: index }) => tries === null || index < tries);
}

/** The interval is two-sided, with 90 % confidence. */
export function proficiencyOf(rows: readonly ClusteredTries[]): Proficiency {
  const { tables, units } = contrast(rows);
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

type ReferenceTries = Record<Side, readonly TryResult[]>;

function referenceValues(
  { base, head }: ReferenceTries,
  metric: string,
  tries: number | null,
): Values {
  const numbers = (side: readonly TryResult[]): Values['base'] =>
    triesBelow(side, tries).map(({ scores }) => namedNumber(scores, metric));
  return { base: numbers(base), head: numbers(head) };
}

const MEAN_ROUNDING = 1e-9;

/** A try passes if its value is not worse than the mean of the reference's tries on both sides. */
export function valueOutcomes(
  reference: ReferenceTries,
  { metric, better }: { metric: string; better: Better },
  tries: number | null,
): Tries {
  const { base, head } = referenceValues(reference, metric, tries);
  const middle = meanOrNull(nonNullValues([...base, ...head])) ?? 0;
  const sign = better === 'lower' ? -1 : 1;
  const outcome = (value: number | null): Outcome => {
    if (value === null) return 'error';
    return sign * (value - middle) >= -MEAN_ROUNDING * Math.abs(middle) ? 'pass' : 'fail';
  };
  return { base: base.map(outcome), head: head.map(outcome) };
}

/** A comparison uses only references with numbers on both sides. */
export function meanValues(
  metric: string,
  references: readonly ReferenceTries[],
  tries: number | null,
): NonNullable<AttributeResult['values']> | null {
  const all = references.map((reference) => referenceValues(reference, metric, tries));
  const has = (side: Side) => sideMean(all, side) !== null;
  const sides = SIDES.filter(has);
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
