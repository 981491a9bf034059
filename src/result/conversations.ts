import { z } from 'zod';
import type { Criterion } from '../suite/suite.ts';
import type { Side } from '../types/plain.ts';

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

/** How a conversation ended. The last two are errors, not failures of quality. */
export type ConversationOutcome =
  'complete' | 'max_steps' | 'no_follow_up' | 'evaluator_error' | 'model_error';

export type CriterionWord = 'yes' | 'no' | 'unknown';

/** One evaluator's word on a dialogue, by criterion. */
export interface EvaluatorVerdict {
  evaluator: string;
  words: Record<string, CriterionWord>;
  analysis: string | null;
  follow_up: string | null;
}

export interface ConversationTurn {
  /** What the user said last before the answer. */
  question: string;
  /** The evaluator that asked; null for the reference's own and for recorded questions. */
  asked_by: string | null;
  /** Null when the model gave none. */
  answer: string | null;
  /** Of the evaluators that could be read, in their order. */
  verdicts: EvaluatorVerdict[];
  /** Whether the evaluators together call each criterion met; null where they could not judge. */
  satisfied: Record<string, boolean> | null;
}

export interface ConversationResult {
  outcome: ConversationOutcome;
  turns: ConversationTurn[];
  /** By criterion: the first turn, from 1, from which it stays met to the end; null: never. */
  turns_to: Record<string, number | null>;
}

/** A mean over references on both sides; where one side is missing, over those of the other. */
export interface PairedMean {
  base: number | null;
  head: number | null;
  /**
   * Head − base, with a two-sided 90 % interval; null where a side is missing or too little was
   * judged.
   */
  difference: number | null;
  low: number | null;
  high: number | null;
  /** References it rests on. */
  n: number;
}

export interface ConversationSummary {
  max_steps: number;
  evaluators: string[];
  criteria: Criterion[];
  /** Tries by how they ended; null for a side that did not run. */
  outcomes: {
    base: Record<ConversationOutcome, number> | null;
    head: Record<ConversationOutcome, number> | null;
  };
  /** Share of conversations that were completed, 0–1. */
  completed: PairedMean;
  /** Turns of completed conversations, over the references that were completed on both sides. */
  turns: PairedMean;
  /**
   * Turns until a criterion is met for good, over the references in which it is on both sides; and
   * the share in which it is.
   */
  turns_to: { criterion: string; turns: PairedMean; reached: PairedMean }[];
}

/**
 * Agreement of a rubric's grader with labelled examples. Positive is a label of the rubric's
 * highest score.
 */
export interface GraderResult {
  rubric: string;
  side: Side;
  examples: number;
  /** Examples that are counted: their grade could be read, and the rubric knows their label. */
  judged: number;
  agreement: number | null;
  true_positive_rate: number | null;
  true_negative_rate: number | null;
  kappa: number | null;
  /** Share of positive examples, without which kappa cannot be read. */
  base_rate: number | null;
  /** Examples that base's grader labels otherwise than head's; empty on base. */
  flipped: { content: string; expected: string; base: string | null; head: string | null }[];
}

/** A share of yes with its 95 % interval (Wilson); null where nothing was judged. */
export interface YesShare {
  yes: number;
  n: number;
  share: number | null;
  low: number | null;
  high: number | null;
}

/**
 * What evaluators say about answers that people accepted or rejected: one evaluator, or several by
 * the suite's rules.
 */
export interface EvaluatorGrade {
  evaluators: string[];
  accepted: { criteria: Record<string, YesShare>; all: YesShare };
  rejected: { criteria: Record<string, YesShare>; all: YesShare };
  /**
   * Mean of the shares of accepted and rejected answers that `all` tells right, with a 95 %
   * interval.
   */
  balanced_accuracy: { value: number; low: number; high: number } | null;
  /** Answers left out because an evaluator gave no readable verdict. */
  unread: number;
}

/** How far a suite's evaluators can be trusted, on its labelled answers. */
export interface EvaluatorResult {
  path: string;
  name: string;
  side: Side;
  criteria: string[];
  examples: number;
  grades: EvaluatorGrade[];
}
