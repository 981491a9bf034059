import { z } from 'zod';
import { passesSchema, shareSchema, suiteFields } from '../../kernel/result/pieces.ts';
import { countSchema } from '../../types/usage-totals.ts';

const anchoredSuiteSchema = z.strictObject({
  ...suiteFields,
  status: z
    .enum(['fell', 'not-confirmed', 'level', 'not-asked'])
    .describe(
      "`fell`: head passes less often than the older commit's prompt, and new answers confirm it. " +
        '`not-confirmed`: only stored answers show a drop. `level`: no significant drop. ' +
        '`not-asked`: a cap or the time limit left no calls.',
    ),
  references: countSchema.describe('References that were compared.'),
  then: passesSchema.describe(
    "Tries of the older commit's prompt. For `fell` and `not-confirmed`, only new tries.",
  ),
  now: passesSchema.describe("Head's tries."),
  p: shareSchema
    .nullable()
    .describe('One-sided mid-p value of "head passes less often"; null: not compared.'),
});

const anchorResultSchema = z.strictObject({
  since: z.string().describe('As written in the settings: `last-release`, `30-days` or a commit.'),
  commit: z.string().describe('Full id of the older commit.'),
  name: z.string().describe('Name of the older commit: a tag, or its date and short id.'),
  suites: z
    .array(anchoredSuiteSchema)
    .describe('Suites that ran and differ from the older commit.'),
});

export type AnchoredResult = z.infer<typeof anchoredSuiteSchema>;

export type AnchorResult = z.infer<typeof anchorResultSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    anchor?: AnchorResult;
  }
}

export const anchorKeys = {
  anchor: anchorResultSchema
    .describe(
      'Comparison of head with an older commit (`gate.anchor`). Absent if not set or if nothing differs.',
    )
    .exactOptional(),
};
