import { z } from 'zod';
import type { Problem, Result } from '../../types.ts';
import { problem } from '../../errors.ts';
import { firstIssue } from '../schema.ts';
import {
  conversationResultSchema,
  conversationSummarySchema,
  evaluatorResultSchema,
} from './conversation-result.ts';

/** The only version this program writes and reads. */
const RESULT_VERSION = 1;

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);
const difference = z.number().min(-1).max(1);
const place = z.strictObject({ file: z.string(), line: count });
const outcome = z.enum(['pass', 'fail', 'ungraded', 'error', 'skipped']);
const json = z.json();
const usage = z.strictObject({ input_tokens: count, output_tokens: count });
const variant = z.strictObject({
  model: z.string().nullable(),
  parameters: z.record(z.string(), json),
});
const because = z.strictObject({ key: z.string(), file: z.string() });

const score = z.discriminatedUnion('status', [
  z.strictObject({
    metric: z.string(),
    status: z.enum(['pass', 'fail']),
    value: json,
    reason: z.string().nullable(),
    skip: z.boolean(),
  }),
  z.strictObject({
    metric: z.string(),
    status: z.enum(['ungraded', 'error', 'skipped']),
    value: z.null(),
    reason: z.string(),
    skip: z.boolean(),
  }),
]);

const tryResult = z.strictObject({
  try: count,
  outcome,
  actual: z.string().nullable(),
  error: z.string().nullable(),
  scores: z.array(score),
  usage: usage.nullable(),
  latency_ms: z.number().nonnegative().nullable(),
  reused: z.boolean(),
  finish_reason: z.enum(['stop', 'length', 'filter', 'tool', 'other']).nullable(),
  conversation: conversationResultSchema.nullable().exactOptional(),
});

const sideResult = z.strictObject({
  tally: z.strictObject({
    num_passes: count,
    num_fails: count,
    num_skip_passes: count,
    num_skip_fails: count,
    num_tries: count,
    num_metrics: count,
    num_ungraded: count,
    num_errors: count,
  }),
  rollup: z.enum(['pass', 'fail']).nullable(),
  passes: count,
  tries_judged: count,
  tries: z.array(tryResult),
});

const measuredRate = z.strictObject({ passes: count, tries: count, low: share, high: share });

const reference = z.strictObject({
  id: z.string(),
  file: z.string(),
  line: count,
  tags: z.array(z.string()),
  skip: z.boolean(),
  quarantined: z.literal(true).exactOptional(),
  input: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  expected: json,
  status: z.enum([
    'regressed',
    'improved',
    'unchanged',
    'flaky',
    'inconclusive',
    'added',
    'removed',
    'edited',
    'error',
    'ungraded',
    'pass',
    'fail',
  ]),
  p: share.nullable(),
  q: share.nullable(),
  history: measuredRate.exactOptional(),
  base: sideResult.nullable(),
  head: sideResult.nullable(),
});

const suiteGate = z.strictObject({
  fail_on: z.enum(['regression', 'failure', 'never']).exactOptional(),
  min_drop: share.exactOptional(),
  tolerance: share.exactOptional(),
  min_pass_rate: share.nullable().exactOptional(),
});

const bothSides = z.strictObject({ base: share.nullable(), head: share.nullable() });

const preference = z.strictObject({
  metric: z.string(),
  head: count,
  base: count,
  ties: count,
  difference,
  low: difference,
  high: difference,
  p: share,
  gates: z.boolean(),
  summary: z.string(),
});

const classification = z.strictObject({
  metric: z.string(),
  accuracy: bothSides,
  macro_f1: bothSides,
  other: bothSides,
  labels: z.array(
    z.strictObject({
      label: z.string(),
      references: count,
      precision: bothSides,
      recall: bothSides,
    }),
  ),
});

const suite = z.strictObject({
  path: z.string(),
  name: z.string(),
  variant,
  base_variant: variant.nullable(),
  because: z.array(because),
  gate: suiteGate.exactOptional(),
  pass_rate: z.strictObject({
    base: share.nullable(),
    head: share.nullable(),
    difference: difference.nullable(),
    low: difference.nullable(),
    high: difference.nullable(),
    p: share.nullable(),
  }),
  verdict: z.enum([
    'regressed',
    'improved',
    'unchanged',
    'inconclusive',
    'new',
    'removed',
    'not_compared',
    'no_data',
  ]),
  summary: z.string(),
  visible_drop: share.nullable(),
  compared: z.strictObject({ references: count, tries: count }),
  references: z.array(reference),
  metrics: z.array(
    z.strictObject({
      name: z.string(),
      base: share.nullable(),
      head: share.nullable(),
      judged_base: count,
      judged_head: count,
    }),
  ),
  conversation: conversationSummarySchema.nullable().exactOptional(),
  preference: preference.nullable().exactOptional(),
  classification: classification.nullable().exactOptional(),
  cost_per_1000_calls: z.number().nonnegative().nullable().exactOptional(),
});

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
    input_tokens: count,
    output_tokens: count,
    cost_usd: cost,
    unpriced: z.literal('programs').exactOptional(),
    saved_usd: cost.optional(),
    by_purpose: z.partialRecord(
      purpose,
      z.strictObject({ calls: count, reused: count, cost_usd: cost, saved_usd: cost.optional() }),
    ),
  }),
  noise: noiseNoteSchema.nullable(),
  override: z.strictObject({ label: z.string(), reason: z.string() }).nullable(),
  adaptive_tries: z.strictObject({ made: count, fixed: count }).nullable(),
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
