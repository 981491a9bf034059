import { z } from 'zod';
import { resultSchema, type Result } from '../../kernel/result/result.ts';
import { coverageKeys } from './result.ts';

export const coverFileSchema = z.strictObject({
  cover_version: z.literal(1).describe('Version of this format.'),
  ...resultSchema.pick({ head: true, notices: true, problems: true, usage: true }).shape,
  ...coverageKeys,
});

export type CoverFile = z.infer<typeof coverFileSchema>;

export function coverFile({ head, coverage = [], notices, problems, usage }: Result): CoverFile {
  return { cover_version: 1, head, notices, problems, usage, coverage };
}
