import { shorten } from '../text/cut.ts';
import { visibleLine } from '../text/visible.ts';

/**
 * A model's text as one line of at most `length` UTF-16 units, without characters that nobody sees.
 */
export function oneLine(text: string, length: number): string {
  return shorten(
    visibleLine(
      text
        .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    length,
  );
}
