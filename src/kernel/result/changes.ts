import { z } from 'zod';
import { countSchema } from './pieces.ts';

const changedLineSchema = z.strictObject({
  sign: z
    .enum(['same', 'removed', 'added'])
    .describe('The side that has the line: both, base, or head.'),
  text: z.string().describe('The line, cut when it is very long.'),
});

const hunkSchema = z.strictObject({
  base: countSchema.describe('Line on base at which it begins, from 1; 0: base has none of it.'),
  head: countSchema.describe('Line on head at which it begins, from 1; 0: head has none of it.'),
  lines: z.array(changedLineSchema).describe('The lines in their order, with one of context.'),
});

export const changedTextSchema = z.strictObject({
  file: z.string().describe('The file on head; on base where head has none.'),
  base_file: z
    .string()
    .nullable()
    .describe('Its path on base; differs from `file` where it was renamed; null: base has none.'),
  suites: z.array(z.string()).describe('Names of the suites that run because of it.'),
  hunks: z.array(hunkSchema).describe('What differs, in the order of the file.'),
  more: countSchema.describe('Changed lines that are left out.'),
});

export type ChangedText = z.infer<typeof changedTextSchema>;

export type Hunk = ChangedText['hunks'][number];
