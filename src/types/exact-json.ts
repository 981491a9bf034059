/** JSON read without loss. */
export type ExactJson =
  null | boolean | number | string | LongNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number of JSON that no double holds, as written. `JSON.stringify` writes it unchanged. */
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

/** Not in the compiler's library yet; every Node that evaldiff runs on has it. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Digits enough for a number that a double may not hold; a parser with a reviver is slower. */
const MAY_BE_LONG = /[\d.]{16,}|\d[eE]/;

/** As `JSON.parse`, with numbers that no double holds as {@link LongNumber}. */
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

/** The digits of a number without zeros at either end: a double that has them all is exact. */
function significant(text: string): string {
  const digits = text
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
