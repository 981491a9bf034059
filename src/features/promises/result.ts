import { z } from 'zod';
import { passesSchema, suiteFields, variantSchema } from '../../kernel/result/pieces.ts';

const promiseSchema = z.strictObject({
  ...suiteFields,
  variant: variantSchema
    .nullable()
    .describe('Model and parameters of the suite; null: it did not run.'),
  id: z.string().describe('The reference.'),
  status: z
    .enum(['kept', 'not-kept', 'broke', 'unclear', 'passed-before', 'unaffected', 'deleted'])
    .describe(
      '`kept`: it failed on base, or is new, and passes on head. `not-kept`: it still fails on head. ' +
        '`broke`: it passes on base and fails on head. `unclear`: too few tries were judged. ' +
        '`passed-before`: it also passes on base. ' +
        '`unaffected`: it did not run, because nothing that it depends on changed. ' +
        '`deleted`: head does not have it.',
    ),
  base: passesSchema.nullable().describe("Base's tries; null: none."),
  head: passesSchema.nullable().describe("Head's tries; null: none."),
});

const promisesSchema = z.strictObject({
  references: z
    .array(promiseSchema)
    .describe('References promised to be fixed, in the order of the description.'),
  unknown: z
    .array(
      z.strictObject({
        name: z.string().describe('The name as written in the description.'),
        nearest: z
          .string()
          .nullable()
          .describe('The id of a test most similar to the name; null: none.'),
      }),
    )
    .describe('Names in the description that match no reference.'),
});

export type PromisedReference = z.infer<typeof promiseSchema>;

export type PromisesResult = z.infer<typeof promisesSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    promises?: PromisesResult;
  }
}

export const promiseKeys = {
  promises: promisesSchema
    .describe(
      'References that the description of the pull request promises to fix (`Fixes: id`), and whether ' +
        'they are fixed; absent: none.',
    )
    .exactOptional(),
};
