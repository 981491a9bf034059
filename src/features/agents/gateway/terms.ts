import type { RetryOptions } from '../../../edges/providers/retry.ts';
import type { Ledger } from '../../../money/ledger.ts';
import type { Served, Step, Usage } from '../../../types/answer.ts';
import type { AskedModel, CachedTokens, ErrorKind } from '../../../types/model.ts';
import type { JsonMap } from '../../../types/plain.ts';
import type { Wire } from '../rows/agent-row.ts';
import type { AgentSpec, WorkspaceRules } from '../suite/spec.ts';
import type { ModelRoute } from './routes.ts';

export interface GatewayOptions {
  upstreams: Upstreams;
  ledger(): Ledger;
  stored: StoredReplies;
  offline: boolean;
  hash(text: string): string;
  token(): string;
  now(): number;
  redact(text: string): string;
  listen: { socket: string } | { port: 0 };
}

export interface Upstreams {
  find(wire: Wire, target: AskedModel): Upstream;
  /** API keys. A reply that contains one is not forwarded. */
  secrets(): readonly string[];
  close(): void;
}

export interface Upstream {
  /** The server's name in keys of stored replies. */
  place: string;
  server: { url: string; fetch: typeof fetch; retry: RetryOptions } | { problem: string };
}

export interface StoredReply {
  type: string;
  body: string;
  model: string | null;
  at: number | null;
}

export interface StoredReplies {
  find(key: string): Promise<StoredReply | null>;
  keep(key: string, reply: StoredReply, target: AskedModel): Promise<void>;
}

export interface Call {
  route: ModelRoute;
  model: string;
  body: JsonMap;
  /** The body, parsed and serialized again, because parsers disagree about repeated keys. */
  sent: string;
  /** The `anthropic-beta` header. */
  betas: string;
  /** Aborted if the agent closes the connection. */
  gone: AbortSignal;
  take: TakeRoom;
}

/** Counts bytes that the gateway holds for a run. False: too many. */
export type TakeRoom = (bytes: number) => boolean;

export interface RunTerms extends Pick<AgentSpec, 'agent' | 'models' | 'allow'> {
  target: AskedModel;
  network: WorkspaceRules['network'];
  wires: readonly Wire[];
  try: number;
  limits: { turns: number; usd: number };
  refusal: 400 | 403;
  /** For trigger tests: the first reply to a request with tools ends the run. */
  firstDecisionOnly: boolean;
  anew: boolean;
  /** A fake key in the agent's environment. Requests with it are refused. */
  canary: string | null;
  /** @param body the JSON of a model call */
  sees?(body: string): void;
}

export type Refused =
  | {
      why: 'turns' | 'usd' | 'budget' | 'offline' | 'path' | 'request' | 'canary' | 'content';
      message: string;
    }
  | ({ why: 'upstream' } & RunFailure);

export interface RunFailure {
  kind: ErrorKind;
  message: string;
}

export interface SpentUsage {
  usage: Usage | null;
  cached?: CachedTokens;
  usd: number | null;
}

export interface RunRecord {
  calls: number;
  attempts: number;
  paid: number;
  replayed: number;
  whole: SpentUsage;
  spent: SpentUsage;
  served: Served;
  refused: Refused[];
  failure: RunFailure | null;
  isDecided: boolean;
  isCanarySeen: boolean;
  /** The model's texts and calls, and the results that later requests report. */
  steps: Step[];
  /** Whether any request offered tools to the model. */
  hasTools: boolean;
  /** Models that were called, by the names in the requests. */
  models: readonly string[];
  /** Who answered: a call of this run, a call of another run in this process, or an earlier one. */
  replies: { own: number; other: number; stored: number };
  /** Equal if two runs sent the model the same requests. */
  requests: string;
}

export interface RunTicket {
  token: string;
  /** Values that differ between equal runs, such as the workspace's commit, always in one order. */
  known(values: readonly string[]): void;
  cut: AbortSignal;
  end(): RunRecord;
}

export interface Gateway {
  address: string;
  open(terms: RunTerms): RunTicket;
  close(): Promise<void>;
}
