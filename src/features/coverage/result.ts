import { z } from 'zod';
import { variantSchema } from '../../kernel/result/pieces.ts';
import { changeUnitSchema } from '../../trials/change-unit.ts';
import { fixSchema } from '../../trials/fix.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { LINE_KINDS } from './search.ts';

const coveredLineSchema = z.strictObject({
  status: z
    .enum(LINE_KINDS)
    .describe(
      '`held`: a test fails without the line. `held_together`: a test fails only without this line ' +
        'and another one. `untested`: answers change without it, and no test fails. `idle`: no ' +
        'effect on answers or tests was seen. `unsettled`: the calls did not suffice.',
    ),
  unit: changeUnitSchema.describe(
    'The line, sentence, example or description; `head_text` is its text.',
  ),
  reference: z
    .string()
    .nullable()
    .describe('The first test that was found to hold the line; others may hold it, too.'),
  with: countSchema
    .nullable()
    .describe('Index in `lines` of the other line, if both are held together.'),
  answers: countSchema.describe('Answers without this line, perhaps also without others.'),
  fix: fixSchema
    .nullable()
    .describe('A test that was run and fails without this line; absent: not drafted.')
    .exactOptional(),
  no_fix: z.string().describe('Why no test is shown, as a clause.').exactOptional(),
});

const suiteCoverageSchema = z.strictObject({
  path: z.string().describe('File of the prompt.'),
  suite: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Model and parameters of the suite.'),
  scope: z
    .enum(['prompt', 'changed'])
    .describe('Whether all lines were examined, or only new and changed ones.'),
  lines: z
    .array(coveredLineSchema)
    .describe('The lines that can be taken away, without those that insert an input.'),
  reason: z.string().nullable().describe('Why lines are not settled; null if all are.'),
  unsteady: z
    .array(z.string())
    .describe('Tests that pass in less than half of the tries, so they hold no line.'),
  calls: countSchema.describe('Calls of the search, including reused ones.'),
});

export type CoveredLineResult = z.infer<typeof coveredLineSchema>;

export type SuiteCoverage = z.infer<typeof suiteCoverageSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    coverage?: SuiteCoverage[];
  }
}

export const coverageKeys = {
  coverage: z
    .array(suiteCoverageSchema)
    .describe('Which lines of prompts tests hold; absent: not examined.')
    .exactOptional(),
};
