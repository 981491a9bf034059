import { canDiffer, clustersOf, clusterTable } from './clusters.ts';
import type { Distribution } from './distributions.ts';
import { holm } from './gate.ts';
import { meanDifference } from './interval.ts';
import { clusteredTries, type ColumnContrast, type Look } from './ledger.ts';
import { createRandom, nextIndex, type Random } from './random.ts';
import { passLaw } from './suite-test.ts';
import { isLargeDrop, reachesLevel } from './table.ts';

/** Whether the column that fell most did so at `level`, and by at least `minDrop`. */
export function isFall(look: Look, level: number, minDrop: number): boolean {
  return (
    reachesLevel(smallestP(look, level), level) &&
    isLargeDrop(meanDifference(lowestColumn(look).tables), minDrop)
  );
}

/** Columns are named up to this p, adjusted by Holm's procedure. */
const NAMED_P = 0.05;

/** Metrics that fell, the one that fell most first; without one: all together. */
export function fallenMetrics(look: Look): string[] {
  const columns = look.columns.toSorted((a, b) => a.test.midDown - b.test.midDown);
  const adjusted = holm(columns.map(({ test }) => test.midDown));
  return columns.flatMap(({ metric }, i) =>
    metric !== null && (i === 0 || (adjusted[i] ?? 1) <= NAMED_P) ? [metric] : [],
  );
}

/**
 * Single metrics that fell beyond chance, adjusted for all metrics and for the `suites` of the run;
 * none of these is under green.
 */
export function metricsBeyondChance(look: Look, suites: number): string[] {
  const single = look.columns.slice(1);
  return single.flatMap(({ metric, test }) =>
    metric !== null && test.midDown * single.length * suites <= NAMED_P ? [metric] : [],
  );
}

const DEALS = 2000;

/** Deals cannot resolve a level below this. */
const LEAST_DEALT_LEVEL = 10 / DEALS;

function informative({ columns }: Look): ColumnContrast[] {
  return columns.filter(({ units }) => units.some(canDiffer));
}

/** The column that fell most by its own test; of equals, the first. */
export function lowestColumn({ columns }: Look): ColumnContrast {
  return columns.reduce((least, own) => (own.test.midDown < least.test.midDown ? own : least));
}

/**
 * The one-sided p of the column that fell most, adjusted for the number of columns: Bonferroni's,
 * or, where only that does not reach `level`, min-p over {@link DEALS} seeded deals of whole tries.
 * One column alone has its exact mid-p. A hit at one level is a hit at every larger one.
 *
 * Source: Westfall and Young 1993 (min-p).
 */
export function smallestP(look: Look, level: number): number {
  const p = lowestColumn(look).test.midDown;
  const columns = informative(look);
  const bonferroni = Math.min(1, p * Math.max(1, columns.length));
  if (columns.length < 2 || reachesLevel(bonferroni, level)) return bonferroni;
  if (!reachesLevel(p, level) || level < LEAST_DEALT_LEVEL) return bonferroni;
  const known = DEALT.get(look) ?? dealtP(look, columns, p);
  DEALT.set(look, known);
  return known;
}

/** Cached: Holm's procedure asks for one look at several levels. */
const DEALT = new WeakMap<Look, number>();

/** Tolerance for p-values that are mathematically equal. */
const TIE = 1e-12;

function dealtP(look: Look, columns: readonly ColumnContrast[], observed: number): number {
  const units = dealUnits(look, columns);
  const laws = columns.map(({ units: own }) => midDownBySum(passLaw(own)));
  const random = createRandom('columns');
  const sums = new Int32Array(columns.length);
  let [less, ties] = [0, 0];
  for (let deal = 0; deal < DEALS; deal++) {
    sums.fill(0);
    for (const unit of units) dealUnit(unit, sums, random);
    const least = laws.reduce((lowest, law, c) => Math.min(lowest, law(sums[c] ?? 0)), 1);
    if (least < observed - TIE) less += 1;
    else if (least <= observed + TIE) ties += 1;
  }
  return (less + ties / 2 + 0.5) / (DEALS + 1);
}

/** What is dealt together: by column the passes of each try, or null where they are all equal. */
interface DealUnit {
  order: Int32Array;
  heads: number;
  columns: readonly (readonly number[] | null)[];
}

function dealUnit({ order, heads, columns }: DealUnit, sums: Int32Array, random: Random): void {
  for (let i = 0; i < heads; i++) {
    const from = i + nextIndex(random, order.length - i);
    const chosen = order[from] ?? 0;
    order[from] = order[i] ?? 0;
    order[i] = chosen;
    for (let c = 0; c < columns.length; c++) sums[c] = (sums[c] ?? 0) + (columns[c]?.[chosen] ?? 0);
  }
}

/** All columns have the same judged tries, so a place means the same try in each. */
function dealUnits({ ledger, tries }: Look, columns: readonly ColumnContrast[]): DealUnit[] {
  const [first = [], ...others] = columns.map(({ metric }) => {
    const column = ledger.columns.find((own) => own.metric === metric);
    return clustersOf(clusteredTries(column?.tries ?? [], ledger.blocks), tries);
  });
  return first.flatMap((cluster, place) => {
    const all = [cluster, ...others.flatMap((own) => own.slice(place, place + 1))].map((own) => {
      const { base, head } = clusterTable(own);
      return [...head, ...base];
    });
    const passes = all.map((own) => (own.every((value) => value === own[0]) ? null : own));
    if (passes.every((own) => own === null)) return [];
    const size = all[0]?.length ?? 0;
    const order = Int32Array.from({ length: size }, (_, i) => i);
    return [{ order, heads: cluster[0]?.head.length ?? 0, columns: passes }];
  });
}

/** P(S < s) + ½ P(S = s) for every possible sum. */
function midDownBySum({ low, mass }: Distribution): (sum: number) => number {
  const p = new Float64Array(mass.length);
  let below = 0;
  mass.forEach((probability, i) => {
    p[i] = below + probability / 2;
    below += probability;
  });
  return (sum) => (sum < low ? 0 : (p[sum - low] ?? 1));
}
