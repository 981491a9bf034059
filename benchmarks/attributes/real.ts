import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Truth } from './suites.ts';

const fileSchema = z.object({
  attributes: z.array(z.object({ kind: z.enum(['domain', 'subtask']) })),
  ratings: z.record(z.string(), z.string().regex(/^[1-5]+$/)),
});

export function realTruth(references: number): Truth {
  const file = new URL('../../fixtures/qualeval/dialogue-ratings.json', import.meta.url);
  const { attributes, ratings } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    domains: attributes.filter(({ kind }) => kind === 'domain').length,
    ratings: Object.values(ratings)
      .slice(0, references)
      .map((digits) => [...digits].map(Number)),
  };
}
