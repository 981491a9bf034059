import { meanDifference } from './interval.ts';
import { findBroken, type Broken } from './reference-tests.ts';
import { suiteTest } from './suite-test.ts';
import { fell, type Table, within } from './table.ts';

/** Part of alpha that the search for single broken tables may take. */
const REFERENCE_SHARE = 0.4;

export interface GateOptions {
  /** Chance of an alarm when nothing changed, 0–1. */
  alpha: number;
  on: 'suite+references' | 'suite';
  /** The mean must fall by at least this (0–1) for the suite test to count. Default 0. */
  minDrop?: number;
  /** Positions of the tables that take the references' share of alpha among themselves first. */
  first?: readonly number[];
  /** Largest part of alpha (0–1) for the references. Default 0.4. */
  share?: number;
  /**
   * Level that the suite test has had at a smaller alpha and must not lose at this one (see
   * `judgeFamily`). Default 0.
   */
  keep?: number;
}

export interface Gate {
  regressed: boolean;
  /** `difference` is null when no table has tries on both sides. */
  suite: { midDown: number; level: number; difference: number | null; hit: boolean };
  references: Broken;
}

/**
 * Two detectors share one alpha: the suite test for a fall everywhere, and `findBroken` for a
 * single table that clearly broke, which a mean would hide. The references spend at most share ×
 * alpha, exactly; the suite test gets the rest: alarm if some p_i <= threshold or midDown <= alpha
 * − level of the references. The split follows from the tables' totals alone, so the level holds
 * given the totals (up to the mid-p).
 */
export function combinedGate(tables: readonly Table[], options: GateOptions): Gate {
  const { alpha, on, minDrop = 0, first = [], share = REFERENCE_SHARE, keep = 0 } = options;
  const cap = on === 'suite' ? 0 : Math.max(0, Math.min(share * alpha, alpha - keep));
  const references = findBroken(tables, cap, first);
  const level = alpha - references.level;
  const { midDown } = suiteTest(tables);
  const difference = meanDifference(tables);
  const hit = within(midDown, level) && fell(difference, minDrop);
  return {
    regressed: hit || references.hits.length > 0,
    suite: { midDown, level, difference, hit },
    references,
  };
}

/** A verdict and the level it was judged at. */
export interface Judged<Result> {
  alpha: number;
  result: Result;
}

/**
 * Holm's step-down over several judgements that share one alpha: all are judged at alpha / M; those
 * that fire keep their result and leave, the rest is judged again at alpha / (number left), until
 * none fires. The chance of any false alarm stays within alpha as long as a judge that fires at one
 * alpha also fires at every larger one; `before` is its result at the smaller alpha, for judges
 * that must take care of that.
 *
 * Source: Holm 1979.
 */
export function judgeFamily<Result extends { regressed: boolean }>(
  judges: readonly ((alpha: number, before: Result | null) => Result)[],
  alpha: number,
): Judged<Result>[] {
  const judged = new Map<number, Judged<Result>>();
  let open = judges.map((judge, i) => ({ judge, i }));
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const { judge, i } of open)
      judged.set(i, { alpha: level, result: judge(level, judged.get(i)?.result ?? null) });
    const left = open.filter(({ i }) => judged.get(i)?.result.regressed === false);
    if (left.length === open.length) break;
    open = left;
  }
  return judges.flatMap((_, i) => judged.get(i) ?? []);
}

/** One suite of a family: its tables and, where they differ, the positions served first. */
export interface FamilyMember {
  tables: readonly Table[];
  first?: readonly number[];
}

/**
 * `combinedGate` for several suites under one alpha, in the order given. At a larger alpha the
 * suite test never gets less than it had before, so the alarms are nested as `judgeFamily` asks.
 */
export function gateFamily(
  members: readonly FamilyMember[],
  options: Omit<GateOptions, 'first' | 'keep'>,
): Judged<Gate>[] {
  const judges = members.map(
    ({ tables, first = [] }) =>
      (alpha: number, before: Gate | null): Gate =>
        combinedGate(tables, { ...options, alpha, first, keep: before?.suite.level ?? 0 }),
  );
  return judgeFamily(judges, options.alpha);
}
