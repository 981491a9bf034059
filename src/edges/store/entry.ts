import { createHmac, createSecretKey, hash } from 'node:crypto';
import { z } from 'zod';
import type { Completion, Request, Target } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';

export interface Entry {
  key: string;
  /** For display only. */
  model: string;
  body: string;
  /** Binds the body to its key, so that a truncated, altered or moved entry is invalid. */
  digest: string;
}

type Answer = Extract<Completion, { status: 'ok' }>;

const count = z.int().nonnegative();

const storedAnswerSchema = z.strictObject({
  output: z.string(),
  finish_reason: z.enum(['stop', 'length', 'tool', 'other']),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
  usage: z.strictObject({ input_tokens: count, output_tokens: count }).nullable(),
  latency_ms: z.number().nonnegative().nullable(),
  // Older entries have neither.
  served: z.string().exactOptional(),
  ended: z.string().exactOptional(),
});

/** Whether an answer may serve later runs: not errors, withheld, empty or useless answers. */
export function isReusable(
  completion: Completion,
  { usable }: Pick<Request, 'usable'>,
): completion is Answer {
  if (completion.status === 'error' || completion.finish_reason === 'filter') return false;
  return (
    (completion.output.trim() !== '' || completion.tool_calls.length > 0) &&
    usable?.(completion.output) !== false
  );
}

export type Digest = (key: string, body: string) => string;

/** Detects damage; anyone who can write the file can compute it. */
export const plainDigest: Digest = (key, body) => hash('sha256', `${key}\n${body}`);

/** Only holders of the secret can compute it. */
export function keyedDigest(secret: Uint8Array): Digest {
  const made = createSecretKey(secret);
  return (key, body) => createHmac('sha256', made).update(`${key}\n${body}`).digest('hex');
}

export function storedEntryOf(
  key: string,
  { target }: Pick<Request, 'target'>,
  { output, finish_reason, tool_calls, usage, latency_ms, served, ended }: Answer,
  digest: Digest,
): Entry {
  const kept = { output, finish_reason, tool_calls, usage, latency_ms, served, ended };
  const body = JSON.stringify(kept);
  return { key, model: label(target), body, digest: digest(key, body) };
}

export function parseEntry(
  key: string,
  entry: Pick<Entry, 'body' | 'digest'>,
  digest: Digest,
): Answer | null {
  if (entry.digest !== digest(key, entry.body)) return null;
  const parsed = storedAnswerSchema.safeParse(parsedJson(entry.body));
  return parsed.success ? { status: 'ok', ...parsed.data, reused: true } : null;
}

function label(target: Target): string {
  const endpoint = 'endpoint' in target && target.endpoint !== null ? ` (${target.endpoint})` : '';
  return `${target.provider}${endpoint} ${target.model}`;
}
