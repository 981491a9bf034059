import type { Score } from '../../types/metric.ts';
import type {
  Complete,
  Completion,
  EvaluateAnswers,
  Grader,
  Message,
  Target,
} from '../../types/model.ts';
import type { Json, Place, Problem, Purpose } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';

/** The value of a feature's key (such as `conversation`) in a test file. */
export interface OwnSuite<Value = unknown> {
  kind: SuiteKind<Value>;
  value: Value;
  place: Place;
  models: readonly { model: string; parameters: Record<string, Json>; place: Place }[];
}

export interface SuiteKind<Value = unknown> {
  key: string;
  scores: readonly string[];
  /** Name of the suite's only score. Null unless the suite judges one answer of each reference. */
  soleScore(
    own: OwnSuite<Value>,
    references: readonly { thread: Message[] | null }[],
  ): string | null;
  /** `targets`: the targets of `own.models`, in the same order. Empty if a model is unknown. */
  answererOf(own: OwnSuite<Value>, targets: readonly Target[]): Answerer;
}

interface TryQuestion {
  messages: readonly Message[];
  tryIndex: number;
  /** Calls the prompt's model. Null if `messages` is a recorded dialogue with answers. */
  ask: ((messages: Message[]) => Promise<Completion>) | null;
  /** Runs code of the suite. */
  evaluate: EvaluateAnswers;

  script?: Script;
}

export interface AnswererTools {
  complete: Complete;
  random(purpose: string): string;
}

/** `own` is null if the answer is from a single request. */
export interface Answered {
  messages: Message[];
  completion: Completion;
  own: OwnAnswer | null;
}

export interface OwnAnswer {
  record: unknown;
  /** The whole dialogue, including the answer. */
  thread?: Message[];
  scores: readonly Score[];
  parts: object;
  failedElsewhere: boolean;
  calls: readonly Purpose[];
}

export interface Answerer {
  own: OwnSuite;
  /** Tries can share answers if their answerers have equal fingerprints. */
  fingerprint: string;
  parts: Record<string, Json>;
  graders: readonly Grader[];
  mostCalls: number;
  problems(prompts: readonly { code: { place: Place } | null }[], code: string): Problem[];
  answer(question: TryQuestion, tools: AnswererTools): Promise<Answered>;
  judgeAgain(answer: Answered, tryIndex: number, tools: AnswererTools): Promise<Answered>;
  /** Converts this feature's recorded answer to that of a single request. */
  firstAnswer(record: unknown): Omit<Answered, 'own'>;
}
