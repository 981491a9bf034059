import { createHmac, createSecretKey, hash } from 'node:crypto';
import { z } from 'zod';
import { opaqueSchema, partSchema, stepSchema, usageSchema } from '../../types/answer-schema.ts';
import {
  ENDED,
  saysNothing,
  isWithheld,
  textOf,
  type Answer,
  type Served,
} from '../../types/answer.ts';
import type { Completion, Request, OkCompletion } from '../../types/model.ts';
import { parsedJson } from '../../types/plain.ts';

export interface Entry {
  key: string;
  model: string;
  served: Served;
  body: string;
  /** Covers key, body and `served`, so an altered or moved entry is invalid. */
  digest: string;
}

export const storedAnswerSchema = z.strictObject({
  parts: z.array(partSchema),
  ended: z.enum(ENDED),
  ended_as: z.string().exactOptional(),
  usage: usageSchema.nullable(),
  latency_ms: z.number().nonnegative().nullable(),
  steps: z.array(stepSchema).default([]),
  opaque: opaqueSchema.exactOptional(),
});

export function isReusable(
  completion: Completion,
  { usable }: Pick<Request, 'usable'>,
): completion is OkCompletion {
  if (completion.status === 'error' || isWithheld(completion)) return false;
  return !saysNothing(completion) && usable?.(textOf(completion)) !== false;
}

/** Ends a key that depends on values of headers. A store with a secret keeps only its HMAC. */
const HEADER_MARK = '~';

export const ANSWER_KEY = /^[0-9a-f]{64}~?$/;

/** @param server the text that names a server in keys: its address, and a line for each header. */
export function headerMark(server: string): string {
  return server.includes('\n') ? HEADER_MARK : '';
}

export function placedBy(secret: Uint8Array | null): (key: string) => string {
  return (key) =>
    secret !== null && key.endsWith(HEADER_MARK)
      ? createHmac('sha256', secret).update(key).digest('hex')
      : key;
}

export type Digest = (key: string, content: Pick<Entry, 'body' | 'served'>) => string;

/** Anyone can compute this digest, so it detects only damage. */
export const plainDigest: Digest = (key, content) => hash('sha256', digested(key, content));

export function keyedDigest(secret: Uint8Array): Digest {
  const made = createSecretKey(secret);
  return (key, content) => createHmac('sha256', made).update(digested(key, content)).digest('hex');
}

function digested(key: string, { body, served }: Pick<Entry, 'body' | 'served'>): string {
  return `${key}\n${JSON.stringify([served.model, served.fingerprint, served.at])}\n${body}`;
}

export function storedEntryOf(
  key: string,
  { target }: Pick<Request, 'target'>,
  { parts, ended, ended_as, usage, latency_ms, steps, served, opaque }: Answer,
  digest: Digest,
): Entry {
  const kept = { parts, ended, ended_as, usage, latency_ms, opaque };
  const body = JSON.stringify(steps.length === 0 ? kept : { ...kept, steps });
  const endpoint = 'endpoint' in target && target.endpoint !== null ? ` (${target.endpoint})` : '';
  const model = `${target.provider}${endpoint} ${target.model}`;
  return { key, model, served, body, digest: digest(key, { body, served }) };
}

export function parseEntry(
  key: string,
  entry: Pick<Entry, 'body' | 'served' | 'digest'>,
  digest: Digest,
): OkCompletion | null {
  if (entry.digest !== digest(key, entry)) return null;
  const parsed = storedAnswerSchema.safeParse(parsedJson(entry.body));
  return parsed.success
    ? { status: 'ok', served: entry.served, ...parsed.data, reused: true, stored: true }
    : null;
}
