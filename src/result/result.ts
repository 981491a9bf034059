import { z } from 'zod';
import { problem } from '../errors.ts';
import type { GateSettings } from '../suite/suite.ts';
import type { Outcome } from '../types/metric.ts';
import type { Purpose } from '../types/model.ts';
import type { Conclusion, Notice, Problem, TrustLevel } from '../types/plain.ts';
import type { AttributeResult, Insight } from './attributes.ts';
import { evaluatorResultSchema, type EvaluatorResult, type GraderResult } from './conversations.ts';
import { runOutcomeSchema, type RunOutcome } from './outcome.ts';
import {
  because,
  count,
  difference,
  outcome,
  share,
  suite,
  type Because,
  type SuiteResult,
  variant,
} from './suite-result.ts';

export interface YardstickResult {
  path: string;
  name: string;
  /** Pass rates, outputs × yardstick: `base_head` is base's outputs under head's yardstick. */
  rates: {
    base_base: number | null;
    base_head: number | null;
    head_base: number | null;
    head_head: number | null;
  };
  /** head_head − base_head, base_head − base_base, and their sum. */
  prompt_effect: number | null;
  yardstick_effect: number | null;
  total: number | null;
  because: Because[];
  /** References whose word on base's outputs differs between the yardsticks. */
  flipped: { id: string; from: Outcome; to: Outcome }[];
  /**
   * Tries of base's own answers that both yardsticks judged: changes of their word, McNemar's
   * two-sided mid-p, Cohen's kappa.
   */
  same_answers: {
    judged: number;
    pass_fail: number;
    fail_pass: number;
    p: number;
    kappa: number | null;
  };
  summary: string;
}

export interface UsageTotals {
  calls: number;
  reused: number;
  /**
   * Answers that recordings gave, which are no calls. Absent in results of before it was counted.
   */
  replayed?: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /**
   * Every call that was made went to a program of the project whose price nobody gave; absent: not
   * so.
   */
  unpriced?: 'programs';
  /**
   * What reused answers would have cost; null: not known for all of them. Absent in results of
   * before it was counted.
   */
  saved_usd?: number | null | undefined;
  by_purpose: Partial<
    Record<
      Purpose,
      {
        calls: number;
        reused: number;
        replayed?: number;
        cost_usd: number | null;
        saved_usd?: number | null | undefined;
      }
    >
  >;
}

export interface Result {
  schema_version: 1;
  mode: 'diff' | 'sweep';
  /** What the run came to. Conclusion, title and every surface's words follow from it. */
  outcome: RunOutcome;
  conclusion: Conclusion;
  /** One line, at most 255 characters. */
  title: string;
  reasons: string[];
  trust: TrustLevel;
  base: { sha: string } | null;
  head: { sha: string };
  /** The settings the gate used. */
  gate: GateSettings;
  n_tries: number | 'adaptive';
  suites: SuiteResult[];
  yardstick: YardstickResult[];
  attributes: AttributeResult[];
  insights: Insight[];
  graders: GraderResult[];
  /** Where a change touches a suite's evaluators and the suite has labelled answers. */
  evaluators?: EvaluatorResult[];
  notices: Notice[];
  /** What the user has to mend; empty unless the conclusion is `error`. */
  problems: Problem[];
  usage: UsageTotals;
  /**
   * How often this project's gate was last measured to go red when nothing changed; null: it was
   * not, as far as is known.
   */
  noise: NoiseNote | null;
  /** Who set a red verdict aside, and why; null: nobody did. */
  override: Override | null;
  /**
   * Suites in which head puts something of its own in the place of a model that base asks; absent:
   * none.
   */
  replaced?: Replaced[];
  /**
   * Tries that the adaptive suites made, and what five fixed tries would have made; null without an
   * adaptive suite.
   */
  adaptive_tries: { made: number; fixed: number } | null;
  /**
   * How often code scored something, how many of those evaluations were repeated in a fresh
   * process, and how many came out differently there; absent: no code scored anything.
   */
  evaluations?: Evaluations;
}

