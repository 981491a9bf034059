import type { Served, ToolCall, Usage } from '../../../types/answer.ts';
import type { AskedModel, CachedTokens, ErrorKind } from '../../../types/model.ts';
import type { Price } from '../../../types/price.ts';
import type { AgentName } from '../suite/spec.ts';

/** A vendor's protocol. `openai`: responses and chat completions. */
export type Wire = 'anthropic' | 'openai' | 'gemini';

export interface GatewayOptions {
  upstreams: Upstreams;
  price: Price;
  stored: StoredReplies;
  /** Sends no request: answers from the store, or refuses. */
  offline: boolean;
  /** SHA-256 in hex. */
  hash(text: string): string;
  /** An unguessable text for each run. */
  token(): string;
  now(): number;
  redact(text: string): string;
  listen: { socket: string } | { port: 0 };
}

export interface Upstreams {
  find(wire: Wire, target: AskedModel): Upstream;
  /** No reply that contains one of these is passed on. */
  secrets: readonly string[];
  close(): void;
}

export interface Upstream {
  /** Which server it is. Part of the key of stored replies. */
  place: string;
  /** Adds the API key and sends it to its own server only. */
  server: { url: string; fetch: typeof fetch } | { problem: string };
}

export interface StoredReply {
  /** Media type. */
  type: string;
  body: string;
  model: string | null;
  /** Milliseconds since 1970. */
  at: number | null;
}

export interface StoredReplies {
  find(key: string): Promise<StoredReply | null>;
  keep(key: string, reply: StoredReply, target: AskedModel): Promise<void>;
}

export interface RunTerms {
  agent: AgentName;
  target: AskedModel;
  wires: readonly Wire[];
  try: number;
  limits: { turns: number; usd: number };
  /** Values that differ between equal runs, such as the workspace's commit. Same order each run. */
  known: readonly string[];
  /** Status that makes the agent stop instead of retry. */
  refusal: 400 | 403;
  /** Ends the run at the first reply to a request with tools, and does not pass it on. */
  firstDecisionOnly: boolean;
  /** Ignores stored replies; the new ones replace them. */
  anew: boolean;
  /** A false key in the agent's environment. A request that contains it is refused. */
  canary: string | null;
  /**
   * Called before each request to the vendor that costs money. False: the request may not be sent.
   */
  onAttempt(): boolean;
}

export type Refused =
  | {
      why: 'turns' | 'usd' | 'budget' | 'offline' | 'path' | 'request' | 'canary';
      message: string;
    }
  | { why: 'upstream'; kind: ErrorKind; message: string };

/** `usage`, `usd`: null if unknown for any of the calls. */
export interface SpentUsage {
  usage: Usage | null;
  cached?: CachedTokens;
  usd: number | null;
}

export interface RunRecord {
  calls: number;
  /** Requests that were sent to the vendor, including failed ones. */
  attempts: number;
  paid: number;
  replayed: number;
  /** Of all calls, as if none were replayed. */
  whole: SpentUsage;
  /** Of paid calls only. */
  spent: SpentUsage;
  served: Served;
  refused: Refused[];
  /** Why the last call of the suite's model failed. Null: it was answered. */
  failure: { kind: ErrorKind; message: string } | null;
  /** The first decision. Empty: text without a call. Null: none was made. */
  decision: ToolCall[] | null;
  isCanarySeen: boolean;
}

export interface RunTicket {
  token: string;
  /** Replaces the known values. To be called before the agent starts. */
  known(values: readonly string[]): void;
  /** Fires when the agent must be stopped, after its first decision. */
  cut: AbortSignal;
  /** Cancels calls in flight and invalidates the token. */
  end(): RunRecord;
}

export interface Gateway {
  /** A socket's path, or an http address. */
  address: string;
  open(terms: RunTerms): RunTicket;
  close(): Promise<void>;
}
