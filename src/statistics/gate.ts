import { brokenTest } from './broken-test.ts';
import type { Bundle } from './bundles.ts';
import { meanDifference } from './interval.ts';
import { discreteFdr } from './reference-tests.ts';
import { suiteTest } from './suite-test.ts';
import { fell, type Table, within } from './table.ts';

/** Part of alpha for single references that broke, where tries are fixed. */
const REFERENCE_SHARE = 0.4;

interface GateOptions {
  /** Chance of an alarm when nothing changed, 0–1. */
  alpha: number;
  on: 'suite+references' | 'suite';
  /** The mean must fall by at least this (0–1) for the suite test to count. Default 0. */
  minDrop?: number;
  /** Positions of the tables that have half of the references' level to themselves. */
  critical?: readonly number[];
  /** Tables whose tries move together. */
  bundles?: readonly Bundle[];
}

export interface Gate {
  regressed: boolean;
  /** `p`: mid-p of "head is worse"; `difference` is null when no table has tries on both sides. */
  suite: { p: number; level: number; difference: number | null; hit: boolean };
  /** `p`: of "some references broke", the critical ones' if that is what hit. */
  references: { p: number; level: number; hit: boolean };
}

/**
 * The verdict on fixed tries. Two exact tests share one alpha: the suite test for a fall everywhere
 * (0.6), and `brokenTest` for references that broke, which a mean would hide (0.4, of which the
 * critical ones have half where there are any). What hits at one alpha hits at every larger one.
 */
export function combinedGate(tables: readonly Table[], options: GateOptions): Gate {
  const { alpha, on, minDrop = 0, critical = [], bundles = [] } = options;
  const level = on === 'suite' ? 0 : REFERENCE_SHARE * alpha;
  const { midDown } = suiteTest(tables, bundles);
  const difference = meanDifference(tables);
  const broken = brokenHit(tables, { critical, bundles, level });
  // A fall that is too small to count may not count under another name.
  const counts = broken.hit && (fell(difference, minDrop) || isAnyNamed(tables));
  const references = { ...broken, hit: counts };
  const hit = within(midDown, alpha - level) && fell(difference, minDrop);
  return {
    regressed: hit || references.hit,
    suite: { p: midDown, level: alpha - level, difference, hit },
    references,
  };
}

/** At this false-discovery rate a single reference is called worse or better. */
export const REFERENCE_FDR = 0.05;

function isAnyNamed(tables: readonly Table[]): boolean {
  return discreteFdr(tables).down.some((q) => q <= REFERENCE_FDR);
}

function brokenHit(
  tables: readonly Table[],
  {
    critical,
    bundles,
    level,
  }: { critical: readonly number[]; bundles: readonly Bundle[]; level: number },
): Gate['references'] {
  const all = brokenTest(tables, bundles);
  if (critical.length === 0) return { p: all, level, hit: within(all, level) };
  const bundled = new Set(bundles.flatMap(({ members }) => members));
  const alone = critical.filter((i) => !bundled.has(i));
  const own = brokenTest(alone.flatMap((i) => tables[i] ?? []));
  const [half, first] = [level / 2, within(own, level / 2)];
  return { p: first ? own : all, level: half, hit: first || within(all, half) };
}

/** A verdict and the level it was judged at. */
interface Judged<Result> {
  alpha: number;
  result: Result;
}

/**
 * Holm's step-down over several judgements that share one alpha: all are judged at alpha / M; those
 * that fire keep their result and leave, the rest is judged again at alpha / (number left), until
 * none fires. The chance of any false alarm stays within alpha as long as a judge that fires at one
 * alpha also fires at every larger one.
 *
 * Source: Holm 1979.
 */
export function judgeFamily<Result extends { regressed: boolean }>(
  judges: readonly ((alpha: number) => Result)[],
  alpha: number,
): Judged<Result>[] {
  const judged = new Map<number, Judged<Result>>();
  let open = judges.map((judge, i) => ({ judge, i }));
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const { judge, i } of open) judged.set(i, { alpha: level, result: judge(level) });
    const left = open.filter(({ i }) => judged.get(i)?.result.regressed === false);
    if (left.length === open.length) break;
    open = left;
  }
  return judges.flatMap((_, i) => judged.get(i) ?? []);
}

/** Holm's step-down p-values, in the order given. */
export function holm(p: readonly number[]): number[] {
  const order = [...p.keys()].sort((i, j) => (p[i] ?? 1) - (p[j] ?? 1));
  const adjusted = p.map(() => 1);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (p[i] ?? 1) * (p.length - rank)));
    adjusted[i] = largest;
  });
  return adjusted;
}
