import { bundlesOf, type Bundle } from './bundles.ts';
import { evidenceOf, pairsOf } from './evidence.ts';
import { holm } from './gate.ts';
import { differenceInterval } from './interval.ts';
import { boundQuantile, FIRST_TRIES, LOOKS, MOST_TRIES } from './looks.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import { fell, isComparable, triesMade, tableOf, type Table, type Tries, within } from './table.ts';
import { designOf, visibleDrop } from './visible-drop.ts';

/** Part of alpha with which single references are called; the suites' looks share the rest. */
export const REFERENCE_SHARE = 0.2;

/** A suite whose mid-p is above this does not look worse; more tries would rarely say otherwise. */
export const FUTILE = 0.3;

/** Smallest and largest tolerance that `auto` can come to. */
const AUTO = { least: 0.05, most: 0.1 };

/** Pooled over all suites of a run, a larger drop than this is to be ruled out. */
const RUN_TOLERANCE = 0.05;

/** A suite with a smaller p than this, adjusted for their number, is suspicious by itself. */
const SUSPICIOUS_P = 0.2;

/** A suite whose references are tried until the answer is clear. */
export interface SequentialSuite {
  tries: readonly Tries[];
  /** By reference: the name of the cluster that it moves with, or null. */
  clusters: readonly (string | null)[];
  /** Positions of references of which each single one counts. */
  critical: ReadonlySet<number>;
  /** Positions of references that nearly always passed in earlier runs: any failure is suspicious. */
  steady: ReadonlySet<number>;
  /** The mean must fall by at least this (0–1) for a look to count. */
  minDrop: number;
  /** The largest drop (0–1) that may stand under green. */
  tolerance: number | 'auto';
}

/** A suite as its first `tries` tries of every reference show it. */
export interface Look {
  tries: number;
  tables: Table[];
  bundles: Bundle[];
  test: SuiteTest;
  /** Of head − base; the low end is the bound that must lie above −tolerance. Null: nothing seen. */
  interval: { difference: number; low: number; high: number } | null;
}

export function lookAt({ tries, clusters }: SequentialSuite, upTo: number): Look {
  const tables = tries.map((own) => tableOf(own, 0, upTo));
  const bundles = bundlesOf(tries, clusters, upTo);
  return {
    tries: upTo,
    tables,
    bundles,
    test: suiteTest(tables, bundles),
    interval: differenceInterval(tables, { bundles, z: boundQuantile(upTo) }),
  };
}

/** All looks that the tries so far allow, the last one last; none before the first tries are in. */
export function looksOf(suite: SequentialSuite): Look[] {
  const most = Math.min(...suite.tries.map(triesMade));
  return LOOKS.filter((tries) => tries <= most).map((tries) => lookAt(suite, tries));
}

/** The first look at which the suite fell (`down`) or rose (`up`) at its level; null: at none. */
export function decidingLook(
  looks: readonly Look[],
  levels: readonly number[],
  minDrop: number,
  way: 'down' | 'up',
): Look | null {
  const hit = looks.find(({ test, interval }, i) => {
    const difference = interval?.difference ?? null;
    return way === 'down'
      ? within(test.midDown, levels[i] ?? 0) && fell(difference, minDrop)
      : within(test.midUp, levels[i] ?? 0) &&
          fell(difference === null ? null : -difference, minDrop);
  });
  return hit ?? null;
}

/**
 * What one reference's tries say about it alone. `open`: suspicious, and more pairs of tries would
 * tell; `value`: its evidence, an e-value.
 */
interface Suspicion {
  value: number;
  open: boolean;
}

/** Tries a side after which a reference is not sampled on, judged or not. */
export const MOST_PAIRS = 40;

/**
 * Evidence that keeps a reference under suspicion from so many pairs on, and that of one which is
 * watched: a critical or steady one, for which one failure more on head is enough to begin with.
 * Chosen for power and cost; whatever they are, the level holds.
 */
const NEEDED = [
  { pairs: 14, evidence: 12, watched: 4 },
  { pairs: 8, evidence: 3, watched: 0.3 },
  { pairs: 0, evidence: 2, watched: 0.3 },
];

