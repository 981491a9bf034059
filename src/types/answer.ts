import type { Json } from './plain.ts';

/** What came back for one try. The store keeps it; scores are kept apart. */
export interface Answer {
  served: Served;
  /** Text first, then calls and others in their order; no two texts. Empty: it said nothing. */
  parts: Part[];
  ended: Ended;
  /** The server's own word, if `ended` is `other` because we do not know it. */
  ended_as?: string;
  /** null: the server did not count. */
  usage: Usage | null;
  /** Milliseconds of the original call, even if reused; null for batches. */
  latency_ms: number | null;
  /** What happened on the way, in order; empty for a single request. */
  steps: Step[];
}

/** Who answered, and when. */
export interface Served {
  /** As the server names it; null: it did not. */
  model: string | null;
  /** Of the server's configuration, such as OpenAI's `system_fingerprint`; null: none. */
  fingerprint: string | null;
  /** Milliseconds since 1970, to the hour for stored answers; null: unknown or not a server. */
  at: number | null;
}

/** For answers that no server gave: code, recordings, composed dialogues. */
const NOT_SERVED: Served = { model: null, fingerprint: null, at: null };

export type Part =
  | { type: 'text'; text: string }
  | ({ type: 'tool_call' } & ToolCall)
  | { type: 'json'; value: Json }
  /** `digest`: SHA-256 in hex; `data`: base64, null above {@link MAX_EMBEDDED_BYTES}. */
  | { type: 'image'; media_type: string; digest: string; bytes: number; data: string | null }
  /** A file that was written: its unified diff, or its whole text if it is new. */
  | { type: 'file'; path: string; diff: string }
  /** A part of a kind that we do not know: the vendor's name for it and its JSON. */
  | { type: 'unknown'; kind: string; json: string };

/** Larger parts are kept by their digest alone. */
export const MAX_EMBEDDED_BYTES = 200 * 1024;

export const ENDED = ['stop', 'length', 'tool_calls', 'refused', 'filtered', 'other'] as const;

/** Why it ended, in one vocabulary for all vendors. */
export type Ended = (typeof ENDED)[number];

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** Those of `output_tokens` that were thinking; absent: not counted apart. */
  reasoning_tokens?: number;
}

export interface ToolCall {
  name: string;
  /** JSON text as the model wrote it, so that numbers stay exact. */
  arguments: string;
  /** Of a recorded dialogue. */
  metadata?: Record<string, Json>;
}

export type Step =
  | { type: 'message'; role: 'user' | 'assistant'; text: string }
  /** `result`: null if the call was not answered. */
  | { type: 'tool_call'; name: string; arguments: string; result: string | null };

type CallPart = Extract<Part, { type: 'tool_call' }>;

/** All text of an answer; '' without any. JSON counts as its text. */
export function textOf({ parts }: Pick<Answer, 'parts'>): string {
  const [first, ...more] = parts;
  if (more.length === 0 && first?.type === 'text') return first.text;
  return parts
    .map((part) =>
      part.type === 'text' ? part.text : part.type === 'json' ? JSON.stringify(part.value) : '',
    )
    .join('');
}

export function callsOf({ parts }: Pick<Answer, 'parts'>): ToolCall[] {
  return parts
    .filter((part): part is CallPart => part.type === 'tool_call')
    .map(({ type: _, ...call }) => call);
}

export function partsOf(text: string, calls: readonly ToolCall[] = []): Part[] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({ type: 'tool_call' as const, ...call })),
  ];
}

/** An answer that no server gave. */
export function ownAnswer(parts: Part[]): Answer {
  return { served: NOT_SERVED, parts, ended: 'stop', usage: null, latency_ms: 0, steps: [] };
}

/** Without text, calls or any other part. */
export function saysNothing({ parts }: Pick<Answer, 'parts'>): boolean {
  return parts.every((part) => part.type === 'text' && part.text.trim() === '');
}

/** Refused or filtered by the server. */
export function isWithheld({ ended }: Pick<Answer, 'ended'>): boolean {
  return ended === 'refused' || ended === 'filtered';
}
