import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { errorMessage } from '../../errors.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';

export const globalsProgram = readFileSync(new URL('./globals.js', import.meta.url), 'utf8');
export const guestProgram = readFileSync(new URL('./guest.js', import.meta.url), 'utf8');

/** Limited because each question to the host blocks the thread. */
const MAX_QUESTION_CHARS = 256 * 1024;

const SERVICES: Readonly<Record<string, readonly string[]>> = {
  Collator: ['compare'],
  NumberFormat: ['format', 'formatToParts'],
  DateTimeFormat: ['format', 'formatToParts'],
  PluralRules: ['select'],
  ListFormat: ['format'],
  RelativeTimeFormat: ['format'],
  DisplayNames: ['of'],
  Segmenter: ['segment'],
};

const DATE_METHODS = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const;

const ENCODINGS = ['utf8', 'utf-8', 'base64', 'base64url', 'hex', 'latin1', 'binary', 'ascii'];

const LOCALE = 'en-US';

export function answerHostCall(question: string): string {
  try {
    if (question.length > MAX_QUESTION_CHARS)
      throw new RangeError('the text is longer than 256 KiB');
    const asked: unknown = JSON.parse(question);
    if (!isMap(asked)) throw new TypeError('not a question');
    return JSON.stringify({ value: resolveQuestion(asked) });
  } catch (error) {
    const name = error instanceof RangeError ? 'RangeError' : 'TypeError';
    return JSON.stringify({ error: { name, message: errorMessage(error).slice(0, 300) } });
  }
}

function resolveQuestion(asked: JsonMap): Json {
  if (typeof asked['intl'] === 'string') return askIntl(asked['intl'], asked);
  if ('date' in asked) return dateText(asked);
  if (typeof asked['encode'] === 'string')
    return [...Buffer.from(asked['encode'], encodingOf(asked))];
  if (Array.isArray(asked['decode']))
    return Buffer.from(asked['decode'].map(Number)).toString(encodingOf(asked));
  if (typeof asked['query'] === 'string') return [...new URLSearchParams(asked['query'])];
  if (Array.isArray(asked['pairs']))
    return new URLSearchParams(asked['pairs'] as [string, string][]).toString();
  if (typeof asked['url'] === 'string') return urlParts(asked['url'], asked['base']);
  throw new TypeError('not a question');
}

const intlCache = new Map<string, object>();

function askIntl(type: string, { locales, options, method, args }: JsonMap): Json {
  const known = Object.hasOwn(SERVICES, type) ? SERVICES[type] : undefined;
  const called = String(method);
  if (known === undefined || (called !== 'resolvedOptions' && !known.includes(called)))
    throw new TypeError(`Intl.${type}.${called} is not there`);
  const key = JSON.stringify([type, locales, options]);
  const service =
    intlCache.get(key) ??
    Reflect.construct(Reflect.get(Intl, type) as new () => object, [locales ?? LOCALE, options]);
  if (intlCache.size >= 100) intlCache.clear();
  intlCache.set(key, service);
  const given = [args ?? []].flat();
  const takesNumber = ['NumberFormat', 'PluralRules', 'RelativeTimeFormat'].includes(type);
  const [first, ...others] = given;
  const value: unknown = Reflect.apply(
    Reflect.get(service, called) as () => unknown,
    service,
    takesNumber ? [Number(first), ...others] : given,
  );
  return toPlainJson(type === 'Segmenter' && called === 'segment' ? segments(value) : value);
}

function toPlainJson(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}

/** Drops `input`, because each segment repeats the whole text there. */
function segments(value: unknown): unknown {
  return [...(value as Iterable<Record<string, unknown>>)].map(
    ({ input: _, ...segment }) => segment,
  );
}

function dateText({ date, locales, options, method }: JsonMap): string {
  const known = DATE_METHODS.find((each) => each === method);
  if (known === undefined) throw new TypeError('not a question');
  const given = isMap(options) ? (options as Intl.DateTimeFormatOptions) : undefined;
  const language = typeof locales === 'string' ? locales : LOCALE;
  return new Date(date === null ? NaN : Number(date))[known](language, given);
}

function encodingOf({ encoding }: JsonMap): BufferEncoding {
  const name = String(encoding).toLowerCase();
  if (!ENCODINGS.includes(name)) throw new TypeError(`Unknown encoding: ${name.slice(0, 40)}`);
  return name as BufferEncoding;
}

const URL_PARTS = [
  ...(['href', 'origin', 'protocol', 'username', 'password'] as const),
  ...(['host', 'hostname', 'port', 'pathname', 'search', 'hash'] as const),
];

function urlParts(address: string, base: Json | undefined): JsonMap {
  const url = new URL(address, typeof base === 'string' ? base : undefined);
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]]));
}
