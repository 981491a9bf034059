import { z } from 'zod';
import { sideSchema } from '../kernel/result/pieces.ts';
import { countSchema } from '../types/usage-totals.ts';

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
    .describe(
      'Name of the parameter, tool or property. Null for lines of text and renamed properties.',
    ),
  of: z
    .strictObject({
      parameter: z.string().describe('The parameter that contains the property.'),
      tool: z
        .string()
        .nullable()
        .describe('The tool that contains the property. Null if none does.'),
    })
    .describe('The parameter or tool that contains the property.')
    .exactOptional(),
  file: z.string().describe('The changed file, on `side`.'),
  files: z
    .array(z.string())
    .describe('Changed files of a program. Absent if only `file` changed.')
    .exactOptional(),
  side: sideSchema.describe(
    'Side of `file` and `lines`: `base` if text was only removed, else `head`.',
  ),
  lines: z
    .strictObject({
      from: countSchema.describe('First line, from 1. 0 for the whole file.'),
      to: countSchema.describe('Last line.'),
    })
    .describe('The changed lines on `side`.'),
  head: z
    .strictObject({
      file: z.string().describe('The file on head.'),
      line: countSchema.describe(
        'The line on head. For removed text, the line after it. 0 for the whole file.',
      ),
    })
    .describe('Where to comment on the change.'),
  base_text: z
    .string()
    .nullable()
    .describe('The text on base. Null if base has none, empty for a whole file.'),
  head_text: z
    .string()
    .nullable()
    .describe('The text on head. Null if head has none, empty for a whole file.'),
});

/** A part of a change that can be applied or undone separately. */
export type ChangeUnit = z.infer<typeof changeUnitSchema>;
