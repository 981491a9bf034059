import { alternatives } from '../metrics/answer.ts';
import { countObjects } from '../metrics/objects.ts';
import type { AffectedReference } from '../select/affected.ts';
import type { Generation } from '../select/generation.ts';
import { gradersIdentity, steeringFor, type Scoring } from '../select/scoring.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { comparesEmbeddings, embedderFor, gradersFor, metricsFor } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { asksNothing } from '../suite/template.ts';
import { counted } from '../text/amounts.ts';
import type { Metric } from '../types/metric.ts';
import type { Grader, Message } from '../types/model.ts';
import type { Problem, Side } from '../types/plain.ts';
import {
  graderTestCalls as rubricCallsOf,
  evaluatorCallsOf,
  type EvaluatorTest,
  type RubricTest,
} from './grader-tests.ts';
import type { ReferenceRun, SuiteRun, NextTries } from './suite-run.ts';

/** Calls that one model is asked for to judge the first round of tries. */
interface JudgingCalls {
  asked: Grader;
  purpose: 'grader' | 'embedding';
  calls: number;
}

/**
 * Counts them by model, before anything is asked: fewer where answers repeat, more where a reply
 * has to be asked for again.
 */
export function judgingCalls(suites: readonly SuiteRun[], next: NextTries): JudgingCalls[] {
  const graded = new Map<string, JudgingCalls>();
  const embedded = new Map<string, { asked: Grader; texts: Set<string> }>();
  const judge = (
    scoring: Scoring,
    metric: Metric,
    reference: Reference,
    answers: readonly string[],
  ): void => {
    for (const asked of gradersFor(metric, scoring)) {
      const key = identity(asked);
      const calls = graded.get(key)?.calls ?? 0;
      graded.set(key, {
        asked,
        purpose: 'grader',
        calls: calls + questionsOf(metric) * objectsOf(metric, reference) * answers.length,
      });
    }
    const asked = embedderFor(metric, scoring);
    if (asked === null) return;
    const key = identity(asked);
    const texts = embedded.get(key)?.texts ?? new Set();
    embedded.set(key, { asked, texts });
    for (const text of [...answers, ...comparedTexts(metric, reference)]) texts.add(text);
  };
  for (const suite of suites) {
    const scorings = [suite.deciding, ...(suite.other === null ? [] : [suite.other])].filter(
      asksModels,
    );
    for (const [index, tries] of scorings.length === 0 ? [] : next(suite)) {
      const one = suite.runs[index]?.affected;
      if (one === undefined) continue;
      const answers = answersOf(one, tries);
      for (const scoring of scorings) {
        const reference = referenceOf(one, scoring.side);
        for (const metric of metricsFor(scoring.tests, reference))
          judge(scoring, metric, reference, answers);
      }
    }
  }
  return [
    ...graded.values(),
    ...[...embedded.values()].map(({ asked, texts }): JudgingCalls => ({
      asked,
      purpose: 'embedding',
      calls: texts.size,
    })),
  ];
}

function asksModels({ graders, embedder, named }: Scoring): boolean {
  return graders.length > 0 || embedder !== undefined || named !== undefined;
}

function identity(asked: Grader): string {
  return canonicalJson(gradersIdentity([asked]));
}

/** The different answers of a case, each under a name that no other text has. */
function answersOf({ base, head }: AffectedReference, tries: number): string[] {
  const different = new Set(
    [base, head].flatMap((one) =>
      one === null || one.kind === 'impossible' ? [] : [one.fingerprint],
    ),
  );
  return [...different].flatMap((fingerprint) =>
    Array.from({ length: tries }, (_, index) => `answer ${String(index)} ${fingerprint}`),
  );
}

function referenceOf({ reference, baseReference }: AffectedReference, side: Side): Reference {
  return side === 'base' ? (baseReference ?? reference) : reference;
}

/** What the answers are compared with, which is asked for once however many answers there are. */
function comparedTexts(metric: Metric, { expected }: Reference): string[] {
  const value =
    comparesEmbeddings(metric) && metric.source.kind === 'built-in'
      ? (metric.source.with['value'] ?? expected)
      : undefined;
  return value === undefined ? [] : alternatives(value).map((text) => `expected ${text}`);
}

/**
 * Objects of a dialogue that the metric judges one by one, as far as they are known before it runs:
 * those recorded, and the answer.
 */
function objectsOf({ every, level }: Metric, { thread }: Reference): number {
  if (every === undefined) return 1;
  const recorded = thread ?? [];
  const messages: Message[] = asksNothing(recorded)
    ? recorded
    : [...recorded, { role: 'assistant', content: '' }];
  return Math.max(1, countObjects(messages, level));
}

/** A checklist asks about each statement on its own. */
function questionsOf({ source }: Metric): number {
  const statements = source.kind === 'built-in' ? source.with['statements'] : undefined;
  return Array.isArray(statements) ? statements.length : 1;
}

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
export function recordedWords({ replayed }: Plan): string {
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
  const requests = new Set<string>();
  const recorded = new Set<string>();
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
        [run.affected.base, run.affected.head].flatMap((one) =>
          one === null || one.kind === 'impossible' ? [] : [one.fingerprint],
        ),
      ).size;
      words += evaluators * tries * different;
      for (const { fingerprint, target } of requestsOf(run)) {
        const answers = target.provider === 'replay' ? recorded : requests;
        for (let index = 0; index < tries; index += 1)
          answers.add(`${String(index)} ${fingerprint}`);
      }
    }
  }
  const prompts = referencesByPrompt(suites);
  return {
    suites: prompts.length,
    references: prompts.reduce((sum, references) => sum + references, 0),
    prompt_calls: requests.size,
    replayed: recorded.size + callsBy(true),
    grader_calls: grades,
    evaluator_calls: words,
    qualeval_calls: 0,
    qualeval_possible: 0,
    cause_possible: 0,
  };
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

/** Evaluators that are asked about each conversation: both sides’ where they differ. */
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
export function repeated(plan: Plan, times: number): Plan {
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
  const message =
    `This run would make ${counted(total, 'model call')} (${String(plan.prompt_calls)} answers for ${counted(plan.references, 'reference')} of ${counted(plan.suites, 'prompt')}${bothSides ? ' on both sides' : ''}` +
    ` + ${counted(plan.grader_calls, 'grader call')}${plan.evaluator_calls === 0 ? '' : ` + at least ${counted(plan.evaluator_calls, 'evaluator call')}`}` +
    `${plan.qualeval_calls === 0 ? '' : ` + up to ${counted(plan.qualeval_calls, 'call')} about attributes`}${stored === 0 ? '' : `, without ${counted(stored, 'answer')} stored already`}); the limit is ${String(maxCalls)} (max-calls). Nothing was sent.`;
  return [{ place: null, message }];
}
