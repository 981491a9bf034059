/** Asking a model, and running the user's code. */
import type { GivenPace } from './endpoints.ts';
import type { Json, Place, Scalar, Side } from './plain.ts';
import { isVendor, type VendorName } from './vendors.ts';

/** A batch that was submitted and whose results have not been fetched yet. */
export interface BatchRecord {
  /** The vendor's batch id. */
  id: string;
  vendor: VendorName;
  /** The model that all requests of the batch ask. */
  model: string;
  /** Milliseconds since 1970. */
  submitted_at: number;
  /** Request keys, and the name of the schema that an answer was asked in. */
  requests: { key: string; schema: string | null }[];
}

/** What a run that ends leaves with vendors, for a later run to pick up. */
export interface WaitingBatches {
  ids: string[];
  requests: number;
}

export type ProviderName = VendorName | 'program' | 'replay';

/**
 * How a model is asked: at once, or in the vendor's batches, which are cheaper and may take a day.
 */
export type Transport = 'direct' | 'batch';

export type Role = 'system' | 'user' | 'assistant';

export interface Message {
  role: Role;
  content: string;
  /** Of a recorded message: the tools it calls. Part of no request. */
  tool_calls?: ToolCall[];
  /** Of a recorded message: whatever else the file says of it. Part of no request. */
  metadata?: Record<string, Json>;
}

export type CodeLanguage = 'python' | 'javascript';

/** Where a request goes. Keys and addresses are not here: the provider adds them. */
export type Target =
  | HostedTarget
  | {
      provider: 'program';
      model: string;
      command: string[];
      setup: string[];
      /**
       * Hash of the program's files: part of the key; `commit`, which checkout to run in, is not.
       */
      files: string;
      /** Those files by path with their contents' ids: what changed is named by it. Part of no key. */
      ids?: ReadonlyMap<string, string>;
      commit: string;
      /** Part of no key. */
      pace?: GivenPace;
    }
  | {
      provider: 'replay';
      model: string;
      file: string;
      /**
       * Git object id of the recordings: part of the key, so that other recordings are other
       * answers.
       */
      content: string;
      commit: string;
    };

/** A model of a vendor's, at its own server or at one that speaks like it. */
export interface HostedTarget {
  provider: VendorName;
  /** A server of the workflow's, by name; null: the vendor's own. */
  endpoint: string | null;
  model: string;
  /**
   * Asked in batches at half the price; absent: at once. Part of no key, for the answers are the
   * same.
   */
  transport?: 'batch';
  /** How fast it is asked, where the user says so. Part of no key. */
  pace?: GivenPace;
}

export function isHosted(target: Target): target is HostedTarget {
  return isVendor(target.provider);
}

/**
 * The first word of the command that answers by a file written for promptfoo: a program of ours, in
 * whose place the one that is shipped is run.
 */
export const PROMPTFOO_PROGRAM = 'evaldiff-promptfoo';

/** Whether this is a program that is told the variables beside the messages. */
export function takesVariables(target: Target): boolean {
  return target.provider === 'program' && target.command[0] === PROMPTFOO_PROGRAM;
}

/** A model that grades, with where it is asked. */
export interface Grader {
  target: Target;
  parameters: Record<string, Json>;
}

export interface Request {
  target: Target;
  parameters: Record<string, Json>;
  messages: Message[];
  /** What the messages were filled in with, for a program that takes it; part of the key. */
  variables?: Record<string, Scalar>;
  /** Try index from 0. Two tries never share one completion. */
  try: number;
  /**
   * Ask for an answer of this JSON Schema, by structured output or a forced tool where the vendor
   * has it.
   */
  schema: { name: string; json: { [key: string]: Json } } | null;
  purpose: Purpose;
  /**
   * Whether the caller can use a reply; absent: any. A reply that it cannot use is kept for this
   * run only, and the next run asks again.
   */
  usable?(output: string): boolean;
}

/**
 * What a call is paid for; part of no key, but for `embedding`: that asks for the vector of the one
 * message's text, which is the answer's `output` as a JSON list of numbers.
 */
export type Purpose =
  'prompt' | 'grader' | 'embedding' | 'evaluator' | 'qualeval' | 'insight' | 'fix';

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/**
 * What of a call's `input_tokens` went through the vendor's prompt cache. It belongs to the call
 * and not to the answer: no store keeps it.
 */
export interface CachedTokens {
  read: number;
  written: number;
}

export interface ToolCall {
  name: string;
  arguments: string;
  /** Of a recorded call: whatever else the file says of it. */
  metadata?: Record<string, Json>;
}

