import { z } from 'zod';
import { resultSchema } from '../../kernel/result/result.ts';
import { countSchema, usageTotalsSchema } from '../../types/usage-totals.ts';
import { noiseNoteSchema } from './note.ts';

const { head, gate, n_tries, notices, problems } = resultSchema.shape;

export const noiseResultSchema = z.strictObject({
  noise_version: z.literal(1).describe('Version of this format.'),
  ...noiseNoteSchema.shape,
  head: head.describe('The commit that was measured.'),
  unjudged: countSchema.describe('Comparisons that could not be judged; not included in `runs`.'),
  neutral: countSchema.describe('Inconclusive runs.'),
  gate: gate.describe('The gate that was measured.'),
  n_tries,
  notices,
  problems: problems.describe('Errors to fix. If any exist, nothing was measured.'),
  usage: usageTotalsSchema
    .omit({ cached_tokens: true, unpriced: true, saved_usd: true, by_purpose: true })
    .describe('Calls, tokens and dollars of the measurement.'),
});

export type NoiseResult = z.infer<typeof noiseResultSchema>;

/** The exit code of a command that reports this measurement. */
export function noiseCode({ problems, runs }: NoiseResult): number {
  return problems.length > 0 || runs === 0 ? 2 : 0;
}
