import type { z } from 'zod';
import type { stepSchema, usageSchema } from './answer-schema.ts';
import type { Json } from './plain.ts';
import type { ChatApi } from './vendors/names.ts';

export interface Answer {
  served: Served;
  /** At most one text part, which comes first, followed by tool calls and other parts. */
  parts: Part[];
  ended: Ended;
  ended_as?: string;
  usage: Usage | null;
  /** Milliseconds of the original call. Null for a batch request. */
  latency_ms: number | null;
  steps: Step[];
  opaque?: Opaque;
}

/**
 * A vendor's own form of an answer, such as thinking with its signature. The next request of the
 * dialogue sends it back unchanged. It is never judged, shown or compared.
 */
export interface Opaque {
  api: ChatApi | 'messages';
  /** The model that was asked, as in the request. */
  model: string;
  /** JSON text if it has numbers that a double cannot represent. */
  data: Json;
}

export interface Served {
  model: string | null;
  /** The server's configuration, such as OpenAI's `system_fingerprint`. */
  fingerprint: string | null;
  /** Milliseconds since 1970. In stored answers, rounded to the hour. */
  at: number | null;
}

const NOT_SERVED: Served = { model: null, fingerprint: null, at: null };

export type Part =
  | { type: 'text'; text: string }
  | ({ type: 'tool_call' } & ToolCall)
  | { type: 'json'; value: Json }
  /** `digest` is SHA-256 in hex. `data` is base64, or null above {@link MAX_EMBEDDED_BYTES}. */
  | { type: 'image'; media_type: string; digest: string; bytes: number; data: string | null }
  | { type: 'file'; path: string; diff: string }
  | { type: 'unknown'; kind: string; json: string };

/** An `unknown` part of this kind contains facts that evaldiff adds for metrics. */
export const OWN_FACTS = 'evaldiff';

export function isOwnFacts(part: Part): boolean {
  return part.type === 'unknown' && part.kind === OWN_FACTS;
}

export const MAX_EMBEDDED_BYTES = 200 * 1024;

export const ENDED = ['stop', 'length', 'tool_calls', 'refused', 'filtered', 'other'] as const;

export type Ended = (typeof ENDED)[number];

export type Usage = z.infer<typeof usageSchema>;

export interface ToolCall {
  /** Set in dialogues: unique in its transcript, nine letters or digits unless recorded. */
  id?: string;
  name: string;
  /** The model's JSON text, so that numbers stay exact. */
  arguments: string;
  /** Set only in recorded dialogues. */
  metadata?: Record<string, Json>;
}

/** The id of a transcript's call number `ordinal`, from 1, in a form that every vendor accepts. */
export function callId(ordinal: number): string {
  return `call${String(ordinal).padStart(5, '0')}`;
}

export type Step = z.infer<typeof stepSchema>;

export type CallPart = Extract<Part, { type: 'tool_call' }>;

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

/** In UTF-16 units. */
const MAX_GRADED_DIFFS = 60_000;

export function filesText({ parts }: Pick<Answer, 'parts'>): string {
  const files = parts.flatMap((part) =>
    part.type === 'file' ? [`${part.path}\n${part.diff}`] : [],
  );
  if (files.length === 0 || !parts.some(isOwnFacts)) return '';
  const text = files.join('\n');
  const cut = text.length > MAX_GRADED_DIFFS ? `${text.slice(0, MAX_GRADED_DIFFS)}\n…` : text;
  return `\n\nChanged files:\n${cut}`;
}

export function madeCalls({ parts, steps }: Pick<Answer, 'parts' | 'steps'>): ToolCall[] {
  if (!parts.some(isOwnFacts)) return callsOf({ parts });
  return steps.flatMap((step) =>
    step.type === 'tool_call' ? [{ name: step.name, arguments: step.arguments }] : [],
  );
}

export function partsOf(text: string, calls: readonly ToolCall[] = []): Part[] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({ type: 'tool_call' as const, ...call })),
  ];
}

export function ownAnswer(parts: Part[]): Answer {
  return { served: NOT_SERVED, parts, ended: 'stop', usage: null, latency_ms: 0, steps: [] };
}

export function saysNothing({ parts }: Pick<Answer, 'parts'>): boolean {
  return parts.every((part) => part.type === 'text' && part.text.trim() === '');
}

export function isWithheld({ ended }: Pick<Answer, 'ended'>): boolean {
  return ended === 'refused' || ended === 'filtered';
}
