import type { Score } from '../../types/metric.ts';
import type { Complete, Completion, Grader, Message, Target } from '../../types/model.ts';
import type { Json, Place, Problem, Purpose } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';

/** A file that a feature's suite reads. Changing it changes the prompt. */
export interface Dependency {
  file: string;
  id: string;
}

/** A feature's own key of a test file, parsed. It defines how answers are made and judged. */
export interface OwnSuite<Value = unknown> {
  kind: SuiteKind<Value>;
  value: Value;
  place: Place;
  models: readonly { model: string; parameters: Record<string, Json>; place: Place }[];
  dependencies?: readonly Dependency[];
}

/** A kind of suite: one constant per feature, compared by reference. */
export interface SuiteKind<Value = unknown> {
  key: string;
  /** Names of the scores that it adds to every try, before the metrics. */
  scores: readonly string[];
  /** The score, if it judges exactly one answer of each reference; else null. */
  soleScore(
    own: OwnSuite<Value>,
    references: readonly { thread: Message[] | null }[],
  ): string | null;
  /** `targets`: of `own.models` in order; empty if any is unknown. */
  answererOf(own: OwnSuite<Value>, targets: readonly Target[]): Answerer;
}

interface TryQuestion {
  messages: readonly Message[];
  /** The try index of all its calls. */
  tryIndex: number;
  /** Calls the prompt's model; null: the messages are a recorded dialogue with its answers. */
  ask: ((messages: Message[]) => Promise<Completion>) | null;
  dependencies: readonly Dependency[];
  script?: Script;
}

export interface AnswererTools {
  complete: Complete;
  random(purpose: string): string;
}

/** An answer as the metrics see it; `own` is null for an answer of a single request. */
export interface Answered {
  messages: Message[];
  completion: Completion;
  own: OwnAnswer | null;
}

export interface OwnAnswer {
  record: unknown;
  /** In the order of the kind's names; unused if the answer is an error. */
  scores: readonly Score[];
  parts: object;
  failedElsewhere: boolean;
  calls: readonly Purpose[];
}

export interface Answerer {
  own: OwnSuite;
  /** Equal for answerers that answer and judge alike, of any kind; they share answers. */
  fingerprint: string;
  parts: Record<string, Json>;
  graders: readonly Grader[];
  mostCalls: number;
  /** Why it cannot answer these prompts, or cannot do so where code may run. */
  problems(prompts: readonly { code: { place: Place } | null }[], code: string): Problem[];
  answer(question: TryQuestion, tools: AnswererTools): Promise<Answered>;
  judgeAgain(answer: Answered, tryIndex: number, tools: AnswererTools): Promise<Answered>;
  /** A recorded answer of its kind as the answer to a single request. */
  firstAnswer(record: unknown): Omit<Answered, 'own'>;
}
