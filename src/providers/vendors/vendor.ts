import type { ZodError } from 'zod';
import type {
  CachedTokens,
  FinishReason,
  Message,
  Request,
  ToolCall,
  Usage,
} from '../../types/model.ts';
import type { Json } from '../../types/plain.ts';
import type { Form, VendorFacts } from '../../types/vendors/facts.ts';
import type { VendorName } from '../../types/vendors.ts';

/** A model vendor: what is known of it, and how its servers are reached, asked and read. */
export interface Vendor extends Language {
  name: VendorName;
  facts: VendorFacts;
}

/** How an API is spoken, whoever's servers it is. */
export interface Language {
  /** What a reply is called in messages. */
  replyName: string;
  /** Loads the SDK, which is slow, and so only when the vendor is asked. */
  connect(connection: VendorConnection): Promise<Post>;
  /** Why these parameters cannot be sent, or null. */
  refuses(parameters: Record<string, Json>): string | null;
  body(ask: Ask): Record<string, unknown>;
  read(data: unknown, ask: ReadAs): VendorAnswer;
  /** How vectors of texts are asked for; null: there are none. */
  embeddings: VendorEndpoint | null;
  /** How models are asked that have another API alone; null: there are none. */
  responses: VendorEndpoint | null;
  /** How many requests are asked at once; null: it answers no batches. */
  batches: BatchApi | null;
}

/**
 * Another endpoint of a vendor's. Of embeddings the text is the one message's, the answer the
 * vector as JSON.
 */
export interface VendorEndpoint extends Pick<Language, 'replyName' | 'body' | 'read'> {
  /** Below the base address. */
  path: string;
}

export interface VendorConnection {
  baseUrl: string;
  fetch(input: string | URL | globalThis.Request, init?: RequestInit): Promise<Response>;
  /** For the SDK's own timer, which must not be the first to fire. */
  timeoutMs: number;
}

/**
 * Sends one request, without repeating it; rejects with the SDK's error for every status but
 * success. Without a `path` below the base address it asks for an answer.
 */
export type Post = (body: Record<string, unknown>, path?: string) => Promise<Response>;

/**
 * Takes the place of `buildRequest` in an SDK's client, which makes some twenty headers three times
 * for every request. That costs half as much as sending it, and the transport lets two of them out.
 */
export function plainRequests({
  baseUrl,
  timeoutMs,
}: Pick<VendorConnection, 'baseUrl' | 'timeoutMs'>): (options: {
  method: string;
  path: string;
  body?: unknown;
}) => Promise<{
  req: { method: string; headers: Headers; body: string };
  url: string;
  timeout: number;
}> {
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' });
  return ({ method, path, body }) =>
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
  schema: Request['schema'];
  /** How the answer of the schema is asked for; `plain` where there is none. */
  form: Form;
  /** Leading messages that the vendor is to keep in its cache; absent: nothing is marked. */
  marked?: number;
}

/** What a reply is read by: the parameters that were sent, or null where they are not known. */
export interface ReadAs extends Pick<Ask, 'schema'> {
  parameters: Ask['parameters'] | null;
}

export type VendorAnswer =
  | {
      kind: 'answer';
      output: string;
      finish_reason: FinishReason;
      tool_calls: ToolCall[];
      usage: Usage | null;
      cached?: CachedTokens;
      /** The model that answered, as the server calls it. */
      served?: string;
      /** The server's word for why it ended, where nobody knows what it means. */
      ended?: string;
    }
  /** A reply in the vendor's form that holds no answer of worth. */
  | ({ kind: 'none' } & NoAnswer)
  /** Not a reply of this vendor; `member`: what in it is not as it should be, '' for all of it. */
  | { kind: 'odd'; member: string };

/** Why a reply holds no answer, whether it is worth asking again, and how it ended. */
export interface NoAnswer {
  fails: 'reply' | 'server' | 'filtered';
  why: string;
  again: 'never' | 'once' | 'later';
  ended?: FinishReason;
}

export type Said = Extract<VendorAnswer, { kind: 'answer' }>;

