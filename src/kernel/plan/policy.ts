import { holmCalled } from '../statistics/holm.ts';
import { isRise, lookAt, rowsOf, type Look } from '../statistics/look.ts';
import { isFall, minPOverMetrics } from '../statistics/metric-min-p.ts';
import { at } from '../statistics/sums.ts';
import { triesMade } from '../statistics/table.ts';
import { plannedTries, type SuiteLedger } from './ledger.ts';
import { boundQuantile, lookLevels, lookPlan, MOST_TRIES, type LookPlan } from './looks.ts';
import { findFixed, judgeReferences, type Suspicion, type SuspectScope } from './suspects.ts';
import { ruledOutBy, resolveTolerance, visibleAt } from './tolerance.ts';

/**
 * Decides which tries to make next. Each round repeats all looks (interim tests) from the first, so
 * no state is kept. Looks use the smallest level that Holm's procedure may give a suite. A larger
 * level would only stop them earlier.
 */

/** Parts of alpha, 0–1 each. */
export interface RunLevels {
  /** The smallest level that Holm's procedure may give a suite. */
  suite: number;
  /** For all questions of the run together (the pool). 0 if there is no pool. */
  pool: number;
  references: number;
  judged: SuspectScope;
}

export interface RunState {
  plan: LookPlan;
  /** Interim tests of all suites together. Only one if tries are fixed. */
  pool: Look[];
  suites: SuiteState[];
}

export interface SuiteState {
  ledger: SuiteLedger;
  /** Empty with fixed tries. */
  looks: Look[];
  references: ReferenceState[];
}

export interface ReferenceState {
  eValue: number;
  isBroken: boolean;
  /** Looks worse, but more tries could show that it is not. */
  isSuspect: boolean;
  isFixed: boolean;
  /** Tries per side to make next. Null if the reference is done. */
  wanted: number | null;
}

/** The drop that all suites together must rule out, unless a suite sets a smaller one. */
const RUN_TOLERANCE = 0.05;

/** A suite with a larger p stops once the pool (all suites together) rules out a drop. */
const ALONE_P = 0.2;

/** A suite with a smaller adjusted p is suspicious, whatever the pool shows. */
const SUSPICIOUS_P = 0.1;

/**
 * All suites get the tries of the first look. Then suspects get pairs of tries until they are
 * decided. Then undecided suites get one more try at a time. Once the pool rules out a drop, only
 * suites that look worse continue.
 */
export function runState(ledgers: readonly SuiteLedger[], levels: RunLevels): RunState {
  const plan = lookPlan(countQuestions(ledgers));
  const { isAnyBroken, suites: judged } = judgeReferences(ledgers, {
    level: levels.references,
    judged: levels.judged,
  });
  const suites = judged.map((own): SuiteWalk => ({
    ...own,
    looks: [],
    isGoing: own.ledger.isAdaptive,
    fell: false,
  }));
  const { pool, next } = walkLooks(suites, { levels, plan });
  const suspects = chooseSuspects(suites);
  const arePairsWanted = !isAnyBroken && suspects.size > 0;
  const all = suites.flatMap(({ references }) => references);
  const { fixed, open } = findFixed(all, maxSuspects(all.length));
  const wantedOf = ({ ledger, isGoing }: SuiteWalk, own: Suspicion) => {
    const made = triesMade(own.reference.tries);
    const isNext = arePairsWanted ? suspects.has(own) : isGoing && next !== null && made < next;
    const wanted = isNext ? (arePairsWanted ? made + 1 : (next ?? 0)) : 0;
    const most = ledger.isAdaptive && open.has(own) ? Math.max(made + 1, wanted) : wanted;
    return most === 0 ? null : most;
  };
  const states = suites.map((suite): SuiteState => ({
    ledger: suite.ledger,
    looks: suite.looks,
    references: suite.references.map((own) => ({
      eValue: own.eValue,
      isBroken: own.isBroken,
      isSuspect: suspects.has(own),
      isFixed: fixed.has(own),
      wanted: wantedOf(suite, own),
    })),
  }));
  return { plan, pool, suites: states };
}

