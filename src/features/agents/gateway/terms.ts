import type { Served, ToolCall, Usage } from '../../../types/answer.ts';
import type { AskedModel, CachedTokens, ErrorKind } from '../../../types/model.ts';
import type { Price } from '../../../types/price.ts';
import type { Wire } from '../rows/agent-row.ts';
import type { AgentName } from '../suite/spec.ts';

export interface GatewayOptions {
  upstreams: Upstreams;
  price: Price;
  stored: StoredReplies;
  /** Sends no request: a call is answered from the store or refused. */
  offline: boolean;
  /** SHA-256 in hex. */
  hash(text: string): string;
  /** Returns an unguessable text for each run. */
  token(): string;
  now(): number;
  redact(text: string): string;
  listen: { socket: string } | { port: 0 };
}

export interface Upstreams {
  find(wire: Wire, target: AskedModel): Upstream;
  /** Secrets that no reply may contain. Such a reply is not forwarded. */
  secrets: readonly string[];
  close(): void;
}

export interface Upstream {
  /** Identifies the server. Part of the key of stored replies. */
  place: string;
  /** Adds the API key and sends it only to its own server. */
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
  /**
   * Values that differ between equal runs, such as the workspace's commit. They have the same order
   * in each run.
   */
  known: readonly string[];
  /** The status that makes the agent stop instead of retrying. */
  refusal: 400 | 403;
  /** Ends the run at the first reply to a request with tools, and does not forward that reply. */
  firstDecisionOnly: boolean;
  /** Ignores stored replies. The new replies replace them. */
  anew: boolean;
  /** A false key in the agent's environment. A request that contains it is refused. */
  canary: string | null;
  /**
   * Called before each request to the vendor that costs money. If it returns false, the request is
   * not sent.
   */
  onAttempt(): boolean;
}

export type Refused =
  | {
      why: 'turns' | 'usd' | 'budget' | 'offline' | 'path' | 'request' | 'canary';
      message: string;
    }
  | { why: 'upstream'; kind: ErrorKind; message: string };

/** `usage` and `usd` are null if any call's value is unknown. */
export interface SpentUsage {
  usage: Usage | null;
  cached?: CachedTokens;
  usd: number | null;
}

export interface RunRecord {
  calls: number;
  /** Number of requests sent to the vendor, including failed ones. */
  attempts: number;
  paid: number;
  replayed: number;
  /** Usage of all calls, as if none were replayed. */
  whole: SpentUsage;
  /** Usage of paid calls only. */
  spent: SpentUsage;
  served: Served;
  refused: Refused[];
  /** Why the last call of the suite's model failed. Null if it was answered. */
  failure: { kind: ErrorKind; message: string } | null;
  /** The first decision. Empty if it is text without a call. Null if there was none. */
  decision: ToolCall[] | null;
  isCanarySeen: boolean;
}

export interface RunTicket {
  token: string;
  /** Replaces the known values. Call it before the agent starts. */
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
