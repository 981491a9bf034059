import { bundlesOf, type Bundle } from './bundles.ts';
import { evidenceOf, tryPairs } from './evidence.ts';
import { holm } from './gate.ts';
import { differenceInterval } from './interval.ts';
import { boundQuantile, FIRST_TRIES, LOOKS, MOST_TRIES } from './looks.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import {
  isLargeDrop,
  isComparable,
  triesMade,
  countTable,
  type Table,
  type Tries,
  reachesLevel,
} from './table.ts';
import { designOf, visibleDrop } from './visible-drop.ts';

/** Share of alpha for single references; the suites' looks share the rest. */
export const REFERENCE_SHARE = 0.2;

/** Above this mid-p a suite does not look worse; more tries rarely change that. */
export const FUTILE = 0.3;

/** Range of the `auto` tolerance. */
const AUTO = { least: 0.05, most: 0.1 };

/** Drop that must be ruled out over all suites of a run together. */
const RUN_TOLERANCE = 0.05;

/** A suite with a smaller adjusted p is suspicious by itself. */
const SUSPICIOUS_P = 0.2;

export interface SequentialSuite {
  tries: readonly Tries[];
  /** By reference: its cluster's name, or null. */
  clusters: readonly (string | null)[];
  /** Positions of references that each count alone. */
  critical: ReadonlySet<number>;
  /** Positions of references that nearly always passed before: any failure is suspicious. */
  steady: ReadonlySet<number>;
  /** The mean must drop by at least this (0–1) for a look to count. */
  minDrop: number;
  /** The largest drop (0–1) compatible with green. */
  tolerance: number | 'auto';
}

export interface Look {
  tries: number;
  tables: Table[];
  bundles: Bundle[];
  test: SuiteTest;
  /** Of head − base; `low` is the bound, which must be above −tolerance. Null: no tries. */
  interval: { difference: number; low: number; high: number } | null;
}

export function lookAt({ tries, clusters }: SequentialSuite, upTo: number): Look {
  const tables = tries.map((own) => countTable(own, 0, upTo));
  const bundles = bundlesOf(tries, clusters, upTo);
  return {
    tries: upTo,
    tables,
    bundles,
    test: suiteTest(tables, bundles),
    interval: differenceInterval(tables, { bundles, z: boundQuantile(upTo) }),
  };
}

/** All looks that the tries so far allow, in order. */
export function looksOf(suite: SequentialSuite): Look[] {
  const most = Math.min(...suite.tries.map(triesMade));
  return LOOKS.filter((tries) => tries <= most).map((tries) => lookAt(suite, tries));
}

/** The first look at which the suite fell (`down`) or rose (`up`) at its level; null: none. */
export function decidingLook(
  looks: readonly Look[],
  levels: readonly number[],
  minDrop: number,
  way: 'down' | 'up',
): Look | null {
  const hit = looks.find(({ test, interval }, i) => {
    const difference = interval?.difference ?? null;
    return way === 'down'
      ? reachesLevel(test.midDown, levels[i] ?? 0) && isLargeDrop(difference, minDrop)
      : reachesLevel(test.midUp, levels[i] ?? 0) &&
          isLargeDrop(difference === null ? null : -difference, minDrop);
  });
  return hit ?? null;
}

/** `open`: suspicious, and more tries would tell; `value`: its e-value. */
interface Suspicion {
  value: number;
  open: boolean;
}

export const MOST_PAIRS = 40;

/**
 * Least e-value to stay under suspicion after this many pairs; `watched` references (critical or
 * steady) start with one failure more on head. Chosen for power and cost; the level holds anyway.
 */
const SUSPICION_LEVELS = [
  { pairs: 14, evidence: 12, watched: 4 },
  { pairs: 8, evidence: 3, watched: 0.3 },
  { pairs: 0, evidence: 2, watched: 0.3 },
];

export function suspicionOf(tries: Tries, watched: boolean): Suspicion {
  const pairs = tryPairs(tries);
  const value = evidenceOf(pairs);
  const failed = (side: 'base' | 'head'): number => pairs.filter((pair) => !pair[side]).length;
  const rung = SUSPICION_LEVELS.find((step) => pairs.length >= step.pairs);
  const needed = rung === undefined ? Infinity : watched ? rung.watched : rung.evidence;
  const open = failed('head') > failed('base') && triesMade(tries) < MOST_PAIRS && value >= needed;
  return { value, open };
}

interface References {
  suspicions: Suspicion[][];
  /** Some broke: the weighted mean e-value has reached 1/level. */
  called: boolean;
}

const NAMING_E_VALUE = 20;

