import type { Answer, Ended, Opaque, ToolCall, Usage } from './answer.ts';
import type { GivenPace } from './endpoints.ts';
import type { MessagePart } from './media.ts';
import type { CodeLanguage, CodePlace, Json, JsonMap, Purpose, Scalar, Side } from './plain.ts';
import type { ChatApi, VendorName } from './vendors/names.ts';

export interface KeptRecords {
  outcomes(keys: readonly string[]): Map<string, { passes: number; tries: number }>;
  /** Absent in runs that only read the store. Does nothing if the file cannot be written. */
  addOutcomes?(rows: readonly { key: string; passes: number; tries: number }[]): void;
  note(name: string): string | null;
  setNote?(name: string, body: string): boolean;
}

export interface BatchRecord {
  id: string;
  vendor: VendorName;
  model: string;
  /** Milliseconds since 1970. */
  submitted_at: number;
  requests: { key: string; schema: string | null }[];
}

export type ProviderName = VendorName | 'program' | 'replay';

export type Transport = 'direct' | 'batch';

export type Role = 'system' | 'user' | 'assistant';

export const ROLE_NAMES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
};

/** One entry of a transcript. `content` is its text, which includes the names of its files. */
export type Message = SpokenMessage | AssistantMessage | ToolMessage;

interface SpokenMessage {
  role: 'system' | 'user';
  content: string;
  /** Sent instead of `content`, if the message has files. */
  parts?: MessagePart[];
  /** Who wrote it. Absent: the prompt. Not sent to the model. */
  by?: 'reference' | 'evaluator' | 'recording';
  tool_calls?: never;
  /** Not sent to the model. */
  metadata?: Record<string, Json>;
}

export interface AssistantMessage {
  role: 'assistant';
  content: string;
  parts?: MessagePart[];
  /** Each call with an id has one {@link ToolMessage} with the same id. */
  tool_calls?: ToolCall[];
  /** Sent in place of `content` and `tool_calls` if it is from the same model. */
  opaque?: Opaque;
  /** Not sent to the model. */
  metadata?: Record<string, Json>;
}

/** The result of a tool call of the assistant's message before it. It is not an answer. */
export interface ToolMessage {
  role: 'tool';
  /** The call's id. Vendors' requests translate it to the vendor's own id. */
  id: string;
  name: string;
  content: string;
  parts?: never;
  tool_calls?: never;
  /** Not sent to the model. */
  metadata?: Record<string, Json>;
}

/** A message as a prompt writes it. */
export interface PromptText {
  role: Role;
  content: string;
  parts?: MessagePart[];
}

/** Keeps only what affects the answer, not where the message is written. */
export function plainMessage(message: Message): Message & JsonMap {
  const { role, content, parts, tool_calls: calls } = message;
  const plain = {
    role,
    ...(message.role === 'tool' && { id: message.id, name: message.name }),
    content,
    ...(parts && { parts }),
    ...(calls && { tool_calls: calls.map(({ metadata: _, ...call }) => call) }),
    ...('opaque' in message && { opaque: message.opaque }),
  };
  return plain as Message & JsonMap;
}