export type FinishReason = 'stop' | 'length' | 'filter' | 'tool' | 'other';

/** The requests of one call, where they were more than its last one. */
export interface Requests {
  /** How many were made; absent: one, or none where the call was never made. */
  attempts?: number;
  /** A reply came that could not be read, so what it cost is not known. */
  isUnread?: true;
}

/**
 * What came back. An error is a value that is carried, counted and shown. `refused`: requests that
 * the model refused first, because of something that they could do without; absent: none. `unsent`:
 * no request was made, for it was known what would come. `cached`: absent where the vendor counts
 * none.
 */
export type Completion =
  | (Requests & {
      status: 'ok';
      output: string;
      finish_reason: FinishReason;
      tool_calls: ToolCall[];
      usage: Usage | null;
      cached?: CachedTokens;
      /**
       * Milliseconds of the call that was paid for, also when the answer was reused; null: not
       * known, for it came in a batch.
       */
      latency_ms: number | null;
      reused: boolean;
      refused?: number;
      /** The model that answered, as the server calls it; absent: not known. */
      served?: string;
      /** The server's word for why it ended, where nobody knows what it means. */
      ended?: string;
    })
  | (Requests & {
      status: 'error';
      kind: ErrorKind;
      message: string;
      refused?: number;
      unsent?: true;
      /** How the answer ended that said nothing; absent: none came. */
      finish_reason?: FinishReason;
      /** The error of the last request, where the run's end or cap kept the call from another. */
      before?: string;
    });

/** What is said of a call that the end of the run kept from being made, or from being waited for. */
export const NOT_MADE = {
  aborted: 'stopped before an answer came',
  budget: 'the limit of model calls is reached; this call was not made',
} as const satisfies Partial<Record<ErrorKind, string>>;

export type ErrorKind =
  | 'key'
  | 'rate-limit'
  | 'timeout'
  | 'network'
  | 'server'
  | 'request'
  | 'reply'
  | 'filtered'
  | 'too-long'
  | 'program'
  | 'program-answer'
  | 'recording'
  | 'budget'
  | 'aborted'
  | 'code'
  | 'reference';

/**
 * Errors that are an answer of their own: the vendor's filter withheld it, the request is too long
 * for the model, the user's program said that it cannot. Asked again, the same would come.
 */
const DECLINED: ReadonlySet<ErrorKind> = new Set(['filtered', 'too-long', 'program-answer']);

/**
 * Why a model or program declined to give an answer that could be judged; null: there is an
 * answer, or a failure (network, key, budget) kept it from coming.
 */
export function whyDeclined(completion: Completion): string | null {
  return completion.status === 'error' && DECLINED.has(completion.kind) ? completion.message : null;
}

export type Complete = (request: Request) => Promise<Completion>;

/** Runs code on many sets of variables; answers in the order of `inputs`. */
export type Evaluate = (job: CodeJob) => Promise<CodeResult[]>;

export interface CodeJob {
  /**
   * The suite and the side whose answers these are: no process or engine that runs code ever holds
   * those of two.
   */
  suite: string;
  side: Side;
  /**
   * In a process or engine that has evaluated nothing yet. Absent: what this suite's and side's
   * code left may go on.
   */
  fresh?: true;
  /**
   * What the code is, for messages: `metric "exact"`, and where it stands. Absent: code whose
   * outcome may be chance, as a prompt's.
   */
  scores?: { what: string; place: Place };
  /** Where the code stands, for messages. Absent: they name the line within the code. */
  at?: CodePlace;
  language: CodeLanguage;
  code: string;
  /**
   * Names the code must set, in the order wanted; those that end in `?` it may set, to text. None:
   * it is not run, but compiled, and what it imports at its top is looked for.
   */
  outputs: string[];
  inputs: Record<string, Json | undefined>[];
}

/** Runs code on answers. The suite and the side of the answers are fixed by the maker of this. */
export type EvaluateAnswers = (
  job: Omit<CodeJob, 'suite' | 'side' | 'fresh' | 'scores'>,
) => Promise<CodeResult[]>;

export type CodeResult =
  | { status: 'ok'; values: Record<string, Json> }
  /**
   * `code`: it raised on these inputs, or set what cannot be used. `sandbox`: it was not run, or
   * not to its end, which says nothing of the inputs.
   */
  | { status: 'error'; cause: 'code' | 'sandbox'; message: string };

/** Where code stands in the user's file. */
export interface CodePlace extends Place {
  /** Whether its lines are the file's from there on; else the place is that of all of it. */
  linewise: boolean;
}
