import { z } from 'zod';
import { ends, shareSchema, sides, sideSchema } from '../../kernel/result/pieces.ts';
import { stepSchema } from '../../types/answer-schema.ts';
import { countSchema } from '../../types/usage-totals.ts';

/** The key of a suite of dialogues, and the metric that judges them. */
export const CONVERSATION_KEY = 'conversation';

const criterionSchema = z.strictObject({
  name: z.string().describe('Name of the criterion.'),
  combine: z
    .enum(['all', 'any', 'majority'])
    .describe('How the verdicts of several evaluators are combined.'),
});

const conversationOutcome = z.enum([
  'complete',
  'max_steps',
  'no_follow_up',
  'tool_call',
  'tool_limit',
  'tool_error',
  'evaluator_error',
  'model_error',
]);

const criterionWord = z.enum(['yes', 'no', 'unknown']);

const evaluatorVerdictSchema = z.strictObject({
  evaluator: z.string().describe('Name of the evaluator.'),
  words: z
    .record(z.string(), criterionWord)
    .describe('For each criterion, whether it is met. Lacks criteria without a readable word.'),
  analysis: z.string().nullable().describe("The evaluator's reasons; null if it gave none."),
  follow_up: z.string().nullable().describe("The evaluator's next question; null if it has none."),
});

const conversationTurnSchema = z.strictObject({
  question: z.string().describe('Last message of the user before the answer.'),
  asked_by: z
    .string()
    .nullable()
    .describe(
      'The evaluator that asked; null if the question comes from the reference or a recording.',
    ),
  steps: z
    .array(stepSchema)
    .describe('Tool calls with their results, and texts before the answer; absent without calls.')
    .exactOptional(),
  answer: z.string().nullable().describe('The answer; null if the model gave none.'),
  verdicts: z
    .array(evaluatorVerdictSchema)
    .describe('Verdicts of the evaluators whose replies could be read.'),
  satisfied: z
    .record(z.string(), z.boolean())
    .nullable()
    .describe(
      'For each criterion, whether the evaluators together find it met; null if they could not judge.',
    ),
});

const conversationResultSchema = z.strictObject({
  outcome: conversationOutcome.describe(
    'How the conversation ended. The three errors are not quality failures.',
  ),
  turns: z.array(conversationTurnSchema).describe('Questions and answers in their order.'),
  turns_to: z
    .record(z.string(), countSchema.nullable())
    .describe(
      'For each criterion, the turn (from 1) from which it stays met to the end; null: never.',
    ),
});

const pairedMeanSchema = z.strictObject({
  ...sides(z.number().nullable(), 'Mean on {side}; null if nothing was judged.'),
  difference: z
    .number()
    .nullable()
    .describe('Head − base; null if a side is missing or too little was judged.'),
  ...ends(z.number().nullable(), "the difference's two-sided 90 % interval."),
  n: countSchema.describe('Number of references in the mean.'),
});

const outcomeCounts = z.partialRecord(conversationOutcome, countSchema).nullable();

const conversationSummarySchema = z.strictObject({
  max_steps: countSchema.describe('Maximum answers in one conversation.'),
  evaluators: z.array(z.string()).describe('Names of the evaluators, in their order.'),
  criteria: z.array(criterionSchema).describe('What the evaluators judge.'),
  outcomes: z
    .strictObject(sides(outcomeCounts, 'Counts on {side}; null if {side} did not run.'))
    .describe('Number of tries for each way in which a conversation can end.'),
  completed: pairedMeanSchema.describe('Share of conversations that were completed, 0–1.'),
  turns: pairedMeanSchema.describe(
    'Mean number of turns of completed conversations. Only references with a completed ' +
      'conversation on both sides count.',
  ),
  turns_to: z
    .array(
      z.strictObject({
        criterion: z.string().describe('Name of the criterion.'),
        turns: pairedMeanSchema.describe(
          'Mean number of turns until the criterion is met and stays met. Only references in which ' +
            'it is met on both sides count.',
        ),
        reached: pairedMeanSchema.describe(
          'Share of conversations in which the criterion is met at the end, 0–1.',
        ),
      }),
    )
    .describe('How soon each criterion is met and stays met.'),
});

