import { z } from 'zod';
import { firstIssue } from '../../app/commands/read-result.ts';
import { problem } from '../../errors.ts';
import { shareSchema, variantSchema } from '../../kernel/result/pieces.ts';
import { measuredRateSchema } from '../../kernel/result/reference-result.ts';
import { resultSchema } from '../../kernel/result/result.ts';
import type { Problem } from '../../types/plain.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { noiseNoteSchema } from './note.ts';

const NOISE_VERSION = 1;

const { head, gate, n_tries, notices, problems, usage } = resultSchema.shape;

const noiseSuiteSchema = z.strictObject({
  path: z.string().describe('File of the prompt.'),
  name: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Model and parameters.'),
  references: countSchema.describe('References of the suite.'),
  regressed: countSchema.describe('Comparisons that called the suite regressed.'),
  improved: countSchema.describe('Comparisons that called the suite improved.'),
  unchanged: countSchema.describe('Comparisons that found no regression in the suite.'),
  inconclusive: countSchema.describe('Comparisons that were inconclusive about the suite.'),
  pass_rate: shareSchema
    .nullable()
    .describe(
      'Mean pass rate over the first tries, as many as all references have; null: none judged.',
    ),
  largest_fall: shareSchema.describe('The largest drop of the pass rate in one comparison.'),
});

const flakySchema = z.strictObject({
  path: z.string().describe("File of the suite's prompt."),
  name: z.string().describe('Name of the suite.'),
  id: z.string().describe('Id of the reference.'),
  file: z.string().describe('The file of the reference.'),
  line: countSchema.describe('Its line, from 1; 0 means the whole file.'),
  ...measuredRateSchema.shape,
});

export const noiseResultSchema = z.strictObject({
  noise_version: z.literal(NOISE_VERSION).describe('Version of this format.'),
  ...noiseNoteSchema.shape,
  head: head.describe('The commit that was measured.'),
  unjudged: countSchema.describe('Comparisons that could not be judged; not included in `runs`.'),
  neutral: countSchema.describe('Inconclusive runs.'),
  gate: gate.describe('The gate that was measured.'),
  n_tries,
  suites: z.array(noiseSuiteSchema).describe('Verdicts of the comparisons, by suite.'),
  flaky: z
    .array(flakySchema)
    .describe('References that both passed and failed, least stable first.'),
  suggested: z
    .strictObject({
      tolerance: shareSchema
        .nullable()
        .describe('Suggested `gate.tolerance`; null: the current value fits.'),
      min_drop: shareSchema
        .nullable()
        .describe('Suggested `gate.min_drop`; null: the current value fits.'),
    })
    .describe('Settings that fit the measured noise.'),
  notices,
  problems: problems.describe('Errors to fix. If any exist, nothing was measured.'),
  usage: usage.describe('Calls, tokens and dollars of the measurement.'),
});

export type NoiseResult = z.infer<typeof noiseResultSchema>;

export type NoiseSuite = z.infer<typeof noiseSuiteSchema>;

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
      `is a measurement of version ${String(version)}; this evaldiff reads version ` +
        `${String(NOISE_VERSION)}. Render it with the evaldiff that wrote it, or measure again`,
    );
  }
  const parsed = noiseResultSchema.safeParse(value);
  if (parsed.success) return { saved: parsed.data, code: noiseCode(parsed.data) };
  return wrong(`is not a measurement of evaldiff (${firstIssue(parsed.error)})`);
}

export function noiseCode({ problems, runs }: NoiseResult): number {
  return problems.length > 0 || runs === 0 ? 2 : 0;
}