export function firstLookTries(ledgers: readonly SuiteLedger[]): number {
  return lookPlan(countQuestions(ledgers)).tries[0] ?? MOST_TRIES;
}

function countQuestions(ledgers: readonly SuiteLedger[]): number {
  const all = ledgers.flatMap(({ references }) => references);
  const named = all.flatMap(({ cluster }) => cluster ?? []);
  return all.length - named.length + new Set(named).size;
}

interface SuiteWalk {
  ledger: SuiteLedger;
  references: Suspicion[];
  looks: Look[];
  isGoing: boolean;
  /** The suite as a whole fell, so its individual references get no further tries. */
  fell: boolean;
}

function walkLooks(
  suites: readonly SuiteWalk[],
  { levels, plan }: { levels: RunLevels; plan: LookPlan },
) {
  const pool: Look[] = [];
  const hasPool = levels.pool > 0;
  if (suites.every(({ isGoing }) => !isGoing) && hasPool) pool.push(poolLook(suites));
  let isPoolSettled = false;
  for (const [k, tries] of plan.tries.entries()) {
    for (const suite of suites)
      if (suite.references.some(({ isBroken }) => isBroken) && leastTries(suite) < tries)
        suite.isGoing = false;
    const going = suites.filter(({ isGoing }) => isGoing);
    if (going.length === 0) return { pool, next: null };
    if (going.some((suite) => leastTries(suite) < tries)) return { pool, next: tries };
    const z = boundQuantile(plan, tries);
    for (const { ledger, looks } of going) looks.push(lookAt(ledger.references, tries, z));
    if (hasPool && !isPoolSettled) pool.push(poolLook(suites, z));
    isPoolSettled = stopSuites(suites, pool.at(-1), { k, levels, plan, isPoolSettled });
  }
  return { pool, next: null };
}

interface LookStep {
  k: number;
  levels: RunLevels;
  plan: LookPlan;
  isPoolSettled: boolean;
}

function stopSuites(suites: readonly SuiteWalk[], pool: Look | undefined, step: LookStep): boolean {
  const seen = suites.map((suite) => ({ suite, ...suiteAtLook(suite, step) }));
  for (const { suite, fell, rose } of seen)
    if (suite.isGoing) {
      suite.fell = fell;
      suite.isGoing = !fell && !rose;
    }
  const state = pool === undefined ? 'quiet' : poolState(pool, seen, step);
  const ofPool = poolTolerance(suites.map(({ ledger }) => ledger));
  for (const own of seen) if (isSuiteDone(own, state, step.plan, ofPool)) own.suite.isGoing = false;
  return state === 'calm';
}

function isSuiteDone(
  { suite, p, isCalm, tolerance }: SuiteAtLook & { suite: SuiteWalk },
  state: ReturnType<typeof poolState>,
  plan: LookPlan,
  ofPool: number,
): boolean {
  if (state === 'fell' || !suite.isGoing) return true;
  const isSettled = state === 'quiet' ? isCalm && p > plan.futile : state === 'calm' && p > ALONE_P;
  if (!isSettled) return false;
  // A suite that does not rule out a drop itself can be green only with the pool.
  const allowed = isCalm ? tolerance : ofPool;
  return !suite.ledger.hasOpenShare(suite.looks.at(-1)?.tries ?? 0, plan, allowed);
}

/**
 * `fell`: all suites stop. `calm`: the pool rules out a drop, so only suites that look worse
 * continue. `quiet`: suites that rule out a drop stop. `open`: none stops.
 */
function poolState(
  pool: Look,
  seen: readonly (SuiteAtLook & { suite: SuiteWalk })[],
  { k, levels, plan, isPoolSettled }: LookStep,
): 'fell' | 'calm' | 'quiet' | 'open' {
  if (isPoolSettled) return 'calm';
  const ledgers = seen.map(({ suite }) => suite.ledger);
  if (isFall(pool, at(lookLevels(levels.pool, plan), k), leastDrop(ledgers))) return 'fell';
  if (pool.test.midDown <= plan.futile) return 'open';
  const isSmall = plan.tries[0] !== 1;
  if (isPoolCalm(pool, ledgers) || (isSmall && seen.every(({ isCalm }) => isCalm))) return 'calm';
  return isSmall ? 'quiet' : 'open';
}

