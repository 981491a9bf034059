import { z } from 'zod';
import type { NoiseResult, Problem } from '../../types.ts';
import { problem } from '../../errors.ts';
import { firstIssue } from '../schema.ts';
import { noiseNoteSchema, resultSchema } from './result.ts';

/** The only version of a measurement that this program writes and reads. */
const NOISE_VERSION = 1;

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);
const { head, gate, n_tries, notices, problems, usage, insights } = resultSchema.shape;

const suite = z.strictObject({
  path: z.string(),
  name: z.string(),
  variant: insights.element.shape.variant,
  references: count,
  regressed: count,
  improved: count,
  unchanged: count,
  inconclusive: count,
  pass_rate: share.nullable(),
  largest_fall: share,
});

const flaky = z.strictObject({
  path: z.string(),
  name: z.string(),
  id: z.string(),
  file: z.string(),
  line: count,
  passes: count,
  tries: count,
  low: share,
  high: share,
});

/** `noise.json`: a measurement of the gate's own false alarms. */
const noiseResultSchema = z.strictObject({
  noise_version: z.literal(NOISE_VERSION),
  ...noiseNoteSchema.shape,
  head,
  unjudged: count,
  neutral: count,
  gate,
  n_tries,
  suites: z.array(suite),
  flaky: z.array(flaky),
  suggested: z.strictObject({ tolerance: share.nullable(), min_drop: share.nullable() }),
  notices,
  problems,
  usage,
}) satisfies z.ZodType<NoiseResult>;

/**
 * A saved measurement from its JSON; a value that is none, or of another version, is a problem that
 * says what to do.
 */
export function readNoiseValue(
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