/**
 * Tests single references together at one level (0: not tested), valid whatever is sampled next:
 * the weighted mean of e-values is an e-value. Equal weights, but critical references have half in
 * total.
 */
export function judgeReferences(suites: readonly SequentialSuite[], level: number): References {
  const suspicions = suites.map(({ tries, critical, steady }) =>
    tries.map((own, i) => suspicionOf(own, critical.has(i) || steady.has(i))),
  );
  const count = suites.reduce((sum, { tries }) => sum + tries.length, 0);
  const criticals = suites.reduce((sum, { critical }) => sum + critical.size, 0);
  const everyone = (criticals > 0 ? 0.5 : 1) / Math.max(1, count);
  const critical = 0.5 / Math.max(1, criticals);
  const sum = suspicions.reduce(
    (all, own, s) =>
      all +
      own.reduce(
        (part, { value }, i) =>
          part + value * (everyone + (suites[s]?.critical.has(i) === true ? critical : 0)),
        0,
      ),
    0,
  );
  return { suspicions, called: level > 0 && sum >= 1 / level };
}

/** Positions of a suite's references under suspicion, the most suspicious first. */
export function openSuspicions({ suspicions }: References, suite: number): number[] {
  return [...(suspicions[suite] ?? []).entries()]
    .filter(([, { open }]) => open)
    .sort(([, a], [, b]) => b.value - a.value)
    .map(([i]) => i);
}

export function calledReferences({ suspicions, called }: References, suite: number): number[] {
  const own = called ? (suspicions[suite] ?? []) : [];
  return own.flatMap(({ value }, i) => (value >= NAMING_E_VALUE ? [i] : []));
}

/** As configured, or the smallest detectable drop (`visible`) within 5 to 10 points. */
export function toleranceOf(tolerance: number | 'auto', visible: number | null): number {
  return tolerance === 'auto'
    ? Math.min(AUTO.most, Math.max(AUTO.least, visible ?? AUTO.most))
    : tolerance;
}

/**
 * Smallest detectable drop, 0–1; null: none. A suite that stopped early would have continued to
 * five tries had it looked worse, so this is the drop detectable with five tries at the last look's
 * level.
 */
export function visibleAt(tables: readonly Table[], levels: readonly number[]): number | null {
  const tries = { base: MOST_TRIES, head: MOST_TRIES };
  return visibleDrop({ ...designOf(tables), tries }, levels.at(-1) ?? 0);
}

/** Tries per side after which a small suite may be calm with a difference of at least 0. */
const SMALL_TRIES = 3;

/** A suite is small if the bound requires nearly flawless tries. */
const SMALL_SHARE = 0.7;

/**
 * Whether this look rules out a drop: the bound is above −tolerance, or the difference is not
 * negative and no more tries follow or the suite is small. A small suite with head ahead stops
 * immediately, because waiting would detect few more drops.
 */
export function ruledOutBy(look: Look, tolerance: number): 'bound' | 'level' | null {
  const { interval, tries, tables } = look;
  if (interval === null) return null;
  if (interval.low > -tolerance) return 'bound';
  const flawless = flawlessBound(tables.filter(isComparable).length, tries);
  const small = flawless >= SMALL_SHARE * tolerance;
  const isAhead = interval.difference > ZERO_TOLERANCE;
  const from = small ? (isAhead ? FIRST_TRIES : SMALL_TRIES) : MOST_TRIES;
  return interval.difference >= -ZERO_TOLERANCE && tries >= from ? 'level' : null;
}

/** Tolerance for a difference of 0. */
const ZERO_TOLERANCE = 1e-12;

function flawlessBound(references: number, tries: number): number {
  const side = { passes: tries, tries };
  const difference = differenceInterval([{ base: side, head: side }], { z: boundQuantile(tries) });
  return -(difference?.low ?? -1) / Math.max(1, references);
}

/** A drop of 5 points over all references is ruled out and no suite alone is suspicious. */
export function isCalmTogether(suites: readonly Omit<Look, 'interval'>[]): boolean {
  if (suites.length < 2) return false;
  const adjusted = holm(suites.map(({ test }) => test.midDown));
  if (adjusted.some((p) => p <= SUSPICIOUS_P)) return false;
  let before = 0;
  const bundles = suites.flatMap((suite) => {
    const shift = before;
    before += suite.tables.length;
    return suite.bundles.map((bundle) => ({
      ...bundle,
      members: bundle.members.map((i) => i + shift),
    }));
  });
  const tables = suites.flatMap((suite) => suite.tables);
  const z = boundQuantile(Math.min(...suites.map(({ tries }) => tries)));
  const pooled = differenceInterval(tables, { bundles, z });
  return pooled !== null && pooled.low > -RUN_TOLERANCE;
}
