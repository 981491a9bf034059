import type { Answer, Ended, ToolCall, Usage } from './answer.ts';
import type { GivenPace } from './endpoints.ts';
import type { MessagePart } from './media.ts';
import type { CodeLanguage, CodePlace, Json, Place, Purpose, Scalar, Side } from './plain.ts';
import type { ChatApi, VendorName } from './vendors/names.ts';

/** What a store keeps beside answers. */
export interface KeptRecords {
  /** Outcomes of all scored tries; empty if the file cannot be read. */
  outcomes(keys: readonly string[]): Map<string, { passes: number; tries: number }>;
  /** Ignored if the file cannot be written; absent if the run only looks at answers. */
  addOutcomes?(rows: readonly { key: string; passes: number; tries: number }[]): void;
  note(name: string): string | null;
  /** False when it could not be written. */
  setNote?(name: string, body: string): boolean;
}

export interface BatchRecord {
  id: string;
  vendor: VendorName;
  model: string;
  /** Milliseconds since 1970. */
  submitted_at: number;
  /** Request keys, and the schema's name for structured answers. */
  requests: { key: string; schema: string | null }[];
}

export type ProviderName = VendorName | 'program' | 'replay';

export type Transport = 'direct' | 'batch';

export type Role = 'system' | 'user' | 'assistant';

export interface Message {
  role: Role;
  /** Its text; files are named. */
  content: string;
  /** What is sent instead of `content`; only for a message with files. */
  parts?: MessagePart[];
  /** Not sent. */
  tool_calls?: ToolCall[];
  /** Not sent. */
  metadata?: Record<string, Json>;
}

/** Where a request goes. The provider layer adds keys and addresses. */
export type Target =
  | HostedTarget
  | {
      provider: 'program';
      model: string;
      command: string[];
      setup: string[];
      /** Hash of the program's files; part of the key, unlike the checkout's `commit`. */
      files: string;
      /** The files' object ids by path, to name changes. Not part of the key. */
      ids?: ReadonlyMap<string, string>;
      commit: string;
      /** A new process for each try; absent: one for all tries of a side. */
      process?: 'try';
      /** Not part of the key. */
      pace?: GivenPace;
    }
  | {
      provider: 'replay';
      model: string;
      file: string;
      /** Git object id of the recordings; part of the key. */
      content: string;
      commit: string;
    };

/** A model under the name that its vendor publishes. */
export interface PublicModel {
  provider: VendorName;
  model: string;
}

export interface AskedModel {
  provider: VendorName;
  /** Name of an endpoint of the workflow; null: the vendor's own. */
  endpoint: string | null;
  model: string;
  /** Absent: by need. Part of the key. */
  api?: ChatApi;
  /** What an endpoint or another name stands for; absent: unknown there. Not part of the key. */
  is?: PublicModel;
}

export interface HostedTarget extends AskedModel {
  /** Half the price; absent: direct. Not part of the key, as answers are equivalent. */
  transport?: 'batch';
  /** The user's rate limit. Not part of the key. */
  pace?: GivenPace;
}

export function isHosted(target: Target): target is HostedTarget {
  return 'endpoint' in target;
}

export function isBatched(target: Target): boolean {
  return 'transport' in target && target.transport === 'batch';
}

/** Which checkout a program runs in does not decide its answers; its files do. */
export function targetIdentity(target: Target): Record<string, Json> {
  if (target.provider === 'program') {
    const { provider, model, command, setup, files, process } = target;
    return { provider, model, command, setup, files, ...(process && { process }) };
  }
  if (target.provider === 'replay')
    return { provider: target.provider, model: target.model, content: target.content };
  const { provider, endpoint, model, api } = target;
  return { provider, endpoint, model, ...(api && { api }) };
}

/** The host of a model: the workflow's endpoint, else the vendor's, else `program` or `replay`. */
export function placeOf(asked: { provider: ProviderName; endpoint?: string | null }): string {
  return asked.endpoint ?? asked.provider;
}

/** The target outside of full sweeps: what an answer costs users of the prompt. */
export function asDirect(target: Target): Target {
  if (!isBatched(target) || !isHosted(target)) return target;
  const { transport: _, ...direct } = target;
  return direct;
}

/** First word of the command that answers through a promptfoo file; runs the program we ship. */
export const PROMPTFOO_PROGRAM = 'evaldiff-promptfoo';

export function takesVariables(target: Target): boolean {
  return target.provider === 'program' && target.command[0] === PROMPTFOO_PROGRAM;
}

