import type { BatchApi } from './batch/vendor.ts';
import type { FinishReason, Json, Message, Request, ToolCall, Usage } from '../types.ts';

export type VendorName = 'openai' | 'anthropic';

/** A model vendor: how its servers are reached, asked and read. */
export interface Vendor {
  name: VendorName;
  /** Base address of the public host, in the form that the vendor's SDK takes. */
  host: string;
  /** The action's input that holds the key. */
  keyInput: string;
  /**
   * The variable by which the vendor's SDK would let the environment choose another host. Never
   * obeyed.
   */
  baseUrlVariable: string;
  /** What a reply is called in messages. */
  replyName: string;
  auth(key: string): { header: string; value: string };
  /** Loads the SDK, which is slow, and so only when the vendor is asked. */
  connect(connection: Connection): Promise<Post>;
  /** Why these parameters cannot be sent, or null. */
  refuses(parameters: Record<string, Json>): string | null;
  body(ask: Ask): Record<string, unknown>;
  /** Null when the data is no reply of this vendor. */
  read(data: unknown, ask: Ask): Answer | null;
  /** How vectors of texts are asked for; null: the vendor has none. */
  embeddings: Embeddings | null;
  /** How many requests are asked at once; null: this vendor answers no batches. */
  batches: BatchApi | null;
}

/**
 * A vendor's endpoint of embeddings. The text is the one message's, the answer the vector as JSON.
 */
export interface Embeddings extends Pick<Vendor, 'replyName' | 'body' | 'read'> {
  /** Below the base address. */
  path: string;
}

export interface Connection {
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

export interface Ask {
  model: string;
  parameters: Record<string, Json>;
  messages: Message[];
  schema: Request['schema'];
}

export type Answer =
  | {
      kind: 'answer';
      output: string;
      finish_reason: FinishReason;
      tool_calls: ToolCall[];
      usage: Usage | null;
    }
  /** Nothing was said because a filter withheld it. */
  | { kind: 'withheld' };

export type Said = Extract<Answer, { kind: 'answer' }>;
