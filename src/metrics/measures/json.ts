import { parse } from 'yaml';
import { codeIn } from '../../text/fences.ts';
import { shorten } from '../../text/visible.ts';
import {
  LongNumber,
  exactNumber,
  parseExactly,
  type ExactJson as Json,
  type ExactJson,
} from '../../types/exact-json.ts';
import { isMap } from '../../types/plain.ts';
import { decimalOf, decimalText, exactly, isNear } from './decimal.ts';
import { AS_WRITTEN, normaliseText } from './normalise.ts';
import { jsonNumber } from './numbers.ts';
import { maximumPairs } from './pairing.ts';

export const extractions = ['raw', 'fenced', 'first', 'objects'] as const;

type Extraction = (typeof extractions)[number];

const MAX_DEPTH = 200;

type ParsedJson = { ok: true; value: Json } | { ok: false; reason: string };

const JSON_LANGUAGES = ['json', 'jsonc', 'json5'];

/** Takes linear time, because the modes `first` and `objects` stop after 20 opening brackets. */
export function parseJson(text: string, extraction: Extraction): ParsedJson {
  if (extraction === 'objects') {
    const [value] = parseObjects(text);
    return value === undefined
      ? { ok: false, reason: 'the answer contains no object' }
      : { ok: true, value };
  }
  const whole = extraction === 'raw' ? text : (codeIn(text, JSON_LANGUAGES) ?? text);
  const candidates = extraction === 'first' ? [whole, ...balancedParts(text)] : [whole];
  let reason = 'the answer is not JSON';
  for (const candidate of candidates) {
    if (isTooDeep(candidate))
      return { ok: false, reason: `the JSON is nested deeper than ${MAX_DEPTH} levels` };
    try {
      return { ok: true, value: parseExactly(candidate) };
    } catch {
      reason = candidate.trim() === '' ? 'the answer is empty, not JSON' : 'the answer is not JSON';
    }
  }
  return { ok: false, reason };
}

const MAX_OBJECT_CHARS = 100_000;

export function parseObjects(text: string): Json[] {
  const found: Json[] = [];
  let from = text.indexOf('{');
  for (let attempts = 0; from !== -1 && attempts < 20; attempts++) {
    const { end, open } = closingBrace(text, from);
    const value = lenient(text.slice(from, end) + '}'.repeat(open));
    if (value !== null) found.push(value);
    from = text.indexOf('{', value === null ? from + 1 : end);
  }
  return found;
}

function closingBrace(text: string, start: number) {
  const last = Math.min(text.length, start + MAX_OBJECT_CHARS);
  let open = 0;
  for (let index = start; index < last; index++) {
    if (text[index] === '{') open++;
    else if (text[index] === '}') open--;
    if (open === 0) return { end: index + 1, open };
  }
  return { end: last, open };
}

const LENIENT = { maxAliasCount: 0, logLevel: 'silent', uniqueKeys: false } as const;

function exactInteger(_: unknown, value: unknown): unknown {
  return typeof value === 'bigint' ? exactNumber(String(value)) : value;
}

function lenient(text: string): Json {
  if (isTooDeep(text)) return null;
  for (const read of [
    () => parseExactly(text),
    () => parse(text, exactInteger, { ...LENIENT, intAsBigInt: true }) as Json,
  ]) {
    try {
      const value = read();
      return isMap(value) ? value : null;
    } catch {}
  }
  return null;
}

