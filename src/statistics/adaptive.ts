import { FRESH_TRIES, FULL_TRIES, SCREEN_TRIES, type AdaptiveLevels } from './adaptive-levels.ts';
import { combinedGate, type Gate } from './gate.ts';
import { meanDifference } from './interval.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import { fell, made, tableOf, type Table, type Tries, within } from './table.ts';

export type AdaptiveStep = 'screen' | 'confirm' | 'extend';

/**
 * Try indices `from` (included) to `to` (excluded) that a reference needs on both sides; one side
 * may have some already.
 */
export interface Wanted {
  reference: number;
  from: number;
  to: number;
  /**
   * A suspect's confirmation: these tries are judged alone, without the screening tries that made
   * it a suspect.
   */
  fresh: boolean;
}

export interface AdaptiveOptions {
  levels: AdaptiveLevels;
  /** The mean must fall by at least this (0–1) for a suite test to count. Default 0. */
  minDrop?: number;
  /**
   * Positions of references that are suspects whenever head is worse, and are served first in the
   * confirmation.
   */
  critical?: readonly number[];
  /**
   * Level of the suspects' joint test (`confirm.suite.level`) at a smaller alpha, for
   * `judgeFamily`. Default 0.
   */
  keep?: number;
}

/**
 * A suite test within the policy. `hit`: it reached its level and the mean fell by `minDrop` at
 * least.
 */
export interface Look extends SuiteTest {
  level: number;
  difference: number | null;
  hit: boolean;
}

export interface Adaptive {
  /** What to run before asking again; null when the answer is final. */
  next: { step: AdaptiveStep; wanted: Wanted[] } | null;
  regressed: boolean;
  /** Shown only, never a gate. */
  improved: boolean;
  /** The step that found the regression. */
  decidedBy: AdaptiveStep | null;
  screen: Look | null;
  /** Gate over the suspects' fresh tries alone; its positions count within `suspects`. */
  confirm: Gate | null;
  extend: Look | null;
  /**
   * References that fell from every screening try passed to none, and critical ones that got worse;
   * ascending.
   */
  suspects: number[];
  /** References that broke, by their fresh tries; ascending. */
  hits: number[];
  /**
   * Tries a side that all references share; rates come from these, so that a suspect's extra tries
   * do not bias them.
   */
  commonTries: number;
  common: Table[];
  /**
   * What a reference's own verdict of "worse" stands on: a suspect's fresh tries, else the common
   * ones.
   */
  own: Table[];
}

/**
 * The adaptive policy as a function of the tries so far: run what `next` wants and ask again, three
 * times at most.
 *
 * 1. screen: 2 tries a side everywhere. Suite mid-p <= levels.screen: regressed.
 * 2. confirm: 5 fresh tries a side for the suspects; `combinedGate` over these alone within
 *    levels.confirm: regressed.
 *    Of that level, what single references cannot use tests the suspects together, which finds several that broke at once.
 * 3. extend: unless the screening's mid-p is above levels.futile, up to 5 tries a side everywhere;
 *    suite mid-p on the
 *    first 5 of every reference <= levels.extend: regressed.
 *
 * Tries beyond those wanted are ignored, and a larger alpha only ever stops earlier: tries
 * collected at one alpha can be judged at any larger one. `improved`: midUp on the common tries
 * within the suite's part of alpha.
 */
export function adaptive(references: readonly Tries[], options: AdaptiveOptions): Adaptive {
  const { levels } = options;
  const common = references.map((tries) => tableOf(tries, 0, SCREEN_TRIES));
  const start: Adaptive = {
    next: null,
    regressed: false,
    improved: false,
    decidedBy: null,
    screen: null,
    confirm: null,
    extend: null,
    suspects: [],
    hits: [],
    commonTries: 0,
    common,
    own: common,
  };
  const wanted = lacking(references, [...references.keys()], 0, SCREEN_TRIES, false);
  if (wanted.length > 0) return { ...start, next: { step: 'screen', wanted } };

  const screen = look(common, levels.screen, options);
  const suspects = levels.confirm > 0 ? suspected(common, new Set(options.critical)) : [];
  const screened = { ...start, screen, suspects, commonTries: SCREEN_TRIES };
  if (screen.hit) return { ...screened, regressed: true, decidedBy: 'screen' };

  const confirmed = confirmation(references, screened, options);
  if (confirmed.next !== null || confirmed.regressed) return confirmed;
  if (!within(screen.midDown, levels.futile))
    return { ...confirmed, improved: better(screen, options) };
  return extension(references, confirmed, options);
}