export function suspicionOf(tries: Tries, watched: boolean): Suspicion {
  const pairs = pairsOf(tries);
  const value = evidenceOf(pairs);
  const failed = (side: 'base' | 'head'): number => pairs.filter((pair) => !pair[side]).length;
  const rung = NEEDED.find((step) => pairs.length >= step.pairs);
  const needed = rung === undefined ? Infinity : watched ? rung.watched : rung.evidence;
  const open = failed('head') > failed('base') && triesMade(tries) < MOST_PAIRS && value >= needed;
  return { value, open };
}

/** The single references of a run, of all its sequential suites together. */
interface References {
  /** By suite and position. */
  suspicions: Suspicion[][];
  /** Some broke: the weighted mean of all evidence has reached 1/level. */
  called: boolean;
}

/** Evidence from which on a reference is named once some are called. */
const NAMED = 20;

/**
 * Single references under one level (a part of alpha; 0: they do not count), whatever is tried
 * next and whenever it ends: the weighted mean of e-values is one itself. All weigh alike, but
 * where there are critical ones they have half of it.
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
export function openIn({ suspicions }: References, suite: number): number[] {
  return [...(suspicions[suite] ?? []).entries()]
    .filter(([, { open }]) => open)
    .sort(([, a], [, b]) => b.value - a.value)
    .map(([i]) => i);
}

/** Positions of a suite's references that are called. */
export function calledIn({ suspicions, called }: References, suite: number): number[] {
  const own = called ? (suspicions[suite] ?? []) : [];
  return own.flatMap(({ value }, i) => (value >= NAMED ? [i] : []));
}

/**
 * The drop that may stand under green: as written, or the smallest one that the suite sees
 * (`visible`; null: none), 5 to 10 points.
 */
export function toleranceOf(tolerance: number | 'auto', visible: number | null): number {
  return tolerance === 'auto'
    ? Math.min(AUTO.most, Math.max(AUTO.least, visible ?? AUTO.most))
    : tolerance;
}

/**
 * Smallest drop that these references are seen to fall by, 0–1; null: none. A suite that stopped
 * early would have gone on to five tries had it looked worse, so it sees what five tries see at the
 * level of the last look.
 */
export function visibleAt(tables: readonly Table[], levels: readonly number[]): number | null {
  const tries = { base: MOST_TRIES, head: MOST_TRIES };
  return visibleDrop({ ...designOf(tables), tries }, levels.at(-1) ?? 0);
}

/** Tries a side after which a small suite may be calm because its difference is not negative. */
const SMALL_TRIES = 3;

/** A suite is small if it is to be all but flawless for the bound to lie above −tolerance. */
const SMALL_SHARE = 0.7;

/**
 * Nothing got worse, as far as this look can tell: the bound lies above −tolerance, or the
 * difference is not negative where no more tries are made, or in a small suite. A small suite in
 * which head is ahead stops at once: waiting would find few falls more.
 */
export function calmness(look: Look, tolerance: number): 'bound' | 'level' | null {
  const { interval, tries, tables } = look;
  if (interval === null) return null;
  if (interval.low > -tolerance) return 'bound';
  const flawless = flawlessBound(tables.filter(isComparable).length, tries);
  const small = flawless >= SMALL_SHARE * tolerance;
  const isAhead = interval.difference > SLACK;
  const from = small ? (isAhead ? FIRST_TRIES : SMALL_TRIES) : MOST_TRIES;
  return interval.difference >= -SLACK && tries >= from ? 'level' : null;
}

/** Rounding slack of a difference that is 0 on paper. */
const SLACK = 1e-12;

/** What `references` would rule out if every try on both sides passed. */
function flawlessBound(references: number, tries: number): number {
  const side = { passes: tries, tries };
  const difference = differenceInterval([{ base: side, head: side }], { z: boundQuantile(tries) });
  return -(difference?.low ?? -1) / Math.max(1, references);
}

/**
 * Several suites are calm together when a drop of 5 points over all their references is ruled out
 * and none is suspicious by itself.
 */
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
