import type { Score } from '../../types/metric.ts';
import type { Complete, Completion, Grader, Message, Target } from '../../types/model.ts';
import type { Json, Place, Problem, Purpose } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';

/** A file that a feature reads to produce answers. If it changes, the prompt counts as changed. */
export interface Dependency {
  file: string;
  id: string;
}

/** The parsed value of a feature's own key in a test file. */
export interface OwnSuite<Value = unknown> {
  kind: SuiteKind<Value>;
  value: Value;
  place: Place;
  models: readonly { model: string; parameters: Record<string, Json>; place: Place }[];
  dependencies?: readonly Dependency[];
}

/** Each feature has one such constant. Kinds are compared by identity. */
export interface SuiteKind<Value = unknown> {
  key: string;
  scores: readonly string[];
  /** The score that judges the suite, if it judges exactly one answer of each reference. */
  soleScore(
    own: OwnSuite<Value>,
    references: readonly { thread: Message[] | null }[],
  ): string | null;
  /** `targets` belong to `own.models`, in order. Empty if any model is unknown. */
  answererOf(own: OwnSuite<Value>, targets: readonly Target[]): Answerer;
}

interface TryQuestion {
  messages: readonly Message[];
  tryIndex: number;
  /** Calls the prompt's model. Null if the messages are a recorded dialogue with answers. */
  ask: ((messages: Message[]) => Promise<Completion>) | null;
  dependencies: readonly Dependency[];
  script?: Script;
}

export interface AnswererTools {
  complete: Complete;
  random(purpose: string): string;
}

/** `own` is null for an answer to a single request. */
export interface Answered {
  messages: Message[];
  completion: Completion;
  own: OwnAnswer | null;
}

export interface OwnAnswer {
  record: unknown;
  scores: readonly Score[];
  parts: object;
  failedElsewhere: boolean;
  calls: readonly Purpose[];
}

export interface Answerer {
  own: OwnSuite;
  /** Answerers with equal fingerprints share answers. */
  fingerprint: string;
  parts: Record<string, Json>;
  graders: readonly Grader[];
  mostCalls: number;
  /** Returns why the answerer cannot answer these prompts. */
  problems(prompts: readonly { code: { place: Place } | null }[], code: string): Problem[];
  answer(question: TryQuestion, tools: AnswererTools): Promise<Answered>;
  judgeAgain(answer: Answered, tryIndex: number, tools: AnswererTools): Promise<Answered>;
  /** Converts a recorded answer of its kind to the answer of a single request. */
  firstAnswer(record: unknown): Omit<Answered, 'own'>;
}
