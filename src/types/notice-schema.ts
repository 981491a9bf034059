import { z } from 'zod';

export const placeSchema = z.strictObject({
  file: z.string().describe('Path below the working directory.'),
  line: z.number().int().nonnegative().describe('Line number from 1; 0 means the file as a whole.'),
});

export const noticeSchema = z.strictObject({
  kind: z
    .enum([
      'added',
      'removed',
      'edited',
      'skipped',
      'ungraded',
      'error',
      'capped',
      'not-comparable',
      'ended',
      'served',
      'trust',
      'settings',
      'unused',
      'import',
      'permission',
      'repeats',
      'quarantine',
      'qualeval',
      'scoring',
    ])
    .describe('Topic of the notice.'),
  message: z.string().describe('The notice as a sentence.'),
  place: placeSchema
    .nullable()
    .describe('File and line of the cause; null if the cause is not in a file.'),
});

export const problemSchema = z.strictObject({
  place: placeSchema
    .nullable()
    .describe('File and line of the cause; null for inputs and the environment.'),
  message: z.string().describe('What is wrong, and how to fix it.'),
});