export interface Evaluations {
  made: number;
  repeated: number;
  differing: number;
}

/**
 * `red` of `runs` comparisons of base with itself; `low` to `high` is the share's 95 % interval
 * (Wilson).
 */
export interface NoiseNote {
  red: number;
  runs: number;
  low: number;
  high: number;
  /** `YYYY-MM-DD`. */ measured_at: string;
}

/** Who answers, or grades, in a suite of head where base asks a model. */
export interface Replaced {
  suite: string;
  by: 'recordings' | 'a program' | 'prompt code';
}

/** A red verdict that a label on the pull request made neutral. */
export interface Override {
  label: string;
  reason: string;
}

/**
 * What is wrong with a value, in one phrase: the field, if it is not the whole, and the library's
 * words.
 */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  return `${field === '' ? '' : `field ${field}: `}${issue?.message ?? 'unreadable'}`;
}

/** The only version this program writes and reads. */
const RESULT_VERSION = 1;

const place = z.strictObject({ file: z.string(), line: count });

const yardstick = z.strictObject({
  path: z.string(),
  name: z.string(),
  rates: z.strictObject({
    base_base: share.nullable(),
    base_head: share.nullable(),
    head_base: share.nullable(),
    head_head: share.nullable(),
  }),
  prompt_effect: difference.nullable(),
  yardstick_effect: difference.nullable(),
  total: difference.nullable(),
  because: z.array(because),
  flipped: z.array(z.strictObject({ id: z.string(), from: outcome, to: outcome })),
  same_answers: z.strictObject({
    judged: count,
    pass_fail: count,
    fail_pass: count,
    p: share,
    kappa: difference.nullable(),
  }),
  summary: z.string(),
});

const attributeSample = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('drop'), reference: z.string(), base: share, head: share }),
  z.strictObject({
    kind: z.literal('skill'),
    reference: z.string(),
    side: z.enum(['base', 'head']),
    expected: z.number(),
    output: z.number(),
  }),
]);

const attribute = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['domain', 'subtask']),
  explanation: z.string(),
  path: z.string(),
  suite: z.string(),
  variant,
  affinity_mean: z.number().min(1).max(5),
  prior: share,
  n: count,
  base: z.number().nullable(),
  head: z.number().nullable(),
  difference: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  p: share.nullable(),
  verdict: z.enum(['regressed', 'improved', 'no change seen', 'too few']),
  explained_by: z.array(z.string()),
  alignment: z.strictObject({ base: share.nullable(), head: share.nullable() }).nullable(),
  references: z.array(z.string()),
  samples: z.array(attributeSample),
});

const grader = z.strictObject({
  rubric: z.string(),
  side: z.enum(['base', 'head']),
  examples: count,
  judged: count,
  agreement: share.nullable(),
  true_positive_rate: share.nullable(),
  true_negative_rate: share.nullable(),
  kappa: difference.nullable(),
  base_rate: share.nullable(),
  flipped: z.array(
    z.strictObject({
      content: z.string(),
      expected: z.string(),
      base: z.string().nullable(),
      head: z.string().nullable(),
    }),
  ),
});

const gate = z.strictObject({
  fail_on: z.enum(['regression', 'failure', 'never']),
  alpha: share,
  min_drop: share,
  tolerance: share,
  gate_on: z.enum(['suite+references', 'suite']),
  on_inconclusive: z.enum(['pass', 'fail']),
  yardstick: z.enum(['warn', 'fail']),
  removed: z.enum(['warn', 'fail']),
  attributes: z.enum(['advise', 'fail']),
  min_pass_rate: share.nullable(),
});

const notice = z.strictObject({
  kind: z.enum([
    'added',
    'removed',
    'edited',
    'skipped',
    'ungraded',
    'error',
    'capped',
    'not-comparable',
    'trust',
    'settings',
    'unused',
    'import',
    'permission',
    'repeats',
    'quarantine',
    'qualeval',
    'yardstick',
  ]),
  message: z.string(),
  place: place.nullable(),
});

