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
  if (Array.isArray(asked['pairs'])) return queryText(asked['pairs']);
  if (typeof asked['url'] === 'string') return urlParts(asked['url'], asked['base']);
  throw new TypeError('not a question');
}

function queryText(pairs: readonly Json[]): string {
  const query = new URLSearchParams();
  for (const pair of pairs) if (Array.isArray(pair)) query.append(String(pair[0]), String(pair[1]));
  return query.toString();
}

const intlCache = new Map<string, unknown>();

function askIntl(type: string, { locales, options, method, args }: JsonMap): Json {
  const known = Object.hasOwn(SERVICES, type) ? SERVICES[type] : undefined;
  const called = String(method);
  if (known === undefined || (called !== 'resolvedOptions' && !known.includes(called)))
    throw new TypeError(`Intl.${type}.${called} is not there`);
  const key = JSON.stringify([type, locales, options]);
  const services: unknown = Intl;
  const service = intlCache.get(key) ?? create(services, type, [locales ?? LOCALE, options]);
  if (intlCache.size >= 100) intlCache.clear();
  intlCache.set(key, service);
  const given = Array.isArray(args) ? args : [];
  const value = invoke(service, called, type === 'Collator' ? given : given.map(numeric(type)));
  return toPlainJson(type === 'Segmenter' && called === 'segment' ? segments(value) : value);
}

function numeric(type: string): (value: Json, index: number) => Json {
  const takesNumber = ['NumberFormat', 'PluralRules', 'RelativeTimeFormat'].includes(type);
  return (value, index) => (takesNumber && index === 0 ? Number(value) : value);
}

function create(services: unknown, type: string, args: readonly unknown[]): unknown {
  const constructor = (services as Record<string, unknown>)[type];
  return Reflect.construct(constructor as new (...given: unknown[]) => unknown, args);
}

function invoke(service: unknown, method: string, args: readonly unknown[]): unknown {
  const called = (service as Record<string, unknown>)[method];
  return Reflect.apply(called as (...given: unknown[]) => unknown, service, args);
}

/** Drops `input`, because each segment repeats the whole text there. */
function segments(value: unknown): unknown {
  return [...(value as Iterable<Record<string, unknown>>)].map(
    ({ input: _, ...segment }) => segment,
  );
}

function toPlainJson(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
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

function urlParts(address: string, base: Json | undefined): JsonMap {
  const {
    href,
    origin,
    protocol,
    username,
    password,
    host,
    hostname,
    port,
    pathname,
    search,
    hash,
  } = new URL(address, typeof base === 'string' ? base : undefined);
  const place = { host, hostname, port, pathname, search, hash };
  return { href, origin, protocol, username, password, ...place };
}
