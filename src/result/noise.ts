import { z } from 'zod';
import { problem } from '../errors.ts';
import type { GateSettings, Variant } from '../suite/suite.ts';
import type { Notice, Problem } from '../types/plain.ts';
import {
  firstIssue,
  noiseNoteSchema,
  readResultValue,
  resultSchema,
  type NoiseNote,
  type Result,
  type UsageTotals,
} from './result.ts';
import type { MeasuredRate } from './suite-result.ts';

/** The whole gate on base against base, again and again with new tries. */
export interface NoiseResult extends NoiseNote {
  noise_version: 1;
  head: { sha: string };
  /** Comparisons that could not be judged; they are not among `runs`. */
  unjudged: number;
  /** Of `runs`, those that were inconclusive. */
  neutral: number;
  /** The gate that was measured. */
  gate: GateSettings;
  n_tries: Result['n_tries'];
  suites: NoiseSuite[];
  /** References that both passed and failed, the least steady first. */
  flaky: (MeasuredRate & { path: string; name: string; id: string; file: string; line: number })[];
  /** Margins that fit the noise, 0–1; null where the present one does. */
  suggested: { tolerance: number | null; min_drop: number | null };
  notices: Notice[];
  /** What the user has to mend; nothing was measured then. */
  problems: Problem[];
  usage: UsageTotals;
}

export interface NoiseSuite {
  path: string;
  name: string;
  variant: Variant;
  references: number;
  /** Verdicts of the comparisons, counted. */
  regressed: number;
  improved: number;
  unchanged: number;
  inconclusive: number;
  /** Mean pass rate, 0–1, over the tries that all references share. */
  pass_rate: number | null;
  /** The largest fall of the pass rate that was seen, 0–1. */
  largest_fall: number;
}

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

/** A file that a run or a measurement left behind. */
export type Saved =
  | { kind: 'result'; result: Result }
  | { kind: 'noise'; noise: NoiseResult }
  | { kind: 'unreadable'; problems: Problem[] };

/**
 * Reads a `result.json` or a `noise.json`, told apart by what is in them; the file's name says
 * nothing.
 */
export function readSaved(file: string, text: string): Saved {
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
  const { result, problems } = readResultValue(file, value);
  return result === null ? { kind: 'unreadable', problems } : { kind: 'result', result };
}