/** Where a request goes. In the comments below, "the key" is the key of a stored answer. */
export type Target =
  | HostedTarget
  | {
      provider: 'program';
      model: string;
      command: string[];
      setup: string[];
      /** Hash of the program's files. Part of the key, unlike `commit`. */
      files: string;
      ids?: ReadonlyMap<string, string>;
      commit: string;
      /** One process per try. Default: one for base and one for head. */
      process?: 'try';
      /**
       * The model that the program calls, and the most calls and US dollars for one answer. Not
       * part of the key.
       */
      calls?: AskedModel & { most: number; usd: number };
      /** Part of the key. */
      overlay?: FileOverlay;
      /** Not part of the key. */
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

export interface PublicModel {
  provider: VendorName;
  model: string;
}

export interface AskedModel {
  provider: VendorName;
  /** Null means the vendor's own host. */
  endpoint: string | null;
  model: string;
  api?: ChatApi;
  /** The model behind an endpoint or an alias. Not part of the key. */
  is?: PublicModel;
}

/**
 * Files that an experiment replaces. Those with an `id` are read from `commit`, which is not part
 * of the key.
 */
interface FileOverlay {
  commit: string;
  files: Record<string, OverlaidFile>;
}

/** The new text, or the id of the other commit's file. Null removes the file. */
export type OverlaidFile = { text: string } | { id: string } | null;

export type ProgramTarget = Extract<Target, { provider: 'program' }>;

export interface HostedTarget extends AskedModel {
  /**
   * Batch requests cost half. Not part of the key, because batch answers are equivalent to direct
   * ones.
   */
  transport?: 'batch';
  /** Not part of the key. */
  pace?: GivenPace;
}

export function isHosted(target: Target): target is HostedTarget {
  return 'endpoint' in target;
}

export function calledModel(target: Target): HostedTarget | null {
  if (target.provider !== 'program' || target.calls === undefined) return null;
  const { most: _, usd: __, ...asked } = target.calls;
  return asked;
}

export function isBatched(target: Target): boolean {
  return 'transport' in target && target.transport === 'batch';
}

/** Leaves out the commit, because the answers depend only on the program's files. */
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

export function placeOf(asked: { provider: ProviderName; endpoint?: string | null }): string {
  return asked.endpoint ?? asked.provider;
}

/** Returns the target without batches, for the price that the prompt's users pay. */
export function asDirect(target: Target): Target {
  if (!isBatched(target) || !isHosted(target)) return target;
  const { transport: _, ...direct } = target;
  return direct;
}

export const PROMPTFOO_PROGRAM = 'evaldiff-promptfoo';

export const AGENT_PROGRAM = 'evaldiff-agent';

export function takesVariables(target: Target): boolean {
  if (target.provider !== 'program') return false;
  return target.command[0] === PROMPTFOO_PROGRAM || takesOverlay(target);
}

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
  /** For programs that accept the prompt's variables. Part of the key. */
  variables?: Record<string, Scalar>;
  /** Number of the try, from 0. Two tries never share an answer. */
  try: number;
  /**
   * Requests JSON with this schema, through structured output or a forced tool if the model has
   * them.
   */
  schema: { name: string; json: { [key: string]: Json } } | null;
  purpose: Purpose;
  /** If false, the reply is not stored. Default: any output is usable. */
  usable?(output: string): boolean;
  /** False for an unreadable reply. After ten of them, the request is not sent again. */
  reads?(output: string): boolean;
  /** Asks again although an answer is stored, and replaces that answer. Not part of the key. */
  anew?: true;
  /** For programs: answered by a second process on the same side. Not part of the key. */
  secondSession?: true;
}

/**
 * Tokens that the vendor's prompt cache read or wrote, and the cost that the reply states, in US
 * dollars. They differ between calls, so they are not stored.
 */
export interface CachedTokens {
  read: number;
  written: number;
  cost?: number;
}

export interface MeteredUsage {
  usage: Usage | null;
  cached?: CachedTokens;
}

export interface Requests {
  /** Default: one, or none if the call was not made. */
  attempts?: number;
  /** Usage of replies without an answer. Null if a reply could not be read. */
  spent?: MeteredUsage[];
  /** Usage of the paid calls of a coding agent. If absent, all of `usage` was paid. */
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

/** `unsent`: no request was needed. */
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
      /** The server does not know the model. */
      noModel?: true;
      ended?: Ended;
      before?: string;
    });

export type OkCompletion = Extract<Completion, { status: 'ok' }>;

export const NOT_MADE_MESSAGES = {
  aborted: 'stopped before an answer came',
  budget: 'this call was not made, because the limit of model calls is reached',
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

export function whyDeclined(completion: Completion): string | null {
  return completion.status === 'error' && DECLINED_KINDS.has(completion.kind)
    ? completion.message
    : null;
}

export function isAbandoned(completion: Completion): boolean {
  return (
    completion.status === 'error' && (completion.kind === 'budget' || completion.kind === 'aborted')
  );
}

export type Complete = (request: Request) => Promise<Completion>;

export type Evaluate = (job: CodeJob) => Promise<CodeResult[]>;

export interface CodeJob {
  /** Different suites never share a process, and neither do base and head. */
  suite: string;
  side: Side;
  /** If absent, messages use the code's own line numbers. */
  at?: CodePlace | undefined;
  language: CodeLanguage;
  code: string;
  /** Modules that JavaScript can import: path → source. */
  modules?: Readonly<Record<string, string>> | undefined;
  /**
   * Variables to read. `?` marks an optional text. If the list is empty, only syntax and imports
   * are checked.
   */
  outputs: string[];
  inputs: Record<string, Json | undefined>[];
}

export type EvaluateAnswers = (job: Omit<CodeJob, 'suite' | 'side'>) => Promise<CodeResult[]>;

export type CodeResult =
  | { status: 'ok'; values: Record<string, Json> }
  /**
   * `code`: the code raised an exception or set an unusable value. `sandbox`: it did not finish.
   */
  | { status: 'error'; cause: 'code' | 'sandbox'; message: string };

export function modelLabel(target: Target): string {
  if (isBatched(target)) return `${target.model} (batch)`;
  return 'endpoint' in target && target.endpoint !== null
    ? `${target.model} (${target.endpoint})`
    : target.model;
}
