import {
  evaluatorCallsOf,
  type EvaluatorTest,
} from '../../features/conversations/evaluator-plan.ts';
import { graderTestCalls as rubricCallsOf, type RubricTest } from '../../features/graders/plan.ts';
import { counted } from '../../text/amounts.ts';
import type { Problem } from '../../types/plain.ts';
import type { Generation } from '../select/generation.ts';
import { steeringFor } from '../select/scoring.ts';
import { judgingCalls } from './judging-calls.ts';
import type { NextTries, ReferenceRun, SuiteRun } from './suite-run.ts';

/**
 * What a run will certainly ask before anything is asked: its first round of tries. Adaptive tries
 * may add to it.
 */
export interface Plan {
  /**
   * Prompts with at least one reference that runs, and these references; those of a sweep count
   * once, in however many variants.
   */
  suites: number;
  references: number;
  /**
   * Distinct calls for answers, after sharing between the sides and between duplicate references.
   */
  prompt_calls: number;
  /** Answers and grades that recordings give: they are not calls, and no cap counts them. */
  replayed: number;
  /**
   * Calls for grades and for the embeddings that metrics compare: about this many, fewer where
   * answers repeat, more where a reply has to be asked for again.
   */
  grader_calls: number;
  /**
   * Calls for evaluators' words on the first turn of each conversation; further turns add answers
   * and words.
   */
  evaluator_calls: number;
  /**
   * Calls about attributes that are made in any case, at most so many: fewer where earlier runs
   * have asked the same.
   */
  qualeval_calls: number;
  /** Further ones, made only if something regresses. */
  qualeval_possible: number;
  /** Calls that look for the lines which made something worse, at most so many, if something is. */
  cause_possible: number;
}

/** `; up to 20 more calls if something regresses`; nothing where none would be made. */
export function possibleWords({ qualeval_possible, cause_possible }: Plan): string {
  const calls = qualeval_possible + cause_possible;
  return calls === 0 ? '' : `; up to ${counted(calls, 'more call')} if something regresses`;
}

/** `, 12 answers from recordings`; nothing where there are none. */
export function recordedWords(replayed: number): string {
  return replayed === 0 ? '' : `, ${counted(replayed, 'answer')} from recordings`;
}

/** Calls that are made whatever comes of them. */
export function callsOf({
  prompt_calls,
  grader_calls,
  evaluator_calls,
  qualeval_calls,
}: Plan): number {
  return prompt_calls + grader_calls + evaluator_calls + qualeval_calls;
}

export function planOf(
  suites: readonly SuiteRun[],
  next: NextTries,
  tests: readonly RubricTest[] = [],
  evaluatorTests: readonly EvaluatorTest[] = [],
): Plan {
  // Tries by what is asked: who asks the same shares the first of them.
  const requests = new Map<string, number>();
  const recorded = new Map<string, number>();
  const judging = judgingCalls(suites, next);
  const callsBy = (isReplay: boolean): number =>
    judging
      .filter(({ asked }) => (asked.target.provider === 'replay') === isReplay)
      .reduce((sum, { calls }) => sum + calls, 0);
  const grades = rubricCallsOf(tests) + callsBy(false);
  let words = evaluatorCallsOf(evaluatorTests);
  for (const suite of suites) {
    const evaluators = evaluatorsOf(suite);
    for (const [index, tries] of next(suite)) {
      const run = suite.runs[index];
      if (run === undefined) continue;
      const different = new Set(
        [run.affected.base, run.affected.head].flatMap((generation) =>
          generation === null || generation.kind === 'impossible' ? [] : [generation.fingerprint],
        ),
      ).size;
      words += evaluators * tries * different;
      for (const { fingerprint, target } of requestsOf(run)) {
        const answers = target.provider === 'replay' ? recorded : requests;
        answers.set(fingerprint, Math.max(tries, answers.get(fingerprint) ?? 0));
      }
    }
  }
  const prompts = referencesByPrompt(suites);
  return {
    suites: prompts.length,
    references: prompts.reduce((sum, references) => sum + references, 0),
    prompt_calls: sumOf(requests),
    replayed: sumOf(recorded) + callsBy(true),
    grader_calls: grades,
    evaluator_calls: words,
    qualeval_calls: 0,
    qualeval_possible: 0,
    cause_possible: 0,
  };
}

function sumOf(tries: ReadonlyMap<string, number>): number {
  return [...tries.values()].reduce((sum, each) => sum + each, 0);
}

/** How many references of each prompt run, in the variant with the most. */
function referencesByPrompt(suites: readonly SuiteRun[]): number[] {
  const most = new Map<string, number>();
  for (const {
    suite: { base, head },
    runs,
  } of suites) {
    const prompt = (head ?? base)?.suite.prompt;
    const key = `${prompt?.file ?? ''}\n${prompt?.name ?? ''}`;
    if (runs.length > 0) most.set(key, Math.max(most.get(key) ?? 0, runs.length));
  }
  return [...most.values()];
}

/** Evaluators that are asked about each conversation: both sides' where they differ. */
function evaluatorsOf({ deciding, other }: SuiteRun): number {
  const [first, second] = [steeringFor(deciding), other && steeringFor(other)];
  return (
    (first?.evaluators.length ?? 0) +
    (second === null || second.fingerprint === first?.fingerprint ? 0 : second.evaluators.length)
  );
}

function requestsOf({
  affected: { base, head },
}: ReferenceRun): (Generation & { kind: 'request' })[] {
  return [base, head].flatMap((generation) => (generation?.kind === 'request' ? [generation] : []));
}

/**
 * A plan that is carried out several times, each time with new answers; or, with a part of 1, that
 * part of it.
 */
export function repeatPlan(plan: Plan, times: number): Plan {
  const { prompt_calls, replayed, grader_calls, evaluator_calls } = plan;
  return {
    ...plan,
    prompt_calls: Math.round(prompt_calls * times),
    replayed: Math.round(replayed * times),
    grader_calls: Math.round(grader_calls * times),
    evaluator_calls: Math.round(evaluator_calls * times),
  };
}

/**
 * Refuses a plan whose certain part is over the cap, before anything is sent; `stored` of its
 * answers are there already and are not called for.
 */
export function overBudget(
  plan: Plan,
  maxCalls: number | null,
  { bothSides, stored }: { bothSides: boolean; stored: number },
): Problem[] {
  const total = callsOf(plan) - stored;
  if (maxCalls === null || total <= maxCalls) return [];
  const message = [
    `This run would make ${counted(total, 'model call')} `,
    `(${String(plan.prompt_calls)} answers for ${counted(plan.references, 'reference')} `,
    `of ${counted(plan.suites, 'prompt')}${bothSides ? ' on both sides' : ''}`,
    ` + ${counted(plan.grader_calls, 'grader call')}`,
    plan.evaluator_calls === 0
      ? ''
      : ` + at least ${counted(plan.evaluator_calls, 'evaluator call')}`,
    plan.qualeval_calls === 0
      ? ''
      : ` + up to ${counted(plan.qualeval_calls, 'call')} about attributes`,
    stored === 0 ? '' : `, without ${counted(stored, 'answer')} stored already`,
    `); the limit is ${String(maxCalls)} (max-calls). Nothing was sent.`,
  ].join('');
  return [{ place: null, message }];
}
