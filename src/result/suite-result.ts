import { z } from 'zod';
import type { SuiteGate, Variant } from '../suite/suite.ts';
import type { Outcome, Score, Tally } from '../types/metric.ts';
import type { FinishReason, Usage } from '../types/model.ts';
import type { Json, Scalar } from '../types/plain.ts';
import {
  conversationResultSchema,
  conversationSummarySchema,
  type ConversationResult,
  type ConversationSummary,
} from './conversations.ts';

export const count = z.number().int().nonnegative();

export const share = z.number().min(0).max(1);

export const difference = z.number().min(-1).max(1);

export const outcome = z.enum(['pass', 'fail', 'ungraded', 'error', 'skipped']);

const json = z.json();

const usage = z.strictObject({ input_tokens: count, output_tokens: count });

export const variant = z.strictObject({
  model: z.string().nullable(),
  parameters: z.record(z.string(), json),
});

export const because = z.strictObject({ key: z.string(), file: z.string() });

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

export const suite = z.strictObject({
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

export type Verdict =
  | 'regressed'
  | 'improved'
  | 'unchanged'
  | 'inconclusive'
  | 'new'
  | 'removed'
  | 'not_compared'
  | 'no_data';

export type ReferenceStatus =
  | 'regressed'
  | 'improved'
  | 'unchanged'
  | 'flaky'
  | 'inconclusive'
  | 'added'
  | 'removed'
  | 'edited'
  | 'error'
  | 'ungraded'
  /** One side only (sweeps): the roll-up's word. */
  | 'pass'
  | 'fail';

export interface TryResult {
  try: number;
  outcome: Outcome;
  actual: string | null;
  error: string | null;
  scores: Score[];
  usage: Usage | null;
  latency_ms: number | null;
  reused: boolean;
  finish_reason: FinishReason | null;
  /** The dialogue, in suites with `conversation`. */
  conversation?: ConversationResult | null;
}

export interface SideResult {
  tally: Tally;
  /** The roll-up policy's word on this side; null when no try could be judged. */
  rollup: 'pass' | 'fail' | null;
  /** Tries that pass, and tries that pass or fail. */
  passes: number;
  tries_judged: number;
  tries: TryResult[];
}

export interface ReferenceResult {
  id: string;
  file: string;
  line: number;
  tags: string[];
  skip: boolean;
  /**
   * In quarantine on the day of the run: shown, and out of the verdict as with `skip`; absent: it
   * is not.
   */
  quarantined?: true;
  input: Record<string, Scalar>;
  expected: Json | null;
  status: ReferenceStatus;
  /**
   * One-sided p of "head passes less often", before adjustment, and the false-discovery rate at
   * which it would be called; null where not compared.
   */
  p: number | null;
  q: number | null;
  /**
   * How often what base asks passed in all tries that the store knows of; absent: it knows of none.
   */
  history?: MeasuredRate;
  base: SideResult | null;
  head: SideResult | null;
}

/** Why a suite runs: a key of the user's file that differs, or a side that lacks it. */
export interface Because {
  key: string;
  file: string;
}

export interface PassRate {
  /** 0–1 over the tries that all references share; null when nothing was judged. */
  base: number | null;
  head: number | null;
  difference: number | null;
  /** Two-sided 90 % interval of the difference. */
  low: number | null;
  high: number | null;
  /** One-sided mid-p of "head is worse". */
  p: number | null;
}

export interface SuiteResult {
  path: string;
  name: string;
  variant: Variant;
  /** Base's variant where it differs from head's. */
  base_variant: Variant | null;
  because: Because[];
  /** What the suite sets of the gate for itself; absent: nothing. */
  gate?: SuiteGate;
  pass_rate: PassRate;
  verdict: Verdict;
  /** One sentence with the numbers. */
  summary: string;
  /** Smallest fall of the pass rate that a run of this size usually sees, 0–1; null: none. */
  visible_drop: number | null;
  /** References × tries that were compared. */
  compared: { references: number; tries: number };
  references: ReferenceResult[];
  metrics: {
    name: string;
    base: number | null;
    head: number | null;
    judged_base: number;
    judged_head: number;
  }[];
  /** What only conversations have, in suites with `conversation`. */
  conversation?: ConversationSummary | null;
  /** Base's answers against head's, in suites with `pairwise_preference`. */
  preference?: PreferenceSummary | null;
  /** In suites whose expected values are a few labels, compared by `exact_match`. */
  classification?: ClassificationSummary | null;
  /**
   * In sweeps: dollars for a thousand calls like those made, whether paid for or reused; null: not
   * known.
   */
  cost_per_1000_calls?: number | null;
}

/** Comparisons of base's with head's answers: one for each reference and try. */
export interface PreferenceSummary {
  metric: string;
  /** Comparisons in which head's answer is preferred, in which base's is, and ties. */
  head: number;
  base: number;
  ties: number;
  /** Share preferred on head less share preferred on base, with a two-sided 90 % interval. */
  difference: number;
  low: number;
  high: number;
  /** One-sided mid-p of the sign test for "base's answers are preferred". */
  p: number;
  /** Whether the verdict rests on it: nothing else gates in the suite. */
  gates: boolean;
  summary: string;
}

export interface BothSides {
  base: number | null;
  head: number | null;
}

/**
 * Answers as labels, each try of a reference one item. Shares are 0–1; null where nothing was
 * answered, or never with that label.
 */
export interface ClassificationSummary {
  metric: string;
  accuracy: BothSides;
  /** Mean over the labels of F1, which is 0 for a label that is never right. */
  macro_f1: BothSides;
  /** In the order of the references; `references`: how many have the label. */
  labels: { label: string; references: number; precision: BothSides; recall: BothSides }[];
  /** Answers that are none of the labels. */
  other: BothSides;
}

/** Passes among tries, with the share's 95 % interval (Wilson). */
export interface MeasuredRate {
  passes: number;
  tries: number;
  low: number;
  high: number;
}
