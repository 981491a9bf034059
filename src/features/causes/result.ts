import { z } from 'zod';
import { shareSchema, suiteFields } from '../../kernel/result/pieces.ts';
import { changeUnitSchema } from '../../trials/change-unit.ts';
import { fixSchema } from '../../trials/fix.ts';
import { countSchema } from '../../types/usage-totals.ts';

const triesSchema = z.strictObject({
  passes: countSchema.describe('Tries that pass.'),
  tries: countSchema.describe('Tries that pass or fail. Errors are not counted.'),
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
    .describe('References that got worse because of this cause.'),
  held: z
    .strictObject({
      references: countSchema.describe(
        'Stable references that still pass when the cause is reverted.',
      ),
      of: countSchema.describe('Stable references that were run.'),
    })
    .describe(
      'Effect of reverting the cause on stable references (all tries passed on both sides).',
    ),
  p: shareSchema
    .nullable()
    .describe(
      'The largest p-value of these changed parts, adjusted for all parts of the change; ' +
        'null: no experiment.',
    ),
  calls: countSchema.describe('Calls of the experiment that proved the cause.'),
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
  ...suiteFields,
  causes: z.array(causeSchema).describe('The causes; empty: not found.'),
  explained: z
    .strictObject({
      status: z
        .enum(['found', 'not-settled', 'not-started'])
        .describe('Whether a cause was found, the calls were not enough, or there was no search.'),
      reason: z.string().nullable().describe('Why no cause was found; null if one was found.'),
      units: countSchema.describe('Number of parts into which the change was split (units).'),
      harmless: z
        .array(changeUnitSchema)
        .describe('Changed parts with no effect on the references that were run.'),
      suspects: z
        .array(changeUnitSchema)
        .describe('One of these changed parts is likely the cause, without proof; absent: none.')
        .exactOptional(),
      unexplained: z.array(z.string()).describe('References that got worse for an unknown reason.'),
      calls: countSchema.describe('Calls of the experiment, including reused ones.'),
      metrics: z
        .array(z.string())
        .describe(
          'Metrics that fell and that alone judge these tries, because others hide the fall; ' +
            'absent: all metrics judge them.',
        )
        .exactOptional(),
    })
    .describe('The state of the experiment.'),
});

export type Cause = z.infer<typeof causeSchema>;

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
      'Which changed lines fixed references of a suite. Base and head are exchanged: ' +
        '`restored` is base ' +
        'with the cause added, `broken` is head with the cause reverted. Absent if nothing was fixed ' +
        'or if the suite is in `causes`.',
    )
    .exactOptional(),
};