interface SuiteAtLook {
  p: number;
  fell: boolean;
  rose: boolean;
  isCalm: boolean;
  tolerance: number;
}

function suiteAtLook({ ledger, looks }: SuiteWalk, { k, levels, plan }: LookStep): SuiteAtLook {
  const look = looks.at(-1);
  if (look === undefined)
    return { p: 1, fell: false, rose: false, isCalm: !ledger.isAdaptive, tolerance: 1 };
  const all = lookLevels(levels.suite, plan);
  const level = at(all, k);
  const tolerance = resolveTolerance(ledger.tolerance, visibleAt(look, plan, all));
  const isLast = k === plan.tries.length - 1;
  return {
    p: minPOverMetrics(look, level),
    fell: isFall(look, level, ledger.minDrop),
    rose: isRise(look, level, ledger.minDrop),
    isCalm: ruledOutBy(look, tolerance, { plan, isLast }) !== null,
    tolerance,
  };
}

function poolLook(suites: readonly SuiteWalk[], z?: number): Look {
  const rows = suites.flatMap(({ ledger, looks }) => {
    const last = looks.at(-1);
    return last === undefined ? plannedTries(ledger) : rowsOf(last);
  });
  return lookAt(
    rows.map(({ tries, cluster }) => ({ tries, cluster })),
    Infinity,
    z,
  );
}

export function leastDrop(suites: readonly Pick<SuiteLedger, 'minDrop'>[]): number {
  return Math.min(...suites.map(({ minDrop }) => minDrop));
}

export function isPoolCalm(
  { interval }: Look,
  suites: readonly Pick<SuiteLedger, 'tolerance'>[],
): boolean {
  return interval !== null && interval.low > -poolTolerance(suites);
}

export function poolTolerance(suites: readonly Pick<SuiteLedger, 'tolerance'>[]): number {
  const set = suites.flatMap(({ tolerance }) => (tolerance === 'auto' ? [] : tolerance));
  return Math.min(RUN_TOLERANCE, ...set);
}

export function isSuspiciousAlone(looks: readonly Look[]): boolean {
  return holmCalled(looks, (look) => minPOverMetrics(look, 0), SUSPICIOUS_P).length > 0;
}

/** How many suspects get extra tries. If there are more, the looks detect the drop anyway. */
export function maxSuspects(references: number): number {
  return Math.max(10, Math.ceil(references / 10));
}

/**
 * All critical suspects and those that already have extra tries. Then others, largest e-values
 * first.
 */
function chooseSuspects(suites: readonly SuiteWalk[]): ReadonlySet<Suspicion> {
  const all = suites.flatMap(({ ledger, looks, fell, references }) =>
    references.map((own) => {
      const made = triesMade(own.reference.tries);
      const shared = ledger.isAdaptive ? (looks.at(-1)?.tries ?? Infinity) : own.reference.planned;
      const isChosen = made > shared || own.reference.isCritical;
      return { own, fell, isOpen: own.isOpen && made >= shared, isChosen };
    }),
  );
  const chosen = all.filter(({ isChosen }) => isChosen);
  const others = all
    .filter(({ isOpen, isChosen }) => isOpen && !isChosen)
    .sort((a, b) => b.own.eValue - a.own.eValue)
    .slice(0, Math.max(0, maxSuspects(all.length) - chosen.length));
  const suspects = [...chosen.filter(({ isOpen }) => isOpen), ...others];
  return new Set(suspects.flatMap(({ own, fell }) => (fell ? [] : own)));
}

function leastTries({ references }: SuiteWalk): number {
  return references.reduce(
    (least, own) => Math.min(least, triesMade(own.reference.tries)),
    Infinity,
  );
}
