import { z } from 'zod';
import { countSchema } from '../../types/usage-totals.ts';

const changedLineSchema = z.strictObject({
  sign: z
    .enum(['same', 'removed', 'added'])
    .describe('The side that has the line: both, base, or head.'),
  text: z.string().describe('The text of the line. Very long lines are cut.'),
});

const hunkSchema = z.strictObject({
  base: countSchema.describe(
    'Number of the first line on base, from 1; 0 if base has none of these lines.',
  ),
  head: countSchema.describe(
    'Number of the first line on head, from 1; 0 if head has none of these lines.',
  ),
  lines: z
    .array(changedLineSchema)
    .describe('The changed lines in order, with one unchanged line before and after.'),
});

export const changedTextSchema = z.strictObject({
  file: z.string().describe('Path of the file on head, or on base if head does not have it.'),
  base_file: z
    .string()
    .nullable()
    .describe(
      'Path of the file on base; differs from `file` if it was renamed; null if base does not have it.',
    ),
  suites: z.array(z.string()).describe('Names of the suites that run because this file changed.'),
  hunks: z.array(hunkSchema).describe('The differences, in the order of the file.'),
  more: countSchema.describe('Number of changed lines that are left out.'),
});

export type ChangedText = z.infer<typeof changedTextSchema>;

export type Hunk = ChangedText['hunks'][number];
