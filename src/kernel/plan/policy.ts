import { isFall, smallestP } from '../statistics/columns.ts';
import { holm } from '../statistics/gate.ts';
import { findHealed } from '../statistics/healing.ts';
import { isRise, lookAt, plannedTries, type Look, type SuiteLedger } from '../statistics/ledger.ts';
import {
  calledReferences,
  judgeReferences,
  type SuspectScope,
  type References,
} from '../statistics/suspicion.ts';
import { triesMade, reachesLevel } from '../statistics/table.ts';
import { ruledOutBy, toleranceOf, visibleAt } from './calm.ts';
import { boundQuantile, lookLevels, lookPlan, MOST_TRIES, type LookPlan } from './looks.ts';

/** How alpha is shared, 0–1 each. */
export interface RunLevels {
  /** The least that Holm's procedure may give one suite. */
  suite: number;
  /** For all questions of the run together; 0: there is no pool. */
  pool: number;
  /** For all single references together, and which are judged. */
  references: number;
  judged: SuspectScope;
}

/** Suites that are tried and looked at in step, and what they want next. */
export interface RunState {
  plan: LookPlan;
  /** By suite; empty with a fixed number of tries. */
  looks: Look[][];
  /** Looks at all suites together; with fixed tries one. Empty without a pool. */
  pool: Look[];
  references: References;
  /** By suite, positions of references that look worse until more tries clear them. */
  suspects: number[][];
  /** By suite, positions of references that head healed. */
  healed: number[][];
  /** By suite, the next number of tries per side by position; all empty: the run is done. */
  wanted: Map<number, number>[];
}

/** The drop that the pool rules out under green, where the suites do not all set one. */
const RUN_TOLERANCE = 0.05;

/** A suite with a larger p does not go on alone once the pool is calm. */
const ALONE_P = 0.2;

/** A suite with a smaller adjusted p is suspicious by itself: the pool does not settle it. */
const SUSPICIOUS_P = 0.1;

/**
 * Replays the policy on the tries so far. All suites get the first look's tries, then suspicious
 * references are tried in pairs until they are called or cleared, then all suites that are not
 * settled get one more. When the pool is calm, only suites that look worse continue.
 */
export function runState(suites: readonly SuiteLedger[], levels: RunLevels): RunState {
  const plan = lookPlan(questionsOf(suites));
  const references = judgeReferences(suites, { level: levels.references, judged: levels.judged });
  const walk = walkLooks(suites, { levels, plan, references });
  const place = placesOf(suites);
  const all = suites.flatMap(({ columns }) => columns[0].tries);
  const healing = findHealed(all, mostSuspects(all.length));
  const bySuite = (positions: readonly number[]): number[][] =>
    suites.map((_, s) => positions.flatMap((at) => (place[at]?.suite === s ? place[at].at : [])));
  const state = { plan, looks: walk.looks, pool: walk.pool, references };
  const suspects = suspectsOf(suites, state).map((own, s) => (walk.fell[s] === true ? [] : own));
  const areOpen = !references.called && suspects.some(({ length }) => length > 0);
  const wanted = suites.map((suite, s): Map<number, number> => {
    if (areOpen) return onePairMore(suite, suspects[s] ?? []);
    return walk.next === null || walk.going[s] !== true ? new Map() : triesUpTo(suite, walk.next);
  });
  bySuite(healing.open).forEach((open, s) => {
    const own = suites[s];
    if (own === undefined || own.fixed !== null) return;
    for (const at of open) {
      wanted[s]?.set(at, Math.max(triesAt(own, at) + 1, wanted[s].get(at) ?? 0));
    }
  });
  return { ...state, suspects, healed: bySuite(healing.healed), wanted };
}

function placesOf(suites: readonly SuiteLedger[]): { suite: number; at: number }[] {
  return suites.flatMap(({ columns: [all] }, suite) =>
    [...all.tries.keys()].map((at) => ({ suite, at })),
  );
}

