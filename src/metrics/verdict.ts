import { codeBlocks } from '../text/fences.ts';
import { shorten } from '../text/visible.ts';
import { LongNumber, parseExactly } from '../types/exact-json.ts';
import { isMap, jsonText, type Json } from '../types/plain.ts';
import { exactLabel, holdsLabel } from './label.ts';

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['true', 'yes'],
  ['false', 'no'],
]);

/**
 * The label in a value of a JSON reply: the label alone, or true and false for yes and no. Null for
 * anything else, such as `mostly yes`, which is not a clear verdict.
 */
export function verdictOf(value: unknown, labels: readonly string[]): string | null {
  const isScalar =
    ['string', 'number', 'boolean'].includes(typeof value) || value instanceof LongNumber;
  if (!isScalar) return null;
  const text = String(value);
  return exactLabel(text, labels) ?? exactLabel(BOOLEANS.get(text.toLowerCase()) ?? '', labels);
}

/** In JSON, a line may be part of a reason, so it is not read by itself. */
export function isJsonReply(output: string): boolean {
  const [block] = codeBlocks(output);
  return /^\s*(?:\{|\[\s*\{)/.test(block?.begins === true ? block.content : output);
}

/**
 * The JSON object of a reply, without keys that contradict each other. Ignores JSON in the middle
 * of a text, which may quote the judged answer. A remark may follow an object that begins the
 * reply, unless it holds one of the labels.
 */
export function replyObject(
  output: string,
  labels: readonly string[],
  fits: (value: Record<string, Json>) => boolean,
): Record<string, Json> | null {
  const text = output.trim();
  const block = codeBlocks(text).at(-1);
  const body = block?.ends === true ? block.content.trim() : text;
  const end = body.lastIndexOf('}') + 1;
  if (end < body.length && (!body.startsWith('{') || holdsLabel(body.slice(end), labels)))
    return null;
  const objects = objectsAtEnd(body.slice(0, end)).filter(fits);
  if (objects.length === 0) return null;
  const said = Map.groupBy(objects.flatMap(Object.entries<Json>), ([key]) => key);
  return Object.fromEntries(
    [...said.values()].flatMap(([entry, ...others]) =>
      entry !== undefined && others.every(([, value]) => jsonText(value) === jsonText(entry[1]))
        ? [entry]
        : [],
    ),
  );
}

const MOST_FAILURES = 20;

/** The objects with which a text ends, the last one first. Only blanks stand between them. */
function objectsAtEnd(text: string): Record<string, Json>[] {
  const first = text.indexOf('{');
  const whole = standsAlone(text, first) ? parseObject(text.slice(first)) : null;
  if (whole !== null) return [whole];
  const found: Record<string, Json>[] = [];
  let rest = text;
  let start = rest.lastIndexOf('{');
  for (let failures = 0; start !== -1 && failures < MOST_FAILURES;) {
    const object = standsAlone(rest, start) ? parseObject(rest.slice(start)) : undefined;
    if (object) {
      found.push(object);
      rest = rest.slice(0, start).trimEnd();
      start = rest.endsWith('}') ? rest.length : 0;
    } else if (object === null) failures++;
    start = start === 0 ? -1 : rest.lastIndexOf('{', start - 1);
  }
  return found;
}

/** Elsewhere in a line, an object may be part of a sentence that quotes it. */
function standsAlone(text: string, start: number): boolean {
  let before = start - 1;
  while (/[^\S\n\r]/.test(text.charAt(before))) before--;
  return start >= 0 && (before < 0 || /[\n\r:.!?>*}]/.test(text.charAt(before)));
}

function parseObject(text: string): Record<string, Json> | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  try {
    const value = parseExactly(text) as Json;
    if (!isMap(value)) return null;
    const repeated = repeatedKeys(text);
    return Object.fromEntries(Object.entries(value).filter(([key]) => !repeated.has(key)));
  } catch {
    return null;
  }
}

/** `JSON.parse` silently keeps the last of several equal keys. */
export function repeatedKeys(json: string): Set<string> {
  const repeated = new Set<string>();
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(JSON_TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (text === undefined) open.pop();
    else if (colon !== undefined) {
      const key = text.slice(1, -1);
      if (open.at(-1)?.has(key) === true) repeated.add(key);
      open.at(-1)?.add(key);
    }
  }
  return repeated;
}

const JSON_TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** The last words of a reply, for messages. */
export function lastWords(reply: string): string {
  const text = reply.trim();
  if (text === '') return 'an empty reply';
  const words = isJsonReply(text) ? text.replace(/\s+/g, ' ') : (text.split('\n').at(-1) ?? '');
  return JSON.stringify(shorten(words, 120));
}