function confirmation(
  references: readonly Tries[],
  state: Adaptive,
  options: AdaptiveOptions,
): Adaptive {
  const { suspects } = state;
  if (suspects.length === 0) return state;
  const [from, to] = [SCREEN_TRIES, SCREEN_TRIES + FRESH_TRIES];
  const wanted = lacking(references, suspects, from, to, true);
  if (wanted.length > 0) return { ...state, next: { step: 'confirm', wanted } };

  const isSuspect = new Set(suspects);
  const critical = new Set(options.critical);
  const own = references.map((tries, i) =>
    isSuspect.has(i) ? tableOf(tries, from, to) : tableOf(tries, 0, SCREEN_TRIES),
  );
  const confirm = combinedGate(
    own.filter((_, i) => isSuspect.has(i)),
    {
      alpha: options.levels.confirm,
      on: 'suite+references',
      share: 1,
      keep: options.keep ?? 0,
      first: suspects.flatMap((reference, at) => (critical.has(reference) ? [at] : [])),
    },
  );
  const hits = confirm.references.hits.flatMap((at) => suspects[at] ?? []);
  return {
    ...state,
    confirm,
    hits,
    own,
    regressed: confirm.regressed,
    decidedBy: confirm.regressed ? 'confirm' : null,
  };
}

function extension(
  references: readonly Tries[],
  state: Adaptive,
  options: AdaptiveOptions,
): Adaptive {
  const wanted = lacking(references, [...references.keys()], SCREEN_TRIES, FULL_TRIES, false);
  if (wanted.length > 0) return { ...state, next: { step: 'extend', wanted } };

  const common = references.map((tries) => tableOf(tries, 0, FULL_TRIES));
  const isSuspect = new Set(state.suspects);
  const own = common.map((table, i) => (isSuspect.has(i) ? (state.own[i] ?? table) : table));
  const extend = look(common, options.levels.extend, options);
  const improved = !extend.hit && better(extend, options);
  return {
    ...state,
    extend,
    common,
    own,
    improved,
    commonTries: FULL_TRIES,
    regressed: extend.hit,
    decidedBy: extend.hit ? 'extend' : null,
  };
}

function look(tables: readonly Table[], level: number, { minDrop = 0 }: AdaptiveOptions): Look {
  const test = suiteTest(tables);
  const difference = meanDifference(tables);
  return {
    ...test,
    level,
    difference,
    hit: within(test.midDown, level) && fell(difference, minDrop),
  };
}

function better(look: Look, { levels, minDrop = 0 }: AdaptiveOptions): boolean {
  return (
    within(look.midUp, levels.alpha - levels.confirm) &&
    fell(look.difference === null ? null : -look.difference, minDrop)
  );
}

/**
 * Every try passed on base and none on head, with the full number of tries; critical ones: worse at
 * all.
 */
function suspected(tables: readonly Table[], critical: ReadonlySet<number>): number[] {
  return tables.flatMap(({ base, head }, i) => {
    const collapsed =
      base.passes === SCREEN_TRIES && head.tries === SCREEN_TRIES && head.passes === 0;
    const worse = base.passes * head.tries > head.passes * base.tries;
    return collapsed || (critical.has(i) && worse) ? [i] : [];
  });
}

function lacking(
  references: readonly Tries[],
  chosen: readonly number[],
  from: number,
  to: number,
  fresh: boolean,
): Wanted[] {
  return chosen.flatMap((reference) => {
    const tries = references[reference];
    const start = tries === undefined ? to : Math.max(from, made(tries));
    return start < to ? [{ reference, from: start, to, fresh }] : [];
  });
}
