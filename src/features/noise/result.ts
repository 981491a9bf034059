import { z } from 'zod';
import { firstIssue } from '../../app/commands/read-result.ts';
import { problem } from '../../errors.ts';
import { resultSchema } from '../../kernel/result/result.ts';
import type { Problem } from '../../types/plain.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { noiseNoteSchema } from './note.ts';

const NOISE_VERSION = 1;

const { head, gate, n_tries, notices, problems, usage } = resultSchema.shape;

export const noiseResultSchema = z.strictObject({
  noise_version: z.literal(NOISE_VERSION).describe('Version of this format.'),
  ...noiseNoteSchema.shape,
  head: head.describe('The commit that was measured.'),
  unjudged: countSchema.describe('Comparisons that could not be judged; not included in `runs`.'),
  neutral: countSchema.describe('Inconclusive runs.'),
  gate: gate.describe('The gate that was measured.'),
  n_tries,
  notices,
  problems: problems.describe('Errors to fix. If any exist, nothing was measured.'),
  usage: usage.describe('Calls, tokens and dollars of the measurement.'),
});

export type NoiseResult = z.infer<typeof noiseResultSchema>;

/** `code`: the exit code of a command that reports this measurement. */
export function readNoise(
  file: string,
  value: object,
): { saved: NoiseResult; code: number } | { problems: Problem[] } {
  const wrong = (message: string): { problems: Problem[] } => ({
    problems: [problem(file, message)],
  });
  const version = 'noise_version' in value ? value.noise_version : undefined;
  if (typeof version === 'number' && version !== NOISE_VERSION) {
    return wrong(
      `is a measurement of version ${version}; this evaldiff reads version ` +
        `${NOISE_VERSION}. Render it with the evaldiff that wrote it, or measure again`,
    );
  }
  const parsed = noiseResultSchema.safeParse(value);
  if (parsed.success) return { saved: parsed.data, code: noiseCode(parsed.data) };
  return wrong(`is not a measurement of evaldiff (${firstIssue(parsed.error)})`);
}

export function noiseCode({ problems, runs }: NoiseResult): number {
  return problems.length > 0 || runs === 0 ? 2 : 0;
}
