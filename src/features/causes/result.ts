import { z } from 'zod';
import { countSchema, shareSchema, variantSchema } from '../../kernel/result/pieces.ts';
import { changeUnitSchema } from '../../trials/change-unit.ts';

const triesSchema = z.strictObject({
  passes: countSchema.describe('Tries that pass.'),
  tries: countSchema.describe('Tries that pass or fail.'),
});

const fixSchema = z.strictObject({
  kind: z
    .enum(['set back', 'draft'])
    .describe('`set back`: the cause is reverted. `draft`: new text from the grader model.'),
  file: z.string().describe('The prompt file on head.'),
  lines: z
    .strictObject({
      from: countSchema.describe('First replaced line, from 1.'),
      to: countSchema.describe('Last replaced line.'),
    })
    .describe('The replaced text of head.'),
  replaced: z.string().describe('Those lines, unchanged.'),
  replacement: z.string().describe('The new lines; empty: none.'),
  restores: z
    .strictObject({
      references: countSchema.describe('References that pass again.'),
      of: countSchema.describe('References that got worse.'),
    })
    .describe('Its effect on tests that got worse.'),
  costs: z
    .strictObject({
      references: countSchema.describe('References that pass less often than on base.'),
      of: countSchema.describe(
        'References that passed every try on both sides and were run again.',
      ),
    })
    .describe('Its effect on tests that passed on both sides.'),
  tries: countSchema.describe('Tries of each reference that got worse.'),
  withheld: z
    .literal(true)
    .describe('The model that wrote it did not see the references that it restores.')
    .exactOptional(),
});

const causeSchema = z.strictObject({
  relation: z
    .enum(['alone', 'together', 'either', 'only-change'])
    .describe(
      '`alone`: one changed part is the cause. `together`: only all of them together. ' +
        '`either`: each by itself. ' +
        '`only-change`: the only change, so no experiment was needed.',
    ),
  units: z.array(changeUnitSchema).describe('The changed parts that are the cause.'),
  references: z
    .array(
      z.strictObject({
        id: z.string().describe('The reference.'),
        restored: triesSchema.describe('Head with the cause reverted.'),
        broken: triesSchema.describe('Base with the cause added.'),
      }),
    )
    .describe('References that got worse because of it.'),
  held: z
    .strictObject({
      references: countSchema.describe('References that also pass with the cause reverted.'),
      of: countSchema.describe('Stable references of head that were tried.'),
    })
    .describe('What reverting the cause does to stable references.'),
  p: shareSchema
    .nullable()
    .describe(
      'The p-value of its weakest unit, adjusted for all units of the suite; null: no experiment.',
    ),
  calls: countSchema.describe('Calls that proved it.'),
  fix: fixSchema
    .nullable()
    .describe('A tested fix; null: none passed; absent: not searched for.')
    .exactOptional(),
  no_fix: z
    .string()
    .describe('Why there is no fix, as a clause, if `fix` is null.')
    .exactOptional(),
});

const suiteCausesSchema = z.strictObject({
  path: z.string().describe('File of the prompt.'),
  suite: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Its variant.'),
  causes: z.array(causeSchema).describe('The causes; empty: not found.'),
  explained: z
    .strictObject({
      status: z
        .enum(['found', 'not-settled', 'not-started'])
        .describe('Whether a cause was found, the calls were not enough, or there was no search.'),
      reason: z.string().nullable().describe('Why no cause was found; null if one was found.'),
      units: countSchema.describe('Number of units in the change.'),
      harmless: z.array(changeUnitSchema).describe('Units with no effect on the tried references.'),
      suspects: z
        .array(changeUnitSchema)
        .describe('Not proven: one of these units is likely the cause; absent: none.')
        .exactOptional(),
      unexplained: z.array(z.string()).describe('References that got worse for an unknown reason.'),
      calls: countSchema.describe('Calls of the experiment, including reused ones.'),
    })
    .describe('The state of the experiment.'),
});

export type Cause = z.infer<typeof causeSchema>;

export type Fix = z.infer<typeof fixSchema>;

export type SuiteCauses = z.infer<typeof suiteCausesSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    causes?: SuiteCauses[];
    fixed_by?: SuiteCauses[];
  }
}

export const causeKeys = {
  causes: z
    .array(suiteCausesSchema)
    .describe(
      'Which changed lines made a suite worse, found by experiment; absent: nothing got worse.',
    )
    .exactOptional(),
  fixed_by: z
    .array(suiteCausesSchema)
    .describe(
      'Which changed lines fixed references of a suite. Base and head are exchanged: `restored` is base ' +
        'with the cause added, `broken` is head with it reverted. Absent: nothing was fixed, ' +
        'or the suite is in `causes`.',
    )
    .exactOptional(),
};
