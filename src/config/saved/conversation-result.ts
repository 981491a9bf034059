import { z } from 'zod';

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);
const side = z.enum(['base', 'head']);
const outcomes = [
  'complete',
  'max_steps',
  'no_follow_up',
  'evaluator_error',
  'model_error',
] as const;

/** The parts of `result.json` that only conversations have. */
export const conversationResultSchema = z.strictObject({
  outcome: z.enum(outcomes),
  turns: z.array(
    z.strictObject({
      question: z.string(),
      asked_by: z.string().nullable(),
      answer: z.string().nullable(),
      verdicts: z.array(
        z.strictObject({
          evaluator: z.string(),
          words: z.record(z.string(), z.enum(['yes', 'no', 'unknown'])),
          analysis: z.string().nullable(),
          follow_up: z.string().nullable(),
        }),
      ),
      satisfied: z.record(z.string(), z.boolean()).nullable(),
    }),
  ),
  turns_to: z.record(z.string(), count.nullable()),
});

const pairedMean = z.strictObject({
  base: z.number().nullable(),
  head: z.number().nullable(),
  difference: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  n: count,
});
const outcomeCounts = z.record(z.enum(outcomes), count).nullable();

export const conversationSummarySchema = z.strictObject({
  max_steps: count,
  evaluators: z.array(z.string()),
  criteria: z.array(
    z.strictObject({ name: z.string(), combine: z.enum(['all', 'any', 'majority']) }),
  ),
  outcomes: z.strictObject({ base: outcomeCounts, head: outcomeCounts }),
  completed: pairedMean,
  turns: pairedMean,
  turns_to: z.array(
    z.strictObject({ criterion: z.string(), turns: pairedMean, reached: pairedMean }),
  ),
});

const yesShare = z.strictObject({
  yes: count,
  n: count,
  share: share.nullable(),
  low: share.nullable(),
  high: share.nullable(),
});
const yesShares = z.strictObject({ criteria: z.record(z.string(), yesShare), all: yesShare });

export const evaluatorResultSchema = z.strictObject({
  path: z.string(),
  name: z.string(),
  side,
  criteria: z.array(z.string()),
  examples: count,
  grades: z.array(
    z.strictObject({
      evaluators: z.array(z.string()),
      accepted: yesShares,
      rejected: yesShares,
      balanced_accuracy: z
        .strictObject({ value: share, low: z.number(), high: z.number() })
        .nullable(),
      unread: count,
    }),
  ),
});
