import { z } from 'zod';
import { sideSchema } from '../kernel/result/pieces.ts';
import type { Place } from '../types/plain.ts';
import { countSchema } from '../types/usage-totals.ts';

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
      'file',
    ])
    .describe(
      'What changed, such as a line of the prompt, a sentence of a long line, or a hunk of code. ' +
        "`file`: a whole file of an agent's workspace.",
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

/** A unit on one line: of base if head has no text, else of head. */
export function lineUnit(
  kind: ChangeUnit['kind'],
  { file, line }: Place,
  texts: { base: string | null; head: string | null },
): ChangeUnit {
  return {
    kind,
    name: null,
    file,
    side: texts.head === null ? 'base' : 'head',
    lines: { from: line, to: line },
    head: { file, line },
    base_text: texts.base,
    head_text: texts.head,
  };
}

/** What both sides have of a prompt. */
export interface MergedPart<Value> {
  units: ChangeUnit[];
  /** Base's value with the units for which `has` is true. */
  compose(has: (unit: number) => boolean): Value;
}

/** A part that is replaced as a whole. If `unit` is null, both sides are equal. */
export function wholePart<Value>(
  unit: ChangeUnit | null,
  base: Value,
  head: Value,
): MergedPart<Value> {
  return {
    units: unit === null ? [] : [unit],
    compose: (has) => (unit !== null && has(0) ? head : base),
  };
}

/** Numbers the units of the parts one after another. */
export function joinParts<Values extends unknown[]>(parts: {
  [Index in keyof Values]: MergedPart<Values[Index]>;
}): MergedPart<Values> {
  let units = 0;
  const placed = parts.map((part) => {
    const first = units;
    units += part.units.length;
    return { part, first };
  });
  return {
    units: parts.flatMap((part) => part.units),
    compose: (has) =>
      placed.map(({ part, first }) => part.compose((unit) => has(first + unit))) as Values,
  };
}
