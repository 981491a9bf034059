import { createHmac, createSecretKey, hash } from 'node:crypto';
import { z } from 'zod';
import type { Completion, Request, Target } from '../types/model.ts';
import { parsedJson } from '../types/plain.ts';

/** One answer as it lies in the database. */
export interface Entry {
  key: string;
  /** Whose answer it is, for showing only. */
  model: string;
  /** JSON of the answer. */
  body: string;
  /** Binds the body to its key: an entry that was cut, altered or moved to another key is none. */
  digest: string;
}

type Answer = Extract<Completion, { status: 'ok' }>;

const count = z.int().nonnegative();

const answer = z.strictObject({
  output: z.string(),
  finish_reason: z.enum(['stop', 'length', 'tool', 'other']),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
  usage: z.strictObject({ input_tokens: count, output_tokens: count }).nullable(),
  latency_ms: z.number().nonnegative().nullable(),
  // Answers that were stored before have neither.
  served: z.string().exactOptional(),
  ended: z.string().exactOptional(),
});

/**
 * Whether an answer is worth keeping beyond the run: errors, withheld and empty ones, and those
 * that are of no use, are asked for again another time.
 */
export function isLasting(
  completion: Completion,
  { usable }: Pick<Request, 'usable'>,
): completion is Answer {
  if (completion.status === 'error' || completion.finish_reason === 'filter') return false;
  return (
    (completion.output.trim() !== '' || completion.tool_calls.length > 0) &&
    usable?.(completion.output) !== false
  );
}

/** Binds a body to its key, in hex. */
export type Digest = (key: string, body: string) => string;

/** Tells damage, and a body under another key; whoever can write the file can make one. */
export const plainDigest: Digest = (key, body) => hash('sha256', `${key}\n${body}`);

/** Only who has the secret can make one. */
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

/**
 * The answer in an entry that was looked up by `key`; null for whatever does not hold against its
 * key and its form.
 */
export function answerOf(
  key: string,
  entry: Pick<Entry, 'body' | 'digest'>,
  digest: Digest,
): Answer | null {
  if (entry.digest !== digest(key, entry.body)) return null;
  const parsed = answer.safeParse(parsedJson(entry.body));
  return parsed.success ? { status: 'ok', ...parsed.data, reused: true } : null;
}

function label(target: Target): string {
  const endpoint = 'endpoint' in target && target.endpoint !== null ? ` (${target.endpoint})` : '';
  return `${target.provider}${endpoint} ${target.model}`;
}