/** How a vendor takes many requests at once, to be answered within a day at half the price. */
export interface BatchApi {
  limits: BatchLimits;
  /** Bytes that one request takes in what is sent; `body` is the text of its JSON. */
  bytes(id: string, body: string): number;
  /** Loads the SDK, which is slow, and so only when a batch is wanted. */
  connect(connection: BatchConnection): Promise<BatchServer>;
}

export interface BatchLimits {
  /** Most requests of one batch. */
  requests: number;
  /** Most bytes of one batch, as they are sent. */
  bytes: number;
}

interface BatchConnection extends VendorConnection {
  /**
   * For results, which are as long as all answers together: the body of the response is a stream.
   */
  download: VendorConnection['fetch'];
}

/**
 * One request of a batch. The body is made when it is sent, for all of them at once would not fit
 * into memory.
 */
export interface BatchItem {
  id: string;
  body(): Record<string, unknown>;
}

interface Uploaded {
  file: string | null;
}

/** A vendor's batches. Every function rejects with the SDK's error for every status but success. */
export interface BatchServer {
  /**
   * What has to be there before a batch can be created: an uploaded file, or nothing. Null when the
   * reply names no file.
   */
  upload(items: readonly BatchItem[]): Promise<Uploaded | null>;
  /** Creates the batch, which is paid for from here on; null when the reply names none. */
  create(items: readonly BatchItem[], uploaded: Uploaded): Promise<string | null>;
  /** Null when the reply is not a batch. */
  state(id: string): Promise<BatchState | null>;
  /** The parts of a batch's results, each as a stream of lines of JSON. */
  results(
    id: string,
    state: Extract<BatchState, { status: 'ended' }>,
  ): AsyncIterable<ReadableStream<Uint8Array>>;
  readLine(line: unknown): BatchLine | null;
}

export type BatchState =
  | { status: 'waiting'; done: number; total: number }
  /**
   * `files` hold the results where the vendor keeps them in files; `left`: why requests may be
   * without one.
   */
  | { status: 'ended'; files: string[]; left: 'expired' | 'canceled' | null }
  /** The batch as a whole was refused: no request of it was answered. */
  | { status: 'failed'; code: string; said: string };

/** What came of one request. */
export interface BatchLine {
  id: string;
  outcome: BatchOutcome;
}

export type BatchOutcome =
  /** The vendor's reply, as for a direct call. */
  | { kind: 'reply'; data: unknown }
  /** Refused or failed, with the status a direct call would have got. */
  | { kind: 'error'; status: number; code: string; said: string }
  | { kind: 'expired' | 'canceled' };

/** What a vendor counted of its prompt cache, as a part of an answer; nothing where it counted none. */
export function cachedTokens(
  input: number,
  { read, written }: { [part in keyof CachedTokens]: number | null | undefined },
): { cached?: CachedTokens } {
  // A server may say anything; it cannot have read more than was sent.
  const known = Math.min(read ?? 0, input);
  const cached = { read: known, written: Math.min(written ?? 0, input - known) };
  return cached.read + cached.written === 0 ? {} : { cached };
}

/** `choices[0].message.content`: what of a reply is not in its form; '' where its top is not. */
export function oddMember({ issues: [first] }: ZodError): { kind: 'odd'; member: string } {
  const [top = '', ...below] = first?.path ?? [];
  const steps = below.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return { kind: 'odd', member: steps.length === 0 ? '' : `${String(top)}${steps.join('')}` };
}

/** Ids go into addresses and files; a vendor's are of these letters. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(text);
}

/** The header that carries a vendor's key, or Azure's (`azure`); null for servers without one. */
export function authOf(
  { facts }: Pick<Vendor, 'facts'>,
  key: string | null,
  azure = false,
): { header: string; value: string } | null {
  if (key === null) return null;
  const keyHeader = azure ? 'api-key' : facts.keyHeader;
  return { header: keyHeader, value: keyHeader === 'authorization' ? `Bearer ${key}` : key };
}
