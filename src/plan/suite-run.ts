import type { TryResult } from '../result/suite-result.ts';
import { fingerprintOf, type AffectedReference } from '../select/affected.ts';
import { isYardstickKey, referenceYardstickDiffers, type Yardstick } from '../select/scoring.ts';
import { gates, type Lane } from '../select/select.ts';
import type { GateSettings, SuiteGate } from '../suite/suite.ts';
import type { Side } from '../types/plain.ts';

/**
 * One try of one case on one side, judged by the deciding yardstick and, where the yardsticks
 * differ, by the other.
 */
export interface Try {
  result: TryResult;
  other: TryResult | null;
}

export interface CaseRun {
  case: AffectedReference;
  base: Try[];
  head: Try[];
}

export interface LaneRun {
  lane: Lane;
  /** Judges both sides' outputs for the verdict. */
  deciding: Yardstick;
  /** The other side's yardstick where it differs for some reference; null otherwise. */
  other: Yardstick | null;
  /** Cases that can run, in the lane's order; removed references are not among them. */
  runs: CaseRun[];
}

/** Tells the runs of one sweep apart: no process that runs code holds answers of two of them. */
export function identityOf({ lane: { path, name, variant } }: LaneRun): string {
  return JSON.stringify([path, name, variant]);
}

/** How many tries each run wants in all, by its index in `runs`; absent: no more than it has. */
export type NextTries = (run: LaneRun) => ReadonlyMap<number, number>;

/** Prepares a lane: whose yardstick decides, and which cases run at all. */
export function startLane(lane: Lane, deciding: Side): LaneRun {
  const [first, second] = deciding === 'head' ? [lane.head, lane.base] : [lane.base, lane.head];
  const chosen = first ?? second;
  if (chosen === null) throw new TypeError('a lane has at least one side');
  const runs = lane.cases
    .filter(({ change }) => change !== 'removed')
    .map((one) => ({ case: one, base: [], head: [] }));
  const differs =
    first !== null &&
    second !== null &&
    (lane.because.some(({ key }) => isYardstickKey(key)) ||
      runs.some(({ case: one }) => expectedDiffers(one)));
  return { lane, deciding: chosen.yardstick, other: differs ? second.yardstick : null, runs };
}

function expectedDiffers(one: AffectedReference): boolean {
  return one.baseReference !== null && referenceYardstickDiffers(one.baseReference, one.reference);
}

/**
 * Whether a case enters the tests: both sides can be asked, they ask different things (equal ones
 * share their answers and are unchanged by construction), and the reference gates.
 */
function isCompared(
  { lane }: LaneRun,
  { case: one }: CaseRun,
  quarantined: (id: string) => boolean,
): boolean {
  const { base, head, reference } = one;
  if (base === null || head === null || base.kind === 'impossible' || head.kind === 'impossible')
    return false;
  return (
    fingerprintOf(base) !== fingerprintOf(head) && gates(lane, one) && !quarantined(reference.id)
  );
}

/**
 * How tries are planned in a lane: the adaptive policy, or llmeval's fixed number; `pairs` where
 * both sides' answers are compared with each other.
 */
export type TryPolicy = { kind: 'adaptive' } | { kind: 'fixed' | 'pairs'; tries: number };

/** A lane with the runs that enter its tests. */
export interface ComparedLane {
  run: LaneRun;
  policy: TryPolicy;
  /** The run's gate with what this suite sets for itself, and the latter alone. */
  gate: GateSettings;
  ownGate: SuiteGate;
  compared: CaseRun[];
  quarantined(id: string): boolean;
  /** Ids of references that nearly always passed in earlier runs of what base asks. */
  steady: ReadonlySet<string>;
}

/**
 * A lane with the gate that holds for it, which is the run's with the suite's own margins, and the
 * cases that enter its verdict.
 */
export function comparedLane(
  run: LaneRun,
  policy: TryPolicy,
  gates: { run: GateSettings; own: SuiteGate },
  quarantined: (id: string) => boolean,
): ComparedLane {
  return {
    run,
    policy,
    gate: { ...gates.run, ...gates.own },
    ownGate: gates.own,
    compared: run.runs.filter((one) => isCompared(run, one, quarantined)),
    quarantined,
    steady: new Set(),
  };
}
