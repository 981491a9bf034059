import { z } from 'zod';
import { PURPOSES } from './plain.ts';

export const countSchema = z.number().int().nonnegative();

export const dollarsSchema = z.number().nonnegative().nullable();

const saved = dollarsSchema
  .describe(
    'What the reused answers would have cost, in dollars; null if this is unknown for some. ' +
      'Absent in older results.',
  )
  .optional();

const replayed = countSchema
  .describe(
    'Number of answers from recordings, which do not count as calls. Absent in older results.',
  )
  .exactOptional();

export const usageTotalsSchema = z.strictObject({
  calls: countSchema.describe('Number of calls.'),
  reused: countSchema.describe('Number of stored answers that were used.'),
  replayed,
  input_tokens: countSchema.describe('Tokens of the requests.'),
  cached_tokens: countSchema
    .describe('Input tokens that the vendor read from its prompt cache; absent if there are none.')
    .exactOptional(),
  output_tokens: countSchema.describe('Tokens of the answers.'),
  cost_usd: dollarsSchema.describe(
    'Cost of the calls in dollars; null if the price of some is unknown.',
  ),
  unpriced: z
    .literal('programs')
    .describe('Set if all calls went to programs of the project without a price, or to recordings.')
    .exactOptional(),
  saved_usd: saved,
  by_purpose: z
    .partialRecord(
      z.enum(PURPOSES),
      z.strictObject({
        calls: countSchema.describe('Number of calls.'),
        reused: countSchema.describe('Number of stored answers that were used.'),
        replayed,
        cost_usd: dollarsSchema.describe(
          'Cost of the calls in dollars; null if the price of some is unknown.',
        ),
        saved_usd: saved,
      }),
    )
    .describe('The same figures by purpose of the calls.'),
});

export type UsageTotals = z.infer<typeof usageTotalsSchema>;
