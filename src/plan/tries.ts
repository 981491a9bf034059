import {
  FRESH_TRIES,
  FULL_TRIES,
  SCREEN_TRIES,
  adaptiveLevels,
  type AdaptiveLevels,
} from '../statistics/adaptive-levels.ts';
import { adaptive, type Adaptive } from '../statistics/adaptive.ts';
import type { Tries } from '../statistics/table.ts';
import { gatesByPreference } from '../suite/metrics.ts';
import type { GateSettings, Settings } from '../suite/suite.ts';
import type { CaseRun, ComparedLane, LaneRun, NextTries, TryPolicy } from './suite-run.ts';

/** Positions of references tagged `critical`: they gate one by one, before all others. */
export function criticalOf(compared: readonly CaseRun[]): number[] {
  return compared.flatMap(({ case: one }, index) =>
    one.reference.tags.includes('critical') ? [index] : [],
  );
}

export function outcomesOf({ base, head }: CaseRun): Tries {
  return {
    base: base.map(({ result }) => result.outcome),
    head: head.map(({ result }) => result.outcome),
  };
}

/**
 * Tries a side where the adaptive policy cannot be followed: a sweep, a prompt that base does not
 * have, comparisons of answers.
 */
const UNCOMPARED_TRIES = SCREEN_TRIES;

/**
 * The test file's `n_tries`, else the settings'. In a sweep, and where both sides' answers are
 * compared with each other, `adaptive` is a fixed number.
 */
export function tryPolicy(
  { lane, deciding }: LaneRun,
  settings: Settings,
  compares: boolean,
): TryPolicy {
  const tries = (lane.head ?? lane.base)?.suite.tests.n_tries ?? settings.n_tries;
  const kind = compares && gatesByPreference(deciding.tests) ? 'pairs' : 'fixed';
  if (tries !== 'adaptive') return { kind, tries };
  if (kind === 'pairs') return { kind, tries: UNCOMPARED_TRIES };
  return compares ? { kind: 'adaptive' } : { kind: 'fixed', tries: UNCOMPARED_TRIES };
}

/**
 * What each lane wants next. Fixed lanes want their number once. Adaptive lanes follow the policy
 * at the smallest level that Holm's procedure may give them; its steps do not depend on the level
 * other than by stopping earlier, so what was collected can be judged at any larger one.
 */
export function nextTries(lanes: readonly ComparedLane[], settings: GateSettings): NextTries {
  const comparing = Math.max(1, lanes.filter(({ compared }) => compared.length > 0).length);
  const levels = adaptiveLevels(settings.alpha / comparing, settings.gate_on);
  const byRun = new Map(lanes.map((lane) => [lane.run, lane]));
  return (run) => {
    const lane = byRun.get(run);
    if (lane === undefined) return new Map();
    const { policy } = lane;
    const wanted = policy.kind === 'adaptive' ? adaptively(lane, levels) : fixed(run, policy.tries);
    return new Map([...wanted].filter(([index, count]) => lacks(run.runs[index], count)));
  };
}

function fixed(run: LaneRun, tries: number): Map<number, number> {
  return new Map(run.runs.map(({ case: one }, index) => [index, one.reference.n_tries ?? tries]));
}

function adaptively(
  { run, compared, gate }: ComparedLane,
  levels: AdaptiveLevels,
): Map<number, number> {
  const wanted = fixed(run, SCREEN_TRIES);
  const state = adaptive(compared.map(outcomesOf), {
    levels,
    minDrop: gate.min_drop,
    critical: criticalOf(compared),
  });
  const position = new Map(run.runs.map((one, index) => [one, index]));
  for (const { reference, to } of state.next?.wanted ?? naming(state)) {
    const one = compared[reference];
    const index = one === undefined ? undefined : position.get(one);
    if (index !== undefined) wanted.set(index, Math.max(to, wanted.get(index) ?? 0));
  }
  return wanted;
}

/** At most so many suspects get fresh tries when the suite's verdict does not need them. */
const NAMED_SUSPECTS = 10;

/**
 * A suite that is regressed after its first tries already still owes the reviewer which references
 * broke.
 */
function naming({ decidedBy, suspects }: Adaptive): { reference: number; to: number }[] {
  return decidedBy === 'screen'
    ? suspects
        .slice(0, NAMED_SUSPECTS)
        .map((reference) => ({ reference, to: SCREEN_TRIES + FRESH_TRIES }))
    : [];
}

function lacks(run: CaseRun | undefined, count: number): boolean {
  if (run === undefined) return false;
  return (['base', 'head'] as const).some(
    (side) => run.case[side] !== null && run[side].length < count,
  );
}

/**
 * Tries that the adaptive lanes made, and what five fixed ones a side would have made of the same
 * references, distinct questions once. Null without an adaptive lane that ran.
 */
export function adaptiveTries(
  lanes: readonly ComparedLane[],
): { made: number; fixed: number } | null {
  const made = new Map<string, number>();
  for (const { run, policy } of lanes) {
    if (policy.kind !== 'adaptive') continue;
    for (const { case: one, base, head } of run.runs) {
      if (one.reference.n_tries !== null) continue;
      for (const [generation, tries] of [
        [one.base, base.length],
        [one.head, head.length],
      ] as const) {
        if (generation === null || generation.kind === 'impossible' || tries === 0) continue;
        made.set(generation.fingerprint, Math.max(tries, made.get(generation.fingerprint) ?? 0));
      }
    }
  }
  const sum = [...made.values()].reduce((total, tries) => total + tries, 0);
  return made.size === 0 ? null : { made: sum, fixed: FULL_TRIES * made.size };
}
