import { userError } from '../../errors.ts';
import { isDeeper, MOST_LEVELS, parseMap, type JsonMap } from '../../types/plain.ts';

/** UTF-16 units. Only one object is in memory at a time. */
const MAX_OBJECT = 64 << 20;

const IN_STRING = /\\[^]|["\n]/g;
const IN_OBJECT = /["{}[\]\n]/g;
const BETWEEN_OBJECTS = /\S|\n/g;

interface Scan {
  /** What begins with the current object, if there is one. */
  text: string;
  /** How much of the text was scanned. */
  at: number;
  line: number;
  startLine: number;
  depth: number;
  /** Depth of the objects: 1 in an array, otherwise 0. */
  base: number;
  inString: boolean;
}

/**
 * Yields the objects of a JSONL file, or the elements of a file that is one JSON array.
 * @throws UserError at the line where the first invalid object begins
 */
export async function* jsonObjects(
  file: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<{ line: number; value: JsonMap }> {
  const scan: Scan = { text: '', at: 0, line: 1, startLine: 1, depth: 0, base: 0, inString: false };
  const parse = (text: string | null) => {
    const line = scan.startLine;
    const value = text === null ? null : parseMap(text);
    if (value !== null && !isDeeper(value, MOST_LEVELS)) return { line, value };
    throw userError(
      { file, line },
      'begins something that is not valid JSON, is cut off or has more than 64 MB; a file of ' +
        'traces has one object per line (JSONL), or is one array of objects',
    );
  };
  for await (const text of texts) {
    scan.text += text;
    for (const object of scanObjects(scan)) yield parse(object);
    if (scan.text.length > MAX_OBJECT) parse(null);
  }
  if (scan.depth > 0) parse(null);
}

/** Yields null for what cannot be JSON. */
function* scanObjects(scan: Scan): Generator<string | null> {
  const { text } = scan;
  let start = 0;
  for (;;) {
    const isBetween = scan.depth === scan.base;
    const signs = signsIn(scan);
    signs.lastIndex = scan.at;
    const found = signs.exec(text);
    if (found === null) break;
    const [sign] = found;
    scan.at = signs.lastIndex;
    if (isBetween) start = found.index;
    if (sign === '\n') scan.line += 1;
    if (!isSign(sign, scan)) yield null;
    if (!isBetween && scan.depth === scan.base) yield text.slice(start, scan.at);
  }
  if (scan.depth === scan.base) start = scan.at = text.length;
  scan.text = text.slice(start);
  scan.at -= start;
}

function signsIn({ inString, depth, base }: Scan): RegExp {
  if (inString) return IN_STRING;
  return depth === base ? BETWEEN_OBJECTS : IN_OBJECT;
}

/** Returns false for a sign that must not be there. */
function isSign(sign: string, scan: Scan): boolean {
  if (sign === '\n') return !scan.inString;
  if (scan.inString) scan.inString = sign !== '"';
  else if (scan.depth > scan.base) {
    if (sign === '"') scan.inString = true;
    else scan.depth += '{['.includes(sign) ? 1 : -1;
  } else if (sign === '{') {
    scan.depth += 1;
    scan.startLine = scan.line;
  } else if (sign === '[' && scan.base === 0) scan.base = scan.depth = 1;
  else if (sign === ']' && scan.base === 1) scan.base = scan.depth = 0;
  else {
    scan.startLine = scan.line;
    return sign === ',' && scan.base === 1;
  }
  return true;
}
