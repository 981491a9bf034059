export interface Cut {
  text: string;
  /** Characters (code points) left out; 0 when nothing was. */
  left: number;
}

/**
 * The first `limit` characters (code points, so never half a surrogate pair), and how many were
 * left out. Linear.
 */
export function cut(text: string, limit: number): Cut {
  if (text.length <= limit) return { text, left: 0 };
  let end = 0;
  let kept = 0;
  while (kept < limit && end < text.length) {
    end += widthAt(text, end);
    kept += 1;
  }
  let left = 0;
  for (let index = end; index < text.length; index += widthAt(text, index)) left += 1;
  return { text: text.slice(0, end), left };
}

/** `text` in at most `length` UTF-16 units, the last of them `…` when something is missing. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 1) return '';
  const end = length - 1;
  // A cut after a high surrogate would leave half a character.
  return `${text.slice(0, end > 0 && widthAt(text, end - 1) === 2 ? end - 1 : end)}…`;
}

/** ` (1,234 more characters)`, or nothing. */
export function cutNote(left: number): string {
  if (left === 0) return '';
  return ` (${left.toLocaleString('en-US')} more character${left === 1 ? '' : 's'})`;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