const cost = z.number().nonnegative().nullable();

const purpose = z.enum(['prompt', 'grader', 'embedding', 'evaluator', 'qualeval', 'insight']);

/** A last measurement of the gate's own false alarms. */
export const noiseNoteSchema = z.strictObject({
  red: count,
  runs: count,
  low: share,
  high: share,
  measured_at: z.string(),
});

/** `result.json`: everything the renderers need. */
export const resultSchema = z.strictObject({
  schema_version: z.literal(RESULT_VERSION),
  mode: z.enum(['diff', 'sweep']),
  outcome: runOutcomeSchema,
  conclusion: z.enum(['success', 'failure', 'neutral', 'error']),
  title: z.string(),
  reasons: z.array(z.string()),
  trust: z.enum(['trusted', 'member', 'untrusted']),
  base: z.strictObject({ sha: z.string() }).nullable(),
  head: z.strictObject({ sha: z.string() }),
  gate,
  n_tries: z.union([count, z.literal('adaptive')]),
  suites: z.array(suite),
  yardstick: z.array(yardstick),
  attributes: z.array(attribute),
  insights: z.array(
    z.strictObject({
      path: z.string(),
      suite: z.string(),
      variant,
      text: z.string(),
      attributes: z.array(z.string()),
      references: z.array(z.string()),
      generated: z.boolean(),
    }),
  ),
  graders: z.array(grader),
  evaluators: z.array(evaluatorResultSchema).exactOptional(),
  notices: z.array(notice),
  problems: z.array(z.strictObject({ place: place.nullable(), message: z.string() })),
  usage: z.strictObject({
    calls: count,
    reused: count,
    replayed: count.exactOptional(),
    input_tokens: count,
    output_tokens: count,
    cost_usd: cost,
    unpriced: z.literal('programs').exactOptional(),
    saved_usd: cost.optional(),
    by_purpose: z.partialRecord(
      purpose,
      z.strictObject({
        calls: count,
        reused: count,
        replayed: count.exactOptional(),
        cost_usd: cost,
        saved_usd: cost.optional(),
      }),
    ),
  }),
  noise: noiseNoteSchema.nullable(),
  override: z.strictObject({ label: z.string(), reason: z.string() }).nullable(),
  replaced: z
    .array(
      z.strictObject({
        suite: z.string(),
        by: z.enum(['recordings', 'a program', 'prompt code']),
      }),
    )
    .exactOptional(),
  adaptive_tries: z.strictObject({ made: count, fixed: count }).nullable(),
  evaluations: z
    .strictObject({ made: count, repeated: count, differing: count })
    .describe(
      'How often code scored something, how many of those evaluations were repeated in a fresh process, and how many came out differently there.',
    )
    .exactOptional(),
}) satisfies z.ZodType<Result>;

/**
 * A saved result from its JSON; a value that is none, or of another version, is a problem that says
 * what to do.
 */
export function readResultValue(
  file: string,
  value: unknown,
): { result: Result; problems: [] } | { result: null; problems: Problem[] } {
  const wrong = (message: string): { result: null; problems: Problem[] } => ({
    result: null,
    problems: [problem({ file, line: 0 }, message)],
  });
  const version =
    value !== null && typeof value === 'object' && 'schema_version' in value
      ? value.schema_version
      : undefined;
  if (typeof version === 'number' && version !== RESULT_VERSION) {
    return wrong(
      `is a result of version ${String(version)}; this evaldiff reads version ${String(RESULT_VERSION)}. Render it with the evaldiff that wrote it, or run again`,
    );
  }
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return { result: parsed.data, problems: [] };
  return wrong(`is not a result of evaldiff (${firstIssue(parsed.error)})`);
}

/** The same from the text of a file. */
export function readResult(file: string, text: string): ReturnType<typeof readResultValue> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      result: null,
      problems: [problem({ file, line: 0 }, 'is not JSON; give the result.json that a run wrote')],
    };
  }
  return readResultValue(file, value);
}
