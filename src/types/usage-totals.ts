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

const calls = countSchema.describe('Number of calls.');

const reused = countSchema.describe('Number of stored answers that were used.');

const cost = dollarsSchema.describe(
  'Cost of the calls in dollars; null if the price of some is unknown.',
);

export const usageTotalsSchema = z.strictObject({
  calls,
  reused,
  replayed,
  input_tokens: countSchema.describe('Tokens of the requests.'),
  cached_tokens: countSchema
    .describe('Input tokens that the vendor read from its prompt cache; absent if there are none.')
    .exactOptional(),
  output_tokens: countSchema.describe('Tokens of the answers.'),
  cost_usd: cost,
  unpriced: z
    .literal('programs')
    .describe('Set if all calls went to programs of the project without a price, or to recordings.')
    .exactOptional(),
  saved_usd: saved,
  by_purpose: z
    .partialRecord(
      z.enum(PURPOSES),
      z.strictObject({ calls, reused, replayed, cost_usd: cost, saved_usd: saved }),
    )
    .describe('The same figures by purpose of the calls.'),
});

export type UsageTotals = z.infer<typeof usageTotalsSchema>;

type SummedUsage = Pick<
  UsageTotals,
  'calls' | 'reused' | 'replayed' | 'input_tokens' | 'cached_tokens' | 'output_tokens' | 'cost_usd'
>;

/** Omits what cannot be added up. The cost is null if one of the costs is unknown. */
export function totalUsage(usages: readonly SummedUsage[]): SummedUsage {
  const total = (pick: (usage: SummedUsage) => number): number =>
    usages.reduce((sum, usage) => sum + pick(usage), 0);
  const isKnown = usages.every(({ cost_usd }) => cost_usd !== null);
  const cached = total(({ cached_tokens = 0 }) => cached_tokens);
  return {
    calls: total(({ calls }) => calls),
    reused: total(({ reused }) => reused),
    replayed: total(({ replayed: recorded = 0 }) => recorded),
    input_tokens: total(({ input_tokens }) => input_tokens),
    ...(cached === 0 ? {} : { cached_tokens: cached }),
    output_tokens: total(({ output_tokens }) => output_tokens),
    cost_usd: isKnown ? total(({ cost_usd }) => cost_usd ?? 0) : null,
  };
}
