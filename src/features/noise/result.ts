import { z } from 'zod';
import { problem } from '../../errors.ts';
import type { OwnKeys } from '../../kernel/result/feature-parts.ts';
import { countSchema, noiseNoteSchema, shareSchema } from '../../kernel/result/pieces.ts';
import { measuredRateSchema } from '../../kernel/result/reference-result.ts';
import {
  firstIssue,
  readResultValue,
  resultSchema,
  type Result,
} from '../../kernel/result/result.ts';
import { variantSchema } from '../../kernel/suite/suite.ts';
import type { Problem } from '../../types/plain.ts';

/** The only version of a measurement that this program writes and reads. */
const NOISE_VERSION = 1;

const { head, gate, n_tries, notices, problems, usage } = resultSchema.shape;

const noiseSuiteSchema = z.strictObject({
  path: z.string().describe('File of the prompt.'),
  name: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Model and parameters.'),
  references: countSchema.describe('References of the suite.'),
  regressed: countSchema.describe('Comparisons that called it regressed.'),
  improved: countSchema.describe('Comparisons that called it improved.'),
  unchanged: countSchema.describe('Comparisons that found no regression.'),
  inconclusive: countSchema.describe('Comparisons that were inconclusive.'),
  pass_rate: shareSchema
    .nullable()
    .describe('Mean pass rate over the tries that all references share; null: none was judged.'),
  largest_fall: shareSchema.describe('The largest fall of the pass rate that was seen.'),
});

const flakySchema = z.strictObject({
  path: z.string().describe("File of the suite's prompt."),
  name: z.string().describe('Name of the suite.'),
  id: z.string().describe('Id of the reference.'),
  file: z.string().describe('The file that the reference stands in.'),
  line: countSchema.describe('Its line, from 1; 0 means the file as a whole.'),
  ...measuredRateSchema.shape,
});

/** `noise.json`: the whole gate on base against base, again and again with new tries. */
export const noiseResultSchema = z.strictObject({
  noise_version: z.literal(NOISE_VERSION).describe('Version of this format.'),
  ...noiseNoteSchema.shape,
  head: head.describe('The commit that was measured.'),
  unjudged: countSchema.describe(
    'Comparisons that could not be judged; they are not among `runs`.',
  ),
  neutral: countSchema.describe('Of `runs`, those that were inconclusive.'),
  gate: gate.describe('The gate that was measured.'),
  n_tries,
  suites: z.array(noiseSuiteSchema).describe('Verdicts of the comparisons, by suite.'),
  flaky: z
    .array(flakySchema)
    .describe('References that both passed and failed, the least steady first.'),
  suggested: z
    .strictObject({
      tolerance: shareSchema
        .nullable()
        .describe('For `gate.tolerance`; null: the present one fits.'),
      min_drop: shareSchema.nullable().describe('For `gate.min_drop`; null: the present one fits.'),
    })
    .describe('Margins that fit the noise.'),
  notices,
  problems: problems.describe('What the user has to fix; nothing was measured then.'),
  usage: usage.describe('Calls, tokens and dollars of the measurement.'),
});

export type NoiseResult = z.infer<typeof noiseResultSchema>;

export type NoiseSuite = z.infer<typeof noiseSuiteSchema>;

/**
 * A saved measurement from its JSON; a value that is none, or of another version, is a problem that
 * says what to do.
 */
function readNoiseValue(
  file: string,
  value: unknown,
): { noise: NoiseResult; problems: [] } | { noise: null; problems: Problem[] } {
  const wrong = (message: string): { noise: null; problems: Problem[] } => ({
    noise: null,
    problems: [problem({ file, line: 0 }, message)],
  });
  const version =
    value !== null && typeof value === 'object' && 'noise_version' in value
      ? value.noise_version
      : undefined;
  if (typeof version === 'number' && version !== NOISE_VERSION) {
    return wrong(
      `is a measurement of version ${String(version)}; this evaldiff reads version ${String(NOISE_VERSION)}. Render it with the evaldiff that wrote it, or measure again`,
    );
  }
  const parsed = noiseResultSchema.safeParse(value);
  if (parsed.success) return { noise: parsed.data, problems: [] };
  return wrong(`is not a measurement of evaldiff (${firstIssue(parsed.error)})`);
}

/** A file that a run or a measurement left behind. */
export type Saved =
  | { kind: 'result'; result: Result }
  | { kind: 'noise'; noise: NoiseResult }
  | { kind: 'unreadable'; problems: Problem[] };

/**
 * Reads a `result.json` or a `noise.json`, told apart by what is in them; the file's name says
 * nothing.
 */
export function readSaved(file: string, text: string, own: OwnKeys): Saved {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      kind: 'unreadable',
      problems: [
        problem(
          { file, line: 0 },
          'is not JSON; give the result.json that a run wrote, or the noise.json of a measurement',
        ),
      ],
    };
  }
  if (value !== null && typeof value === 'object' && 'noise_version' in value) {
    const { noise, problems } = readNoiseValue(file, value);
    return noise === null ? { kind: 'unreadable', problems } : { kind: 'noise', noise };
  }
  const { result, problems } = readResultValue(file, value, own);
  return result === null ? { kind: 'unreadable', problems } : { kind: 'result', result };
}