function balancedParts(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let attempts = 0; attempts < 20; attempts++) {
    const start = from + text.slice(from).search(/[{[]/);
    if (start < from) break;
    const end = closing(text, start);
    if (end !== -1) found.push(text.slice(start, end + 1));
    from = end === -1 ? start + 1 : end + 1;
  }
  return found;
}

/** The brackets outside of strings, each with the number of brackets that are open after it. */
function* brackets(text: string, from = 0): Generator<{ index: number; depth: number }> {
  let depth = 0;
  let inString = false;
  for (let index = from; index < text.length; index++) {
    const char = text.charAt(index);
    if (inString) {
      if (char === '\\') index++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if ('[]{}'.includes(char)) {
      depth += char === '[' || char === '{' ? 1 : -1;
      yield { index, depth };
    }
  }
}

function closing(text: string, start: number): number {
  for (const { index, depth } of brackets(text, start)) if (depth === 0) return index;
  return -1;
}

function isTooDeep(text: string): boolean {
  for (const { depth } of brackets(text)) if (depth > MAX_DEPTH) return true;
  return false;
}

/** Sorts keys and composes characters (NFC), so that equal values give equal text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object')
    return normaliseText(JSON.stringify(value), AS_WRITTEN);
  if (value instanceof LongNumber) {
    const number = jsonNumber(value);
    return number === null ? value.text : decimalText(number);
  }
  return `{${[...composed(value)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`)
    .join(',')}}`;
}

export const STRICT: JsonMatchOptions = {
  ignore_keys: [],
  abs_tol: 0,
  ignore_order: false,
  ignore_extra: false,
  ignore_case: false,
};

export interface JsonMatchOptions {
  ignore_keys: string[];
  abs_tol: number;
  ignore_order: boolean;
  ignore_extra: boolean;
  ignore_case: boolean;
}

interface JsonDifference {
  /** Keys, and positions in lists from 0. */
  path: (string | number)[];
  actual: Json | undefined;
  expected: Json | undefined;
}

/** `share`: the mean agreement of the parts of maps and lists. */
export function compareJson(
  actual: Json,
  expected: Json,
  options: JsonMatchOptions,
): { share: number; differences: JsonDifference[] } {
  const pairs = childPairs(actual, expected, options);
  if (pairs === null) {
    const share = wholeAgreement(actual, expected, options);
    return { share, differences: share === 1 ? [] : [{ path: [], actual, expected }] };
  }
  let sum = 0;
  const differences = pairs.flatMap(({ key, given, wanted }): JsonDifference[] => {
    if (given === undefined || wanted === undefined)
      return [{ path: [key], actual: given, expected: wanted }];
    const found = compareJson(given, wanted, options);
    sum += found.share;
    return found.differences.map((each) => ({ ...each, path: [key, ...each.path] }));
  });
  return { share: pairs.length === 0 ? 1 : sum / pairs.length, differences };
}

/** Of values whose parts are not compared one by one. */
function wholeAgreement(actual: Json, expected: Json, options: JsonMatchOptions): number {
  if (!Array.isArray(actual) || !Array.isArray(expected))
    return scalarsAgree(actual, expected, options) ? 1 : 0;
  const size = options.ignore_extra ? expected.length : Math.max(actual.length, expected.length);
  return size === 0 ? 1 : sharedEntries(actual, expected, options) / size;
}

interface ChildPair {
  /** A key, or a position in a list. */
  key: string | number;
  given: Json | undefined;
  wanted: Json | undefined;
}

/** Null if the parts are not compared one by one. */
function childPairs(
  actual: Json,
  expected: Json,
  { ignore_keys, ignore_extra, ignore_order }: JsonMatchOptions,
): ChildPair[] | null {
  if (isMap(actual) && isMap(expected)) {
    const given = composed(actual);
    const wanted = composed(expected);
    return [...new Set([...wanted.keys(), ...(ignore_extra ? [] : given.keys())])]
      .filter((key) => !ignore_keys.includes(key))
      .map((key) => ({ key, given: given.get(key), wanted: wanted.get(key) }));
  }
  if (!Array.isArray(actual) || !Array.isArray(expected) || ignore_order) return null;
  const longer = ignore_extra || expected.length >= actual.length ? expected : actual;
  return longer.map((_, key) => ({ key, given: actual[key], wanted: expected[key] }));
}

function composed(map: { [key: string]: Json }): Map<string, Json> {
  return new Map(
    Object.entries(map).map(([key, value]) => [normaliseText(key, AS_WRITTEN), value] as const),
  );
}

/**
 * Counts shared entries in any order. With tolerances, each pair of entries must be compared. If
 * there are too many pairs, equal entries are paired first.
 */
function sharedEntries(actual: Json[], expected: Json[], options: JsonMatchOptions): number {
  const agree = (given: Json, wanted: Json) => compareJson(given, wanted, options).share === 1;
  const open = Map.groupBy(actual, canonical);
  const unmatched = expected.filter((entry) => open.get(canonical(entry))?.pop() === undefined);
  if (unmatched.length > 0 && actual.length * expected.length <= PAIR_LIMIT)
    return maximumPairs(actual, expected, agree).size;
  const left = [...open.values()].flat();
  const equal = expected.length - unmatched.length;
  return unmatched.length * left.length > PAIR_LIMIT
    ? equal
    : equal + maximumPairs(left, unmatched, agree).size;
}

/** Two lists of 50,000 entries would need billions of comparisons. */
const PAIR_LIMIT = 250_000;

const MOST_SAFE = Number.MAX_SAFE_INTEGER;

function scalarsAgree(
  actual: Json,
  expected: Json,
  { abs_tol, ignore_case }: JsonMatchOptions,
): boolean {
  const number = actual === expected ? null : jsonNumber(actual);
  if (number !== null) {
    const isLarge = actual instanceof LongNumber || Math.abs(Number(actual)) > MOST_SAFE;
    const wanted =
      isLarge && typeof expected === 'string' ? decimalOf(expected) : jsonNumber(expected);
    return wanted !== null && isNear(number, wanted, exactly(abs_tol));
  }
  if (typeof actual === 'string' && typeof expected === 'string') {
    const options = { ...AS_WRITTEN, ignore_case };
    return normaliseText(actual, options) === normaliseText(expected, options);
  }
  return actual === expected;
}

export function differencesText(differences: readonly JsonDifference[]): string {
  return listed(differences.map(differenceText), ', ');
}

const MOST_SHOWN = 4;

export function listed(entries: readonly string[], separator = '; '): string {
  const more = entries.length - MOST_SHOWN;
  const shown = entries.slice(0, MOST_SHOWN);
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(separator);
}

function differenceText({ path, actual, expected }: JsonDifference): string {
  const place = path.length === 0 ? 'it' : `\`${differencePath(path)}\``;
  if (actual === undefined) return `${place} missing`;
  if (expected === undefined) return `${place} not expected`;
  return `${place} is ${valueText(actual)}, not ${valueText(expected)}`;
}

function differencePath(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
    )
    .join('');
}

function valueText(value: ExactJson): string {
  return shorten(JSON.stringify(value), 60);
}