/** Tries per side before the first look. */
export function firstTriesOf(suites: readonly SuiteLedger[]): number {
  return lookPlan(questionsOf(suites)).tries[0] ?? MOST_TRIES;
}

/** Questions with one block count once. */
function questionsOf(suites: readonly SuiteLedger[]): number {
  const all = suites.flatMap(({ blocks }) => blocks);
  const named = all.filter((block) => block !== null);
  return all.length - named.length + new Set(named).size;
}

interface Walk {
  looks: Look[][];
  pool: Look[];
  going: boolean[];
  /** By suite, whether it fell by itself: then its suspicious references no longer matter. */
  fell: boolean[];
  /** Tries per side that the next look needs; null: no look follows. */
  next: number | null;
}

function walkLooks(
  suites: readonly SuiteLedger[],
  { levels, plan, references }: { levels: RunLevels } & Pick<RunState, 'plan' | 'references'>,
): Walk {
  const walk: Walk = {
    looks: suites.map(() => []),
    pool: [],
    going: suites.map(({ fixed }) => fixed === null),
    fell: suites.map(() => false),
    next: null,
  };
  const hasPool = levels.pool > 0;
  if (!walk.going.includes(true) && hasPool) walk.pool.push(poolLook(suites, walk, undefined));
  let alone = false;
  for (const [k, tries] of plan.tries.entries()) {
    suites.forEach((suite, s) => {
      const isCalled = calledReferences(references, s).length > 0;
      if (isCalled && leastTries(suite) < tries) walk.going[s] = false;
    });
    const active = suites.flatMap((suite, s) => (walk.going[s] === true ? [{ suite, s }] : []));
    if (active.length === 0) return walk;
    if (active.some(({ suite }) => leastTries(suite) < tries)) return { ...walk, next: tries };
    const z = boundQuantile(plan, tries);
    for (const { suite, s } of active) walk.looks[s]?.push(lookAt(suite, tries, z));
    if (hasPool && !alone) walk.pool.push(poolLook(suites, walk, z));
    alone = settle(suites, walk, { k, levels, plan, alone });
  }
  return walk;
}

/** Stops suites after the look `k`. Returns whether the pool is calm: suspicious suites go on alone. */
function settle(
  suites: readonly SuiteLedger[],
  walk: Walk,
  { k, levels, plan, alone }: { k: number; levels: RunLevels; plan: LookPlan; alone: boolean },
): boolean {
  const { looks, going, fell } = walk;
  const own = lookLevels(levels.suite, plan);
  const level = own[k] ?? 0;
  const isLast = k === plan.tries.length - 1;
  const last = suites.map((_, s) => looks[s]?.at(-1));
  const p = last.map((look) => (look === undefined ? 1 : smallestP(look, level)));
  const calm = suites.map((suite, s) => {
    const look = last[s];
    if (look === undefined) return suite.fixed !== null;
    const tolerance = toleranceOf(suite.tolerance, visibleAt(look, plan, own));
    return ruledOutBy(look, tolerance, { plan, isLast }) !== null;
  });
  suites.forEach((suite, s) => {
    const look = last[s];
    if (look === undefined || going[s] !== true) return;
    const { minDrop } = suite;
    fell[s] = isFall(look, level, minDrop);
    if (fell[s] === true || isRise(look, level, minDrop)) going[s] = false;
  });
  const stop = (isDone: (s: number) => boolean): void => {
    for (const s of suites.keys()) if (isDone(s)) going[s] = false;
  };
  const pool = walk.pool.at(-1);
  if (pool === undefined) {
    stop((s) => calm[s] === true && (p[s] ?? 1) > plan.futile);
    return false;
  }
  if (alone) {
    stop((s) => (p[s] ?? 1) > ALONE_P);
    return true;
  }
  const poolLevel = lookLevels(levels.pool, plan)[k] ?? 0;
  if (isFall(pool, poolLevel, leastDrop(suites))) {
    stop(() => true);
    return false;
  }
  const isSmall = plan.tries[0] !== 1;
  const quiet = pool.test.midDown > plan.futile;
  const isCalm = isPoolCalm(pool, suites) || (isSmall && calm.every((own) => own));
  if (isCalm && quiet) {
    stop((s) => (p[s] ?? 1) > ALONE_P);
    return true;
  }
  if (isSmall && quiet) stop((s) => calm[s] === true && (p[s] ?? 1) > plan.futile);
  return false;
}

