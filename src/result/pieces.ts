import { z } from 'zod';
import type { Outcome, Score, Tally } from '../types/metric.ts';
import type { FinishReason, Usage } from '../types/model.ts';
import type { Json, Place, Side } from '../types/plain.ts';

/*
 * What several parts of `result.json` are made of. The description stands where a piece is used,
 * for it says what is counted there.
 */

export const count = z.number().int().nonnegative();

export const share = z.number().min(0).max(1);

/** Of two shares. */
export const difference = z.number().min(-1).max(1);

export const dollars = z.number().nonnegative().nullable();

export const side = z.enum(['base', 'head']) satisfies z.ZodType<Side>;

export const outcome = z.enum([
  'pass',
  'fail',
  'ungraded',
  'error',
  'skipped',
]) satisfies z.ZodType<Outcome>;

/** Any value of the user's, `null` where there is none. */
export const json: z.ZodType<Json, Json> = z.json();

export const place = z.strictObject({
  file: z.string().describe('Path below the working directory.'),
  line: count.describe('From 1; 0 means the file as a whole.'),
}) satisfies z.ZodType<Place>;

export const usage = z.strictObject({
  input_tokens: count.describe('Tokens of the request.'),
  output_tokens: count.describe('Tokens of the answer.'),
}) satisfies z.ZodType<Usage>;

const ofScore = {
  metric: z.string().describe('Name of the metric.'),
  skip: z.boolean().describe('The metric is shown, but does not gate.'),
};

export const score = z.discriminatedUnion('status', [
  z.strictObject({
    ...ofScore,
    status: z.enum(['pass', 'fail']).describe('Whether the metric passes in this answer.'),
    value: json.describe('What the metric measured.'),
    reason: z.string().nullable().describe('Why, as the metric or its grader says; null: nothing.'),
  }),
  z.strictObject({
    ...ofScore,
    status: z
      .enum(['ungraded', 'error', 'skipped'])
      .describe('Why there is no score: no readable grade, an error, or a condition not met.'),
    value: z.null().describe('There is none.'),
    reason: z.string().describe('What happened.'),
  }),
]) satisfies z.ZodType<Score>;

export const finishReason = z.enum([
  'stop',
  'length',
  'filter',
  'tool',
  'other',
]) satisfies z.ZodType<FinishReason>;

export const tally = z.strictObject({
  num_passes: count.describe('Scores that pass, those of skipped metrics too.'),
  num_fails: count.describe('Scores that fail, those of skipped metrics too.'),
  num_skip_passes: count.describe('Scores of skipped metrics that pass.'),
  num_skip_fails: count.describe('Scores of skipped metrics that fail.'),
  num_tries: count.describe('Tries that were made.'),
  num_metrics: count.describe('Metrics that judge the reference.'),
  num_ungraded: count.describe('Scores without a readable grade.'),
  num_errors: count.describe('Scores that are errors.'),
}) satisfies z.ZodType<Tally>;
