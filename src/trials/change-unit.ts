import { z } from 'zod';
import { countSchema, sideSchema } from '../kernel/result/pieces.ts';

export const changeUnitSchema = z.strictObject({
  kind: z
    .enum([
      'line',
      'sentence',
      'moved line',
      'hunk',
      'message',
      'role',
      'parameter',
      'tool',
      'property',
      'model',
      'provider',
    ])
    .describe(
      'What is changed: a line of the prompt, a sentence of a long line, or a hunk of code, for example.',
    ),
  name: z
    .string()
    .nullable()
    .describe('The parameter, tool or property; null for lines of text and renamed properties.'),
  of: z
    .strictObject({
      parameter: z.string().describe('The parameter that has the schema.'),
      tool: z.string().nullable().describe('Name of the tool; null: not a tool.'),
    })
    .describe('The parameter, and the tool in it, that has the property.')
    .exactOptional(),
  file: z.string().describe('The file that it stands in, on `side`.'),
  side: sideSchema.describe('head; base where it only takes something away.'),
  lines: z
    .strictObject({
      from: countSchema.describe('Its first line, from 1; 0 means the file as a whole.'),
      to: countSchema.describe('Its last line.'),
    })
    .describe('Where it stands on that side.'),
  head: z
    .strictObject({
      file: z.string().describe('The file on head.'),
      line: countSchema.describe(
        'Its line on head; of what is only taken away, the line that it stood before. 0: the file.',
      ),
    })
    .describe('Where a remark on it belongs.'),
  base_text: z.string().nullable().describe('What base has; null: nothing.'),
  head_text: z.string().nullable().describe('What head has; null: nothing.'),
});

/** A change at one place that can be applied or undone separately. */
export type ChangeUnit = z.infer<typeof changeUnitSchema>;
