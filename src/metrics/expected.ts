import type { Json } from '../types.ts';

/**
 * A value of the file as the text an answer is compared with: the number 8 is `8`, maps and lists
 * are JSON.
 */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The texts that count as right: each entry of a list, or the one value. */
export function alternatives(expected: Json): string[] {
  return Array.isArray(expected) ? expected.map(asText) : [asText(expected)];
}

/** `"a"`, or `one of "a", "b"`, cut so that a reason stays one line. */
export function quoteAlternatives(texts: readonly string[]): string {
  const quoted = texts.slice(0, 5).map((text) => JSON.stringify(excerpt(text, 80)));
  const more = texts.length > 5 ? ', …' : '';
  return texts.length === 1 ? quoted.join('') : `one of ${quoted.join(', ')}${more}`;
}

/** At most `limit` characters of a text, never half of a surrogate pair. */
export function excerpt(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end =
    text.charCodeAt(limit - 1) >= 0xd800 && text.charCodeAt(limit - 1) <= 0xdbff
      ? limit - 1
      : limit;
  return `${text.slice(0, end)}…`;
}