export interface Grader {
  target: Target;
  parameters: Record<string, Json>;
}

export interface Request {
  target: Target;
  parameters: Record<string, Json>;
  messages: Message[];
  /** The prompt's variables, for a program that accepts them; part of the key. */
  variables?: Record<string, Scalar>;
  /** Try index from 0. Two tries never share a completion. */
  try: number;
  /** Requests an answer of this JSON Schema, by structured output or a forced tool if available. */
  schema: { name: string; json: { [key: string]: Json } } | null;
  purpose: Purpose;
  /** Absent: any. Unusable replies are kept for this run only. */
  usable?(output: string): boolean;
  /** Ignores stored answers; the new one replaces them. Not part of the key. */
  anew?: true;
  /** A program answers it in a second process of its side. Not part of the key. */
  secondSession?: true;
}

/** Tokens that used the vendor's prompt cache. Not stored: they belong to the call. */
export interface CachedTokens {
  read: number;
  written: number;
}

/** Tokens of one reply; null: unknown. */
export interface MeteredUsage {
  usage: Usage | null;
  cached?: CachedTokens;
}

export interface Requests {
  /** Absent: one, or none if the call was not made. */
  attempts?: number;
  /** Tokens of each reply without an answer; unknown for an unreadable one. */
  spent?: MeteredUsage[];
}

export function withoutRequests({ attempts: _, spent: __, ...completion }: Completion): Completion {
  return completion;
}

/** `unsent`: no request was needed. `cached`: absent if the vendor does not count it. */
export type Completion =
  | (Requests &
      Answer & {
        status: 'ok';
        cached?: CachedTokens;
        reused: boolean;
        /** An earlier run's answer, from a store. */
        stored?: true;
        refused?: number;
      })
  | (Requests & {
      status: 'error';
      kind: ErrorKind;
      message: string;
      refused?: number;
      unsent?: true;
      /** Why an empty answer ended; absent: no answer. */
      ended?: Ended;
      /** The previous request's error, if the run's end or cap prevented a retry. */
      before?: string;
    });

export type OkCompletion = Extract<Completion, { status: 'ok' }>;

export const NOT_MADE_MESSAGES = {
  aborted: 'stopped before an answer came',
  budget: 'the limit of model calls is reached; this call was not made',
} as const satisfies Partial<Record<ErrorKind, string>>;

export const ERROR_KINDS = [
  'key',
  'rate-limit',
  'timeout',
  'network',
  'server',
  'request',
  'reply',
  'filtered',
  'too-long',
  'program',
  'program-answer',
  'recording',
  'budget',
  'aborted',
  'code',
  'reference',
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

const DECLINED_KINDS: ReadonlySet<ErrorKind> = new Set(['filtered', 'too-long', 'program-answer']);

/** Null: it answered, or a failure (network, key, budget) occurred. */
export function whyDeclined(completion: Completion): string | null {
  return completion.status === 'error' && DECLINED_KINDS.has(completion.kind)
    ? completion.message
    : null;
}

/** A call not made, or not waited for, because the run ended. It says nothing about the model. */
export function wasNotMade(completion: Completion): boolean {
  return (
    completion.status === 'error' && (completion.kind === 'budget' || completion.kind === 'aborted')
  );
}

export type Complete = (request: Request) => Promise<Completion>;

/** Results in order of `inputs`. */
export type Evaluate = (job: CodeJob) => Promise<CodeResult[]>;

export interface CodeJob {
  /** The answers' suite and side; no process ever runs code on those of two. */
  suite: string;
  side: Side;
  /** Needs a new process. Absent: state of this suite's and side's earlier code may remain. */
  fresh?: true;
  /** Name and place for messages: `metric "exact"`. Absent if the code may be random. */
  scores?: { what: string; place: Place };
  /** Where the code is, for messages. Absent: they name its own lines. */
  at?: CodePlace;
  language: CodeLanguage;
  code: string;
  /** Names to set, in order; `?`: optional text. Empty: only checks syntax and imports. */
  outputs: string[];
  inputs: Record<string, Json | undefined>[];
}

export type EvaluateAnswers = (
  job: Omit<CodeJob, 'suite' | 'side' | 'fresh' | 'scores'>,
) => Promise<CodeResult[]>;

export type CodeResult =
  | { status: 'ok'; values: Record<string, Json> }
  /** `code`: raised or set an unusable value. `sandbox`: did not run to its end. */
  | { status: 'error'; cause: 'code' | 'sandbox'; message: string };
