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
    .describe("The cause set back, or a draft of the grader's model."),
  file: z.string().describe('The prompt file on head.'),
  lines: z
    .strictObject({
      from: countSchema.describe('First line that is replaced, from 1.'),
      to: countSchema.describe('Last line that is replaced.'),
    })
    .describe('What is replaced on head.'),
  replaced: z.string().describe('Those lines as they are.'),
  replacement: z.string().describe('The lines that take their place; empty: none.'),
  restores: z
    .strictObject({
      references: countSchema.describe('References that pass again.'),
      of: countSchema.describe('References that fell.'),
    })
    .describe('What it does to those that fell.'),
  costs: z
    .strictObject({
      references: countSchema.describe('References that pass less often than on base.'),
      of: countSchema.describe(
        'References that passed every try on both sides and were run again.',
      ),
    })
    .describe('What it does to those that passed on both sides.'),
  tries: countSchema.describe('Tries of each reference that fell.'),
  withheld: z
    .literal(true)
    .describe('Those that it restores were not shown to the model that wrote it.')
    .exactOptional(),
});

const causeSchema = z.strictObject({
  relation: z
    .enum(['alone', 'together', 'either', 'only-change'])
    .describe(
      'The unit alone does it; the units do it only together; each of them does it by ' +
        'itself; or it is the only change, which nobody had to try.',
    ),
  units: z.array(changeUnitSchema).describe('The units that did it.'),
  references: z
    .array(
      z.strictObject({
        id: z.string().describe('The reference.'),
        restored: triesSchema.describe('Head with the cause set back.'),
        broken: triesSchema.describe('Base with the cause put in.'),
      }),
    )
    .describe('References that fell because of it.'),
  held: z
    .strictObject({
      references: countSchema.describe('References that pass with the cause set back, too.'),
      of: countSchema.describe('References that hold on head and were tried.'),
    })
    .describe('References that hold on head, with the cause set back.'),
  p: shareSchema
    .nullable()
    .describe('Of the weakest of its units, over all units of the suite; null: nothing was tried.'),
  calls: countSchema.describe('Calls that proving it took.'),
  fix: fixSchema
    .nullable()
    .describe('A fix that was run; null: none held; absent: none was looked for.')
    .exactOptional(),
  no_fix: z
    .string()
    .describe('Why none is shown, as a clause, where `fix` is null.')
    .exactOptional(),
});

const suiteCausesSchema = z.strictObject({
  path: z.string().describe('File of the prompt.'),
  suite: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Its variant.'),
  causes: z.array(causeSchema).describe('What did it; empty: not found.'),
  explained: z
    .strictObject({
      status: z
        .enum(['found', 'not-settled', 'not-started'])
        .describe('Whether a cause was found, was not within the calls, or was not looked for.'),
      reason: z.string().nullable().describe('Why not; null where one was found.'),
      units: countSchema.describe('Units that the change has.'),
      harmless: z
        .array(changeUnitSchema)
        .describe('Units that change nothing for the references that were tried.'),
      suspects: z
        .array(changeUnitSchema)
        .describe('Not proven: units of which one is likely the cause; absent: none is.')
        .exactOptional(),
      unexplained: z.array(z.string()).describe('References that fell and are not explained.'),
      calls: countSchema.describe('Calls of the experiment, those that were reused among them.'),
    })
    .describe('How far the experiment came.'),
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
    .describe('Which changed lines made a suite worse, by experiment; absent: nothing got worse.')
    .exactOptional(),
  fixed_by: z
    .array(suiteCausesSchema)
    .describe(
      'Which changed lines fixed references of a suite. Base and head are exchanged: `restored` is ' +
        'base with the cause put in, `broken` is head with it undone. Absent: nothing was fixed, ' +
        'or the suite is in `causes`.',
    )
    .exactOptional(),
};
