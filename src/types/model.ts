import type { Answer, Ended, ToolCall, Usage } from './answer.ts';
import type { GivenPace } from './endpoints.ts';
import type { MessagePart } from './media.ts';
import type { CodeLanguage, CodePlace, Json, Place, Purpose, Scalar, Side } from './plain.ts';
import type { ChatApi, VendorName } from './vendors/names.ts';

export interface KeptRecords {
  outcomes(keys: readonly string[]): Map<string, { passes: number; tries: number }>;
  /** Does nothing if the file cannot be written. Absent if the run only reads. */
  addOutcomes?(rows: readonly { key: string; passes: number; tries: number }[]): void;
  note(name: string): string | null;
  setNote?(name: string, body: string): boolean;
}

export interface BatchRecord {
  id: string;
  vendor: VendorName;
  model: string;
  /** When the batch was submitted, in milliseconds since 1970. */
  submitted_at: number;
  requests: { key: string; schema: string | null }[];
}

export type ProviderName = VendorName | 'program' | 'replay';

export type Transport = 'direct' | 'batch';

export type Role = 'system' | 'user' | 'assistant';

/** Names of roles in prompt files and prompt code. */
export const ROLE_NAMES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
};

export interface Message {
  role: Role;
  /** The text of the message. It names the message's files. */
  content: string;
  /** Sent in place of `content`. Set only for a message with files. */
  parts?: MessagePart[];
  /** Not sent to the model. */
  tool_calls?: ToolCall[];
  /** Not sent to the model. */
  metadata?: Record<string, Json>;
}

/**
 * Where a request goes. The provider layer adds keys and addresses. "The key" below means the
 * request key.
 */
export type Target =
  | HostedTarget
  | {
      provider: 'program';
      model: string;
      command: string[];
      setup: string[];
      /** Hash of the program's files. Part of the key, unlike the checkout's `commit`. */
      files: string;
      ids?: ReadonlyMap<string, string>;
      commit: string;
      /** Starts a new process for each try. If absent, there is one process per side. */
      process?: 'try';
      /**
       * The model that the program calls, for its API key and price. Also the limits of one answer,
       * in calls and US dollars. Not part of the key.
       */
      calls?: AskedModel & { most: number; usd: number };
      /** Files that a trial replaces. Part of the key. */
      overlay?: FileOverlay;
      /** The user's rate limit. Not part of the key. */
      pace?: GivenPace;
    }
  | {
      provider: 'replay';
      model: string;
      file: string;
      /** Git object id of the recorded answers. Part of the key. */
      content: string;
      commit: string;
    };

/** A model, under the name that its vendor publishes. */
export interface PublicModel {
  provider: VendorName;
  model: string;
}

export interface AskedModel {
  provider: VendorName;
  /** An endpoint of the workflow. Null means the vendor's own host. */
  endpoint: string | null;
  model: string;
  api?: ChatApi;
  /** The public model behind an endpoint or an alias. Absent if unknown. Not part of the key. */
  is?: PublicModel;
}

/** `commit` is the commit whose files have an `id`. Not part of the key. */
export interface FileOverlay {
  commit: string;
  files: Record<string, OverlaidFile>;
}

/** The content, or the id of a file of the other side. Null if there is no such file. */
export type OverlaidFile = { text: string } | { id: string } | null;

export type ProgramTarget = Extract<Target, { provider: 'program' }>;

export interface HostedTarget extends AskedModel {
  /**
   * A batch costs half the price. If absent, the call is direct. Not part of the key, because the
   * answers are equivalent.
   */
  transport?: 'batch';
  /** The user's rate limit. Not part of the key. */
  pace?: GivenPace;
}

export function isHosted(target: Target): target is HostedTarget {
  return 'endpoint' in target;
}

/** The model behind a program. Null if it is unknown or the target is not a program. */
export function calledModel(target: Target): HostedTarget | null {
  if (target.provider !== 'program' || target.calls === undefined) return null;
  const { most: _, usd: __, ...asked } = target.calls;
  return asked;
}

export function isBatched(target: Target): boolean {
  return 'transport' in target && target.transport === 'batch';
}

/** Excludes the checkout's commit, because a program's files determine its answers. */
export function targetIdentity(target: Target): Record<string, Json> {
  if (target.provider === 'program') {
    const { provider, model, command, setup, files, process, overlay } = target;
    const given = { ...(process && { process }), ...(overlay && { overlay: overlay.files }) };
    return { provider, model, command, setup, files, ...given };
  }
  if (target.provider === 'replay')
    return { provider: target.provider, model: target.model, content: target.content };
  const { provider, endpoint, model, api } = target;
  return { provider, endpoint, model, ...(api && { api }) };
}

/**
 * The host of a model: the workflow's endpoint, or else the vendor's, or else `program` or
 * `replay`.
 */
export function placeOf(asked: { provider: ProviderName; endpoint?: string | null }): string {
  return asked.endpoint ?? asked.provider;
}

