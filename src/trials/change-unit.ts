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
      'swap',
      'role',
      'parameter',
      'tool',
      'property',
      'model',
      'provider',
      'file',
    ])
    .describe(
      'What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. ' +
        "`swap`: equal messages in another order. `file`: a whole file of an agent's workspace.",
    ),
  name: z
    .string()
    .nullable()
    .describe('The parameter, tool or property; null for lines of text and renamed properties.'),
  of: z
    .strictObject({
      parameter: z.string().describe('The parameter with the property.'),
      tool: z.string().nullable().describe('The tool in it; null: none.'),
    })
    .describe('Where a property belongs.')
    .exactOptional(),
  file: z.string().describe('Its file, on `side`.'),
  files: z
    .array(z.string())
    .describe('Changed files of a program, if several; absent: `file` alone.')
    .exactOptional(),
  side: sideSchema.describe('`head`; `base` if it only removes something.'),
  lines: z
    .strictObject({
      from: countSchema.describe('Its first line, from 1; 0: the whole file.'),
      to: countSchema.describe('Its last line.'),
    })
    .describe('Its place on that side.'),
  head: z
    .strictObject({
      file: z.string().describe('The file on head.'),
      line: countSchema.describe(
        'Its line on head; for removed text, the line after it. 0: the whole file.',
      ),
    })
    .describe('Where to comment on it.'),
  base_text: z.string().nullable().describe('The text on base; null: none; empty for a file.'),
  head_text: z.string().nullable().describe('The text on head; null: none; empty for a file.'),
});

/** A change at one place that can be applied or undone separately. */
export type ChangeUnit = z.infer<typeof changeUnitSchema>;
