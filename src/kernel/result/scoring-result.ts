import { z } from 'zod';
import { outcomeSchema, scoreSchema } from '../../types/score-schema.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { differenceSchema, judgedTwice, shareSchema, sides } from './pieces.ts';
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
    .describe(
      'Pass rates for each combination of answers and scoring; null if nothing was judged.',
    ),
  prompt_effect: differenceSchema
    .nullable()
    .describe("Effect of the prompt's change: head_head − base_head."),
  scoring_effect: differenceSchema
    .nullable()
    .describe("Effect of the scoring's change: base_head − base_base."),
  total: differenceSchema.nullable().describe('Sum of the two effects.'),
  because: z.array(becauseSchema).describe('The parts of the scoring that changed.'),
  only_skips: z
    .literal(true)
    .describe('Set if the change only skips references, or stops skipping them.')
    .exactOptional(),
  flipped: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the reference.'),
        from: outcomeSchema.describe("Outcome of an answer or test under base's scoring."),
        to: outcomeSchema.describe("Outcome under head's scoring."),
        base_try: countSchema.describe("Number of base's try, if answers count.").exactOptional(),
        scores: z
          .array(scoreSchema)
          .describe("The answer's scores under base's scoring, if it fails there.")
          .exactOptional(),
      }),
    )
    .describe(
      'References with an answer that the two scorings judge differently, or with a different ' +
        'roll-up if tests count.',
    ),
  rollup: z
    .strictObject({
      ...sides(z.string(), 'Name of the roll-up on {side}.'),
      never_fails: z
        .literal(true)
        .describe("Set if head's roll-up passes whatever the tries are.")
        .exactOptional(),
    })
    .describe('Set if the roll-up changed.')
    .exactOptional(),
  may_be_chance: z
    .literal(true)
    .describe('Set if one answer, graded by a model, is all that is judged differently.')
    .exactOptional(),
  same_answers: z
    .strictObject({
      ...judgedTwice,
      p: shareSchema.describe("McNemar's two-sided mid-p."),
      kappa: differenceSchema
        .nullable()
        .describe("Cohen's kappa of the two scorings; null if it is undefined."),
    })
    .describe("Base's answers, judged by both scorings."),
  excused: z
    .literal(true)
    .describe(
      "Set if head's answers are worse than base's, beyond chance, when base's scoring " +
        "judges both, but not when head's does.",
    )
    .exactOptional(),
  under_base: z
    .strictObject(sides(shareSchema, "{Side}'s answers."))
    .describe(
      "Pass rates when base's scoring judges both sides, if head's is lower, beyond chance.",
    )
    .exactOptional(),
  fell: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the reference.'),
        base_try: countSchema.describe("Number of a try of base that passes under base's scoring."),
        head_try: countSchema.describe("Number of a try of head that fails under base's scoring."),
        scores: z.array(scoreSchema).describe("Scores of head's try under base's scoring."),
      }),
    )
    .describe(
      "References that got worse when base's scoring judges both sides, if that prevents a " +
        'green verdict.',
    )
    .exactOptional(),
});

export type ScoringResult = z.infer<typeof scoringResultSchema>;
