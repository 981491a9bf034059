/**
 * Parts are gathered to about this many letters: one write for each would cost more than the text.
 */
const PART = 1 << 16;
/** Levels that are taken apart; what lies below them is small. */
const LEVELS = 6;

/**
 * The text of `JSON.stringify(value, null, 1)` in parts, so that a result of a hundred thousand
 * tries is never one text in memory. The same bytes.
 */
export function* jsonParts(value: unknown): Generator<string> {
  let part = '';
  for (const piece of pieces(value, 0)) {
    part += piece;
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

function* pieces(value: unknown, level: number): Generator<string> {
  const entries =
    level < LEVELS && value !== null && typeof value === 'object' ? members(value) : [];
  if (entries.length === 0) {
    yield (JSON.stringify(value, null, 1) ?? 'null').replaceAll('\n', `\n${' '.repeat(level)}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let before = `${open ?? ''}\n`;
  for (const [name, member] of entries) {
    yield `${before}${' '.repeat(level + 1)}${name === null ? '' : `${JSON.stringify(name)}: `}`;
    yield* pieces(member, level + 1);
    before = ',\n';
  }
  yield `\n${' '.repeat(level)}${close ?? ''}`;
}

function members(value: object): [string | null, unknown][] {
  if (Array.isArray(value)) return value.map((item): [null, unknown] => [null, item]);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
