import {
  identityOf,
  withMoreTries,
  type MadeTry,
  type NextTries,
  type SuiteComparison,
  type SuiteRun,
} from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { AffectedReference } from '../select/affected.ts';
import { steeringFor, type Scoring } from '../select/scoring.ts';
import { tryOutcomeOf } from '../suite/gate.ts';
import { CONVERSATION_SCORE } from '../suite/metrics.ts';
import type { Score } from '../types/metric.ts';
import { judgeAgain, type Dialogue } from './conversation.ts';
import type { EvaluatorTools } from './evaluators.ts';
import { attemptOf, execute, type Executors, type Sample, type Trial } from './execute.ts';
import type { ScoringTools } from './score-metric.ts';
import { noAnswer, scoreSamples } from './score.ts';
import {
  completionOf,
  conversationResult,
  conversationScore,
  recordedDialogue,
} from './transcript.ts';

/**
 * Samples as a scoring sees them, without a new answer: a dialogue that another steering led is
 * judged again turn by turn, once for all samples that share it; a scoring for single answers
 * sees the first answer; and one for dialogues sees a single answer as a dialogue of one turn.
 */
async function viewsUnder(
  samples: readonly Sample[],
  scoring: Scoring,
  tools: EvaluatorTools,
): Promise<Sample[]> {
  const steering = steeringFor(scoring);
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
 * Runs and scores rounds of tries in all suites until none wants more: the suites with the tries
 * that they have then.
 */
export async function runRounds(
  started: readonly SuiteComparison[],
  next: (suites: readonly SuiteComparison[]) => NextTries,
  tools: Executors & ScoringTools,
): Promise<SuiteComparison[]> {
  let suites = [...started];
  for (;;) {
    const wanted = next(suites);
    const planned = suites.flatMap(({ run }, index) => plannedTrials(run, index, wanted(run)));
    if (planned.length === 0) return suites;
    const trials = interleaved(planned);
    const samples = await execute(
      trials.map(({ trial }) => trial),
      tools,
    );
    suites = await Promise.all(
      suites.map(async (suite, index) => {
        const own = samples.filter((_, position) => trials[position]?.suiteIndex === index);
        return withMoreTries(suite, await score(suite.run, own, tools));
      }),
    );
  }
}

interface PlannedTrial {
  suiteIndex: number;
  order: number;
  trial: Trial;
}

function plannedTrials(
  suite: SuiteRun,
  suiteIndex: number,
  wanted: ReadonlyMap<number, number>,
): PlannedTrial[] {
  const steering = steeringFor(suite.deciding);
  const identity = identityOf(suite);
  return [...wanted].flatMap(([index, count]) => {
    const run = suite.runs[index];
    if (run === undefined) return [];
    return (['base', 'head'] as const).flatMap((side) => {
      const generation = run.affected[side];
      if (generation === null) return [];
      const first = run[side].length;
      return Array.from({ length: Math.max(0, count - first) }, (_, step) => ({
        suiteIndex,
        order: index,
        trial: {
          caseId: String(index),
          suite: identity,
          side,
          try: first + step,
          generation,
          steering,
        },
      }));
    });
  });
}

/**
 * Try by try, suite by suite, reference by reference, base beside head: drift over time hits both
 * sides alike.
 */
function interleaved(planned: readonly PlannedTrial[]): PlannedTrial[] {
  return [...planned].sort(
    (a, b) =>
      a.trial.try - b.trial.try ||
      a.suiteIndex - b.suiteIndex ||
      a.order - b.order ||
      a.trial.side.localeCompare(b.trial.side),
  );
}

async function score(
  suite: SuiteRun,
  samples: readonly Sample[],
  tools: ScoringTools,
): Promise<MadeTry[]> {
  const references = samples.map(({ trial }) => suite.runs[Number(trial.caseId)]?.affected);
  const judge = async (scoring: Scoring): Promise<TryResult[]> => {
    const views = await viewsUnder(samples, scoring, tools);
    const scored = await scoreSamples(
      views.map((sample, index) => ({ sample, reference: judgedBy(references[index], scoring) })),
      scoring,
      tools,
    );
    return scored.map(({ answer, scores }) => tryResult(answer.sample, scores, scoring));
  };
  const [deciding, other] = await Promise.all([
    judge(suite.deciding),
    suite.other === null ? null : judge(suite.other),
  ]);
  return samples.map(({ trial: { caseId, side } }, index) => {
    const result = deciding[index];
    if (result === undefined) throw new TypeError('a sample has no result');
    return { index: Number(caseId), side, made: { result, other: other?.[index] ?? null } };
  });
}

/**
 * Scoring holds its own side's expected values; a reference the other side does not have brings
 * its own.
 */
function judgedBy(
  one: AffectedReference | undefined,
  { side }: Scoring,
): AffectedReference['reference'] {
  if (one === undefined) throw new TypeError('a sample belongs to a case');
  return side === 'base' ? (one.baseReference ?? one.reference) : one.reference;
}

/** A dialogue whose model declines to answer fails, like a single answer. */
function unanswered({ dialogue }: Sample, reason: string): Score[] {
  return dialogue === null
    ? []
    : [{ metric: CONVERSATION_SCORE, status: 'fail', value: null, reason, skip: false }];
}

function tryResult(sample: Sample, ofMetrics: Score[], scoring: Scoring): TryResult {
  const { trial, completion, dialogue } = sample;
  const steering = steeringFor(scoring);
  const conversation =
    dialogue === null || steering === null
      ? {}
      : { conversation: conversationResult(dialogue, steering) };
  const declinedFor = noAnswer(sample);
  if (completion.status === 'error') {
    const scores = declinedFor === null ? [] : [...unanswered(sample, declinedFor), ...ofMetrics];
    return {
      try: trial.try,
      outcome: tryOutcomeOf(scores) === 'fail' ? 'fail' : 'error',
      actual: null,
      error: completion.message,
      scores,
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
