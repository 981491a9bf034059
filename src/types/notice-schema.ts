import { z } from 'zod';
import { NOTICE_KINDS, type Notice, type Place, type Problem } from './plain.ts';

const placeSchema = z.strictObject({
  file: z.string().describe('Path below the working directory.'),
  line: z.number().int().nonnegative().describe('Line number from 1; 0 means the file as a whole.'),
}) satisfies z.ZodType<Place>;

export const noticeSchema = z.strictObject({
  kind: z.enum(NOTICE_KINDS).describe('Topic of the notice.'),
  message: z.string().describe('The notice as a sentence.'),
  place: placeSchema
    .nullable()
    .describe('File and line of the cause; null if the cause is not in a file.'),
}) satisfies z.ZodType<Notice>;

export const problemSchema = z.strictObject({
  place: placeSchema
    .nullable()
    .describe('File and line of the cause; null for inputs and the environment.'),
  message: z.string().describe('What is wrong, and how to fix it.'),
}) satisfies z.ZodType<Problem>;