/** All questions of the run in one contrast, each suite with the tries of its last look. */
function poolLook(suites: readonly SuiteLedger[], { looks }: Walk, z: number | undefined): Look {
  const tries = suites.flatMap((suite, s) => {
    const [all] = plannedTries(suite).columns;
    const upTo = looks[s]?.at(-1)?.tries;
    return all.tries.map(({ base, head }) => ({
      base: base.slice(0, upTo),
      head: head.slice(0, upTo),
    }));
  });
  const blocks = suites.flatMap((suite) => suite.blocks);
  return lookAt({ columns: [{ metric: null, tries }], blocks }, Infinity, z);
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

/** The drop (0–1) that all suites together must rule out: no suite asks for a smaller one. */
export function poolTolerance(suites: readonly Pick<SuiteLedger, 'tolerance'>[]): number {
  const set = suites.flatMap(({ tolerance }) => (tolerance === 'auto' ? [] : tolerance));
  return Math.min(RUN_TOLERANCE, ...set);
}

/** Whether a suite looks worse by itself, so that a calm pool does not make it green. */
export function isSuspiciousAlone(looks: readonly Look[]): boolean {
  const p = looks.map((look) => smallestP(look, 0));
  return holm(p).some((adjusted) => reachesLevel(adjusted, SUSPICIOUS_P));
}

/** With more suspicious references than this, the looks will detect the drop. */
export function mostSuspects(references: number): number {
  return Math.max(10, Math.ceil(references / 10));
}

/**
 * Suspicious references that are tried on: those already begun, and the most suspicious others as
 * far as {@link mostSuspects} allows. Critical ones always are.
 */
function suspectsOf(
  suites: readonly SuiteLedger[],
  { looks, references }: Pick<RunState, 'looks' | 'references'>,
): number[][] {
  const judged = suites.flatMap((suite, s) => {
    const look = looks[s]?.at(-1)?.tries ?? Infinity;
    return (references.suspicions[s] ?? []).map(({ value, open }, at) => {
      const shared = suite.fixed === null ? look : (suite.fixed[at] ?? Infinity);
      const tries = triesAt(suite, at);
      const isChosen = tries > shared || suite.critical.has(at);
      return { s, at, value, open: open && tries >= shared, isChosen };
    });
  });
  const chosen = judged.filter(({ isChosen }) => isChosen);
  const others = judged
    .filter(({ open, isChosen }) => open && !isChosen)
    .sort((a, b) => b.value - a.value)
    .slice(0, Math.max(0, mostSuspects(judged.length) - chosen.length));
  const suspects = [...chosen.filter(({ open }) => open), ...others];
  return suites.map((_, s) => suspects.flatMap((own) => (own.s === s ? [own.at] : [])));
}

function onePairMore(suite: SuiteLedger, positions: readonly number[]): Map<number, number> {
  return new Map(positions.map((at) => [at, triesAt(suite, at) + 1]));
}

function triesAt({ columns: [all] }: SuiteLedger, at: number): number {
  return triesMade(all.tries[at] ?? { base: [], head: [] });
}

function leastTries({ columns: [all] }: SuiteLedger): number {
  return all.tries.reduce((least, own) => Math.min(least, triesMade(own)), Infinity);
}

function triesUpTo({ columns: [all] }: SuiteLedger, wanted: number): Map<number, number> {
  return new Map(
    all.tries.flatMap((own, at) => (triesMade(own) < wanted ? [[at, wanted] as const] : [])),
  );
}