const yesShareSchema = z.strictObject({
  yes: countSchema.describe('Answers that get a yes.'),
  n: countSchema.describe('Answers that were judged.'),
  share: shareSchema.nullable().describe('`yes` / `n`; null if nothing was judged.'),
  ...ends(shareSchema.nullable(), "the share's 95 % interval (Wilson)."),
});

const yesShares = z.strictObject({
  criteria: z.record(z.string(), yesShareSchema).describe('For each criterion.'),
  all: yesShareSchema.describe('For all criteria together.'),
});

const evaluatorGradeSchema = z.strictObject({
  evaluators: z
    .array(z.string())
    .describe("One evaluator, or several combined by the suite's rules."),
  accepted: yesShares.describe('Shares of yes for answers that people accepted.'),
  rejected: yesShares.describe('Shares of yes for answers that people rejected.'),
  balanced_accuracy: z
    .strictObject({
      value: shareSchema.describe('The mean.'),
      ...ends(z.number(), 'its 95 % interval.'),
    })
    .nullable()
    .describe(
      'Mean of two shares: of accepted answers that get a yes, and of rejected answers that do not. ' +
        'Null if either kind is missing.',
    ),
  unread: countSchema.describe('Answers left out because an evaluator gave no readable verdict.'),
});

const evaluatorResultSchema = z.strictObject({
  path: z.string().describe("File of the suite's prompt."),
  name: z.string().describe('Name of the suite.'),
  side: sideSchema.describe('The side whose evaluators were tested.'),
  criteria: z.array(z.string()).describe('Names of the criteria.'),
  examples: countSchema.describe('Answers that people labelled.'),
  grades: z.array(evaluatorGradeSchema).describe('Each evaluator alone, and all together.'),
});

export type Criterion = z.infer<typeof criterionSchema>;

/** Those that end in `_error` are errors, not quality failures. */
export type ConversationOutcome = z.infer<typeof conversationOutcome>;

export function isErrorOutcome(outcome: ConversationOutcome): boolean {
  return outcome.endsWith('_error');
}

export type CriterionWord = z.infer<typeof criterionWord>;

export type EvaluatorVerdict = z.infer<typeof evaluatorVerdictSchema>;

export type ConversationTurn = z.infer<typeof conversationTurnSchema>;

export type ConversationResult = z.infer<typeof conversationResultSchema>;

/** Means over references that ran on both sides, or over all if only one side ran. */
export type PairedMean = z.infer<typeof pairedMeanSchema>;

export type ConversationSummary = z.infer<typeof conversationSummarySchema>;

/** A share with a 95 % Wilson interval. Null if nothing was judged. */
export type YesShare = z.infer<typeof yesShareSchema>;

export type EvaluatorGrade = z.infer<typeof evaluatorGradeSchema>;

export type EvaluatorResult = z.infer<typeof evaluatorResultSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    evaluators?: EvaluatorResult[];
  }
  interface SuiteParts {
    conversation?: ConversationSummary | null;
  }
  interface TryParts {
    conversation?: ConversationResult | null;
  }
}

export const conversationKeys = {
  run: {
    evaluators: z
      .array(evaluatorResultSchema)
      .describe('Tests of changed evaluators on the labelled answers of their suite.')
      .exactOptional(),
  },
  suite: {
    conversation: conversationSummarySchema
      .nullable()
      .describe('Data of conversations, in suites with `conversation`.')
      .exactOptional(),
  },
  tries: {
    conversation: conversationResultSchema
      .nullable()
      .describe('The dialogue, in suites with `conversation`.')
      .exactOptional(),
  },
};
