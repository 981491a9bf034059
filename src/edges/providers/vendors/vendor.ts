import type { ZodError } from 'zod';
import type { Answer, Ended, Served } from '../../../types/answer.ts';
import { apiOf } from '../../../types/apis.ts';
import type {
  CachedTokens,
  MeteredUsage,
  Message,
  Request,
  AskedModel,
} from '../../../types/model.ts';
import type { Json } from '../../../types/plain.ts';
import type { Form, VendorFacts } from '../../../types/vendors/facts.ts';
import type { VendorName } from '../../../types/vendors/names.ts';

export interface Vendor extends Language {
  name: VendorName;
  facts: VendorFacts;
}

export interface Language {
  replyName: string;
  connect(connection: VendorConnection): Promise<Post>;
  refuses(parameters: Record<string, Json>): string | null;
  body(ask: Ask): Record<string, unknown>;
  read(data: unknown, ask: ReadAs): VendorAnswer;
  /** If the model is in the address. */
  pathOf?(model: string): string;
  texts: Readonly<Record<'embedding' | 'moderation', VendorEndpoint>> | null;
  responses: VendorEndpoint | null;
  batches: BatchApi | null;
}

/** In `texts`, the only message is the text to embed or to moderate. The answer is JSON. */
export interface VendorEndpoint extends Pick<Language, 'replyName' | 'body' | 'read'> {
  path: string;
}

export interface VendorConnection {
  baseUrl: string;
  fetch(input: string | URL | globalThis.Request, init?: RequestInit): Promise<Response>;
  timeoutMs: number;
}

export type Post = (body: Record<string, unknown>, path?: string) => Promise<Response>;

/** Building a request with the SDK's `buildRequest` would take half as long as sending it. */
export function plainRequests({ baseUrl, timeoutMs }: VendorConnection) {
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' });
  return ({ method, path, body }: { method: string; path: string; body?: unknown }) =>
    Promise.resolve({
      req: { method, headers, body: JSON.stringify(body) },
      url: `${baseUrl}${path}`,
      timeout: timeoutMs,
    });
}

export interface Ask {
  model: string;
  parameters: Record<string, Json>;
  messages: Message[];
  /** Base64 of the files in the messages, by object id. */
  files?: ReadonlyMap<string, string>;
  schema: Request['schema'];
  form: Form;
  /** The model reasons, so its reasoning is requested in the form that it accepts back. */
  reasons?: true;
  /** How many leading messages the vendor should keep in its prompt cache. */
  marked?: number;
}

export interface ReadAs extends Pick<Ask, 'schema' | 'model'> {
  parameters: Ask['parameters'] | null;
}

export type VendorAnswer =
  | (MeteredUsage &
      Pick<Answer, 'parts' | 'ended' | 'ended_as' | 'opaque'> & {
        kind: 'answer';
        served: Pick<Served, 'model' | 'fingerprint'>;
        steps?: Answer['steps'];
      })
  | ({ kind: 'none' } & NoAnswer & MeteredUsage)
  /** `member`: the path of the first invalid member; '' for the whole reply. */
  | { kind: 'odd'; member: string };

export interface NoAnswer {
  fails: 'reply' | 'server' | 'filtered';
  why: string;
  again: 'never' | 'once' | 'later';
  ended?: Ended;
}

export type VendorOutput = Extract<VendorAnswer, { kind: 'answer' }>;

/** Sends many requests together. The vendor answers within a day at half the price. */
export interface BatchApi {
  limits: BatchLimits;
  bytes(id: string, body: string, path?: string): number;
  connect(
    connection: VendorConnection & { download: VendorConnection['fetch'] },
  ): Promise<BatchServer>;
}

export interface BatchLimits {
  requests: number;
  bytes: number;
}

export interface BatchItem {
  id: string;
  path?: string;
  body(): Promise<Record<string, unknown>>;
}

interface Uploaded {
  file: string | null;
}

/** Functions reject with the SDK's error if the server replies with an error status. */
export interface BatchServer {
  upload(items: readonly BatchItem[]): Promise<Uploaded | null>;
  /** Creates the batch, which then costs money. Null if the reply has no batch id. */
  create(items: readonly BatchItem[], uploaded: Uploaded): Promise<string | null>;
  state(id: string): Promise<BatchState | null>;
  results(
    id: string,
    state: Extract<BatchState, { status: 'ended' }>,
  ): AsyncIterable<ReadableStream<Uint8Array>>;
  readLine(line: unknown): BatchLine | null;
}

export type BatchState =
  | { status: 'waiting'; done: number; total: number }
  | { status: 'ended'; files: string[]; left: 'expired' | 'canceled' | null }
  | { status: 'failed'; code: string; said: string };

export interface BatchLine {
  id: string;
  outcome: BatchOutcome;
}

export type BatchOutcome =
  | { kind: 'reply'; data: unknown }
  | { kind: 'error'; status: number; code: string; said: string }
  | { kind: 'expired' | 'canceled' };

export type AnswerEndpoint = Pick<Language, 'replyName' | 'body' | 'read' | 'pathOf'> & {
  path?: string;
};

export function answerEndpoint(
  vendor: Vendor,
  asked: AskedModel,
  parameters: Ask['parameters'],
): AnswerEndpoint {
  const { responses } = vendor;
  return responses === null || apiOf(asked, parameters) === 'chat' ? vendor : responses;
}

export function cachedTokens(
  input: number,
  { read, written, cost }: { [part in keyof CachedTokens]?: number | null | undefined },
): { cached?: CachedTokens } {
  // A server may report any number, but the cache cannot have read more tokens than were sent.
  const known = Math.min(read ?? 0, input);
  const cached = { read: known, written: Math.min(written ?? 0, input - known) };
  if (typeof cost === 'number') return { cached: { ...cached, cost } };
  return cached.read + cached.written === 0 ? {} : { cached };
}

export function oddMember({ issues: [first] }: ZodError): { kind: 'odd'; member: string } {
  const [top = '', ...below] = first?.path ?? [];
  const steps = below.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return { kind: 'odd', member: steps.length === 0 ? '' : `${String(top)}${steps.join('')}` };
}

/** Ids become part of addresses and file names. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(text);
}
