import type { Score, Side, TryResult } from '../../types.ts';
import type { Case } from '../select/affected.ts';
import { execute, type Executors, type Sample, type Trial } from './execute.ts';
import { outcomeOf } from '../compare/rollup.ts';
import { scoreSamples, type ScoringTools } from './score.ts';
import type { Lane } from '../select/select.ts';
import { conversationResult, conversationScore } from '../conversation/transcript.ts';
import { viewsUnder } from '../conversation/view.ts';
import {
  isYardstickKey,
  referenceYardstickDiffers,
  steeringFor,
  type Yardstick,
} from '../fingerprint/yardstick.ts';

/**
 * One try of one case on one side, judged by the deciding yardstick and, where the yardsticks
 * differ, by the other.
 */
export interface Attempt {
  result: TryResult;
  other: TryResult | null;
}

export interface CaseRun {
  case: Case;
  base: Attempt[];
  head: Attempt[];
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

function expectedDiffers(one: Case): boolean {
  return one.baseReference !== null && referenceYardstickDiffers(one.baseReference, one.reference);
}

/**
 * Runs and scores rounds of tries in all lanes until none wants more. The lanes' `runs` are filled
 * in place.
 */
export async function runRounds(
  lanes: readonly LaneRun[],
  next: NextTries,
  tools: Executors & ScoringTools,
): Promise<void> {
  for (;;) {
    const planned = lanes.flatMap((lane, index) => plannedTrials(lane, index, next(lane)));
    if (planned.length === 0) return;
    const trials = interleaved(planned);
    const samples = await execute(
      trials.map(({ trial }) => trial),
      tools,
    );
    await Promise.all(
      lanes.map((lane, index) => {
        const own = samples.filter((_, position) => trials[position]?.lane === index);
        return score(lane, own, tools);
      }),
    );
  }
}

interface PlannedTrial {
  lane: number;
  order: number;
  trial: Trial;
}

function plannedTrials(
  lane: LaneRun,
  laneIndex: number,
  wanted: ReadonlyMap<number, number>,
): PlannedTrial[] {
  const steering = steeringFor(lane.deciding);
  return [...wanted].flatMap(([index, count]) => {
    const run = lane.runs[index];
    if (run === undefined) return [];
    return (['base', 'head'] as const).flatMap((side) => {
      const generation = run.case[side];
      if (generation === null) return [];
      const first = run[side].length;
      return Array.from({ length: Math.max(0, count - first) }, (_, step) => ({
        lane: laneIndex,
        order: index,
        trial: { caseId: String(index), side, try: first + step, generation, steering },
      }));
    });
  });
}

/**
 * Try by try, lane by lane, reference by reference, base beside head: drift over time hits both
 * sides alike.
 */
function interleaved(planned: readonly PlannedTrial[]): PlannedTrial[] {
  return [...planned].sort(
    (a, b) =>
      a.trial.try - b.trial.try ||
      a.lane - b.lane ||
      a.order - b.order ||
      a.trial.side.localeCompare(b.trial.side),
  );
}

async function score(
  lane: LaneRun,
  samples: readonly Sample[],
  tools: ScoringTools,
): Promise<void> {
  const cases = samples.map(({ trial }) => lane.runs[Number(trial.caseId)]?.case);
  const judge = async (yardstick: Yardstick): Promise<TryResult[]> => {
    const views = await viewsUnder(samples, yardstick, tools);
    const scores = await scoreSamples(
      views.map((sample, index) => ({ sample, reference: judgedBy(cases[index], yardstick) })),
      yardstick,
      tools,
    );
    return views.map((sample, index) => tryResult(sample, scores[index] ?? [], yardstick));
  };
  const [deciding, other] = await Promise.all([
    judge(lane.deciding),
    lane.other === null ? null : judge(lane.other),
  ]);
  samples.forEach((sample, index) => {
    const result = deciding[index];
    if (result !== undefined)
      lane.runs[Number(sample.trial.caseId)]?.[sample.trial.side].push({
        result,
        other: other?.[index] ?? null,
      });
  });
}

/**
 * A yardstick holds its own side's expected values; a reference the other side does not have brings
 * its own.
 */
function judgedBy(one: Case | undefined, { side }: Yardstick): Case['reference'] {
  if (one === undefined) throw new TypeError('a sample belongs to a case');
  return side === 'base' ? (one.baseReference ?? one.reference) : one.reference;
}

function tryResult(
  { trial, completion, dialogue }: Sample,
  ofMetrics: Score[],
  yardstick: Yardstick,
): TryResult {
  const steering = steeringFor(yardstick);
  const conversation =
    dialogue === null || steering === null
      ? {}
      : { conversation: conversationResult(dialogue, steering) };
  if (completion.status === 'error') {
    return {
      try: trial.try,
      outcome: 'error',
      actual: null,
      error: completion.message,
      scores: [],
      usage: null,
      latency_ms: null,
      reused: false,
      finish_reason: null,
      ...conversation,
    };
  }
  const { output, usage, latency_ms, reused, finish_reason } = completion;
  const scores = dialogue === null ? ofMetrics : [...conversationScore(dialogue), ...ofMetrics];
  return {
    try: trial.try,
    outcome: outcomeOf(scores),
    actual: output,
    error: null,
    scores,
    usage,
    latency_ms,
    reused,
    finish_reason,
    ...conversation,
  };
}
