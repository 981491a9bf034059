import { identityOf, type LaneRun, type NextTries } from '../plan/suite-run.ts';
import type { TryResult } from '../result/suite-result.ts';
import type { AffectedReference } from '../select/affected.ts';
import { steeringFor, type Yardstick } from '../select/scoring.ts';
import { tryOutcomeOf } from '../suite/gate.ts';
import type { Score } from '../types/metric.ts';
import { judgeAgain, type Dialogue } from './conversation.ts';
import type { EvaluatorTools } from './evaluators.ts';
import { attemptOf, execute, type Executors, type Sample, type Trial } from './execute.ts';
import { scoreSamples, type ScoringTools } from './score.ts';
import {
  completionOf,
  conversationResult,
  conversationScore,
  recordedDialogue,
} from './transcript.ts';

/**
 * Samples as a yardstick sees them, without a new answer: a dialogue that another steering led is
 * judged again turn by turn, once for all samples that share it; a yardstick for single answers
 * sees the first answer; and one for dialogues sees a single answer as a dialogue of one turn.
 */
export async function viewsUnder(
  samples: readonly Sample[],
  yardstick: Yardstick,
  tools: EvaluatorTools,
): Promise<Sample[]> {
  const steering = steeringFor(yardstick);
  if (steering === null)
    return samples.map((sample) =>
      sample.dialogue === null
        ? sample
        : { trial: sample.trial, ...completionOf(firstTurn(sample.dialogue)), dialogue: null },
    );
  const again = new Map<Dialogue, Promise<Dialogue>>();
  return Promise.all(
    samples.map(async (sample) => {
      const { trial } = sample;
      if (steering.fingerprint === trial.steering?.fingerprint) return sample;
      const recorded = sample.dialogue ?? singleAnswer(sample);
      if (recorded === null) return sample;
      const judging =
        again.get(recorded) ?? judgeAgain(recorded, steering, attemptOf(trial), tools);
      again.set(recorded, judging);
      const dialogue = await judging;
      return { trial, ...completionOf(dialogue), dialogue };
    }),
  );
}

function firstTurn(dialogue: Dialogue): Dialogue {
  const answers = dialogue.answers.slice(0, 1);
  return {
    ...dialogue,
    turns: dialogue.turns.slice(0, 1),
    answers,
    error: answers.length === 0 ? dialogue.error : null,
  };
}

/** Null where there is no answer to judge. */
function singleAnswer({ messages, completion }: Sample): Dialogue | null {
  if (completion.status === 'error') return null;
  const recorded = recordedDialogue([
    ...messages,
    { role: 'assistant', content: completion.output },
  ]);
  // Its last answer is the one that came, with its tokens and time.
  return { ...recorded, answers: [...recorded.answers.slice(0, -1), completion] };
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
  const suite = identityOf(lane);
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
        trial: { caseId: String(index), suite, side, try: first + step, generation, steering },
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
    const scored = await scoreSamples(
      views.map((sample, index) => ({ sample, reference: judgedBy(cases[index], yardstick) })),
      yardstick,
      tools,
    );
    return scored.map(({ answer, scores }) => tryResult(answer.sample, scores, yardstick));
  };
  const [deciding, other] = await Promise.all([
    judge(lane.deciding),
    lane.other === null ? null : judge(lane.other),
  ]);
  samples.forEach((sample, index) => {
    const result = deciding[index];
    if (result === undefined) throw new TypeError('a sample has no result');
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
function judgedBy(
  one: AffectedReference | undefined,
  { side }: Yardstick,
): AffectedReference['reference'] {
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
    outcome: tryOutcomeOf(scores),
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
