import { z } from 'zod';
import type { Purpose } from './plain.ts';

const countSchema = z.number().int().nonnegative();

const dollarsSchema = z.number().nonnegative().nullable();

const purpose = z.enum([
  'prompt',
  'grader',
  'embedding',
  'evaluator',
  'qualeval',
  'insight',
  'fix',
]) satisfies z.ZodType<Purpose>;

const saved = dollarsSchema
  .describe(
    'What the reused answers would have cost, in dollars; null: not known for all. ' +
      'Absent in older results.',
  )
  .optional();

const replayed = countSchema
  .describe('Answers from recordings, which are not calls. Absent in older results.')
  .exactOptional();

export const usageTotalsSchema = z.strictObject({
  calls: countSchema.describe('Calls that were made.'),
  reused: countSchema.describe('Answers that came from the store.'),
  replayed,
  input_tokens: countSchema.describe('Tokens of the requests.'),
  cached_tokens: countSchema
    .describe(
      'Of the input tokens, those that the vendor read from its prompt cache; absent: none.',
    )
    .exactOptional(),
  output_tokens: countSchema.describe('Tokens of the answers.'),
  cost_usd: dollarsSchema.describe('Cost of the calls in dollars; null: not known for all.'),
  unpriced: z
    .literal('programs')
    .describe('Set if all calls went to programs of the project without a price, or to recordings.')
    .exactOptional(),
  saved_usd: saved,
  by_purpose: z
    .partialRecord(
      purpose,
      z.strictObject({
        calls: countSchema.describe('Calls that were made.'),
        reused: countSchema.describe('Answers that came from the store.'),
        replayed,
        cost_usd: dollarsSchema.describe('Cost of the calls in dollars; null: not known for all.'),
        saved_usd: saved,
      }),
    )
    .describe('The same figures by purpose of the calls.'),
});

export type UsageTotals = z.infer<typeof usageTotalsSchema>;
