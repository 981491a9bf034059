export type ExactJson =
  null | boolean | number | string | LongNumber | ExactJson[] | { [key: string]: ExactJson };

/** A JSON number that a double cannot represent. `JSON.stringify` writes its source text. */
export class LongNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** The compiler's library lacks this function, but all supported Node versions have it. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Only texts that match may contain long numbers. They are parsed with a reviver, which is slow.
 */
const MAY_BE_LONG = /[\d.]{16,}|\d[eE]/;

export function parseExactly(text: string): ExactJson {
  if (!MAY_BE_LONG.test(text)) return JSON.parse(text) as ExactJson;
  const revive = (_: string, value: ExactJson, context?: { source: string }): ExactJson =>
    typeof value === 'number' ? exactNumber(context?.source ?? String(value)) : value;
  return JSON.parse(text, revive) as ExactJson;
}

export function exactNumber(text: string): number | LongNumber {
  const value = Number(text);
  return significant(text) === significant(String(value)) ? value : new LongNumber(text);
}

function significant(text: string): string {
  const digits = text
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
