import { z } from 'zod';
import { resultSchema } from '../../kernel/result/result.ts';
import { suiteCoverageSchema } from './result.ts';

const { head, notices, problems, usage } = resultSchema.shape;

export const coverResultSchema = z.strictObject({
  cover_version: z.literal(1).describe('Version of this format.'),
  head: head.describe('The commit or files that were examined.'),
  coverage: z.array(suiteCoverageSchema).describe('The prompts.'),
  notices,
  problems: problems.describe('Errors to fix. If any exist, nothing was examined.'),
  usage: usage.describe('Calls, tokens and dollars.'),
});

export type CoverResult = z.infer<typeof coverResultSchema>;