/** The target without batches. Its price is what users of the prompt pay. */
export function asDirect(target: Target): Target {
  if (!isBatched(target) || !isHosted(target)) return target;
  const { transport: _, ...direct } = target;
  return direct;
}

/** The first word of the command for promptfoo provider files. It runs the program that we ship. */
export const PROMPTFOO_PROGRAM = 'evaldiff-promptfoo';

/** The first word of the command of an agent that works in a folder. A feature answers for it. */
export const AGENT_PROGRAM = 'evaldiff-agent';

export function takesVariables(target: Target): boolean {
  if (target.provider !== 'program') return false;
  return target.command[0] === PROMPTFOO_PROGRAM || takesOverlay(target);
}

/** Whether a trial can replace files of the target. */
export function takesOverlay(target: Target | null): target is ProgramTarget {
  return target?.provider === 'program' && target.command[0] === AGENT_PROGRAM;
}

export interface Grader {
  target: Target;
  parameters: Record<string, Json>;
}

export interface Request {
  target: Target;
  parameters: Record<string, Json>;
  messages: Message[];
  /** The prompt's variables, for a program that accepts them. Part of the key. */
  variables?: Record<string, Scalar>;
  /** The try index, from 0. Two tries never share a completion. */
  try: number;
  /**
   * Asks for an answer of this JSON Schema. Uses structured output or a forced tool if available.
   */
  schema: { name: string; json: { [key: string]: Json } } | null;
  purpose: Purpose;
  /** If absent, any output is usable. Unusable replies are not stored. */
  usable?(output: string): boolean;
  /** Whether a reply can be read. After ten unreadable replies, the question is not asked again. */
  reads?(output: string): boolean;
  /** Ignores stored answers. The new answer replaces the stored one. Not part of the key. */
  anew?: true;
  /** Set if a program answers in a second process of its side. Not part of the key. */
  secondSession?: true;
}

/** Tokens in the vendor's prompt cache. They are not stored, because they belong to one call. */
export interface CachedTokens {
  read: number;
  written: number;
}

export interface MeteredUsage {
  usage: Usage | null;
  cached?: CachedTokens;
}

export interface Requests {
  /** If absent, there was one attempt, or none if the call was not made. */
  attempts?: number;
  /** Tokens of each reply that contained no answer. Null for an unreadable reply. */
  spent?: MeteredUsage[];
  /** Usage of an agent's paid calls. If absent, all of `usage` was paid. */
  paid?: MeteredUsage;
}

export function withoutRequests({
  attempts: _,
  spent: __,
  paid: ___,
  ...completion
}: Completion): Completion {
  return completion;
}

/**
 * `unsent` means that no request was needed. `cached` is absent if the vendor does not count it.
 */
export type Completion =
  | (Requests &
      Answer & {
        status: 'ok';
        cached?: CachedTokens;
        reused: boolean;
        stored?: true;
        refused?: number;
      })
  | (Requests & {
      status: 'error';
      kind: ErrorKind;
      message: string;
      refused?: number;
      unsent?: true;
      /** Why an empty answer ended. Absent if there was no answer. */
      ended?: Ended;
      /** The previous request's error, if the run's end or a cap prevented a retry. */
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

/**
 * Why the model declined to answer. Null if it answered, or if another failure (network, key,
 * budget) occurred.
 */
export function whyDeclined(completion: Completion): string | null {
  return completion.status === 'error' && DECLINED_KINDS.has(completion.kind)
    ? completion.message
    : null;
}

/**
 * True if the run ended before the call was made or answered. That says nothing about the model.
 */
export function isAbandoned(completion: Completion): boolean {
  return (
    completion.status === 'error' && (completion.kind === 'budget' || completion.kind === 'aborted')
  );
}

export type Complete = (request: Request) => Promise<Completion>;

export type Evaluate = (job: CodeJob) => Promise<CodeResult[]>;

export interface CodeJob {
  /**
   * The suite and side of the answers. No process runs code on the answers of two suites or sides.
   */
  suite: string;
  side: Side;
  /**
   * Set if the code needs a new process. If absent, state of earlier code of this suite and side
   * may remain.
   */
  fresh?: true;
  /**
   * What the code scores, for messages, such as `metric "exact"`. Absent if the code may be random.
   */
  scores?: { what: string; place: Place };
  /** Where the code is, for messages. If absent, messages use the code's own line numbers. */
  at?: CodePlace;
  language: CodeLanguage;
  code: string;
  /**
   * Variables to read, in order. `?` marks optional text. If empty, only syntax and imports are
   * checked.
   */
  outputs: string[];
  inputs: Record<string, Json | undefined>[];
}

export type EvaluateAnswers = (
  job: Omit<CodeJob, 'suite' | 'side' | 'fresh' | 'scores'>,
) => Promise<CodeResult[]>;

export type CodeResult =
  | { status: 'ok'; values: Record<string, Json> }
  /**
   * `code`: the code raised an exception or set an unusable value. `sandbox`: the code did not
   * finish.
   */
  | { status: 'error'; cause: 'code' | 'sandbox'; message: string };
