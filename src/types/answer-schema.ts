import { z } from 'zod';
import type { Part, Step, Usage } from './answer.ts';

const count = z.int().nonnegative();

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A part of an answer, as stores, recordings, programs and results write it. */
export const partSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('tool_call'),
    name: z.string(),
    arguments: z.string().describe('JSON text as the model wrote it.'),
  }),
  z.strictObject({ type: z.literal('json'), value: z.json() }),
  z.strictObject({
    type: z.literal('image'),
    media_type: z.string(),
    digest: digest.describe('SHA-256 of its bytes, in hex.'),
    bytes: count,
    data: z.string().nullable().describe('Base64; null: larger than 200 KB, kept by its digest.'),
  }),
  z.strictObject({
    type: z.literal('file'),
    path: z.string(),
    diff: z.string().describe('Its unified diff; of a new file its text.'),
  }),
  z.strictObject({
    type: z.literal('unknown'),
    kind: z.string().describe("The vendor's name for it."),
    json: z.string(),
  }),
]) satisfies z.ZodType<Part>;

/** What happened on the way to an answer. */
export const stepSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant']),
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal('tool_call'),
    name: z.string(),
    arguments: z.string(),
    result: z.string().nullable().describe('null: the call was not answered.'),
  }),
]) satisfies z.ZodType<Step>;

export const usageSchema = z.strictObject({
  input_tokens: count.describe('Tokens of the request.'),
  output_tokens: count.describe('Tokens of the answer.'),
  reasoning_tokens: count
    .describe('Those of the answer that were thinking; absent: not counted apart.')
    .exactOptional(),
}) satisfies z.ZodType<Usage>;
