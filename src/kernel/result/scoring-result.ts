import { z } from 'zod';
import {
  countSchema,
  differenceSchema,
  outcomeSchema,
  scoreSchema,
  shareSchema,
} from './pieces.ts';
import { becauseSchema } from './suite-result.ts';

export const scoringResultSchema = z.strictObject({
  path: z.string().describe("File of the suite's prompt."),
  name: z.string().describe('Name of the suite.'),
  rates: z
    .strictObject({
      base_base: shareSchema.nullable().describe("Base's answers under base's scoring."),
      base_head: shareSchema.nullable().describe("Base's answers under head's scoring."),
      head_base: shareSchema.nullable().describe("Head's answers under base's scoring."),
      head_head: shareSchema.nullable().describe("Head's answers under head's scoring."),
    })
    .describe('Pass rates, answers × scoring; null where nothing was judged.'),
  prompt_effect: differenceSchema
    .nullable()
    .describe("What the prompt's change does: head_head − base_head."),
  scoring_effect: differenceSchema
    .nullable()
    .describe("What the scoring's change does: base_head − base_base."),
  total: differenceSchema.nullable().describe('Sum of the two effects.'),
  because: z.array(becauseSchema).describe('What changed of the scoring.'),
  only_skips: z
    .literal(true)
    .describe('Of the references, only which ones are skipped changed; absent: not so.')
    .exactOptional(),
  flipped: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the reference.'),
        from: outcomeSchema.describe("Outcome under base's scoring."),
        to: outcomeSchema.describe("Outcome under head's scoring."),
      }),
    )
    .describe("References whose outcome on base's answers differs between the scorings."),
  same_answers: z
    .strictObject({
      judged: countSchema.describe('Tries that both scorings judged.'),
      pass_fail: countSchema.describe(
        "Of them, those that pass under base's scoring and fail under head's.",
      ),
      fail_pass: countSchema.describe(
        "Of them, those that fail under base's scoring and pass under head's.",
      ),
      p: shareSchema.describe("McNemar's two-sided mid-p."),
      kappa: differenceSchema.nullable().describe("Cohen's kappa of the two scorings."),
    })
    .describe("Tries of base's own answers, under both scorings."),
  excused: z
    .literal(true)
    .describe(
      "Head's answers clearly fall under base's scoring, and head's own scoring passes them; absent: not so.",
    )
    .exactOptional(),
  under_base: z
    .strictObject({
      base: shareSchema.describe("Base's answers."),
      head: shareSchema.describe("Head's answers."),
    })
    .describe(
      "Pass rates under base's scoring of all that it judges, where head's answers clearly " +
        'fall under it; absent: they do not.',
    )
    .exactOptional(),
  fell: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the reference.'),
        base_try: countSchema.describe("A try of base that passes under base's scoring."),
        head_try: countSchema.describe("A try of head that fails under base's scoring."),
        scores: z.array(scoreSchema).describe("That try of head's scores under base's scoring."),
      }),
    )
    .describe(
      "References whose answers fall under base's scoring, where that keeps the suite from " +
        'green; absent: none.',
    )
    .exactOptional(),
});

export type ScoringResult = z.infer<typeof scoringResultSchema>;
