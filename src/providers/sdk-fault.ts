import { shorten, visibleLine } from '../text/visible.ts';
import { member, parsedJson } from '../types/plain.ts';
import { TransportError, fault, transportFault, type Fault } from './fault.ts';
import { NO_ADDRESS, httpFault } from './http-fault.ts';

/**
 * A server's wish to be left alone, read from its headers. Case-insensitive access, as `Headers`
 * gives it.
 */
interface HeaderReader {
  get(name: string): string | null;
}

/**
 * Milliseconds the server asks to wait: `retry-after-ms`, `retry-after` (seconds or an HTTP date),
 * else the reset time of a rate limit that is used up. Null when it asks for nothing that can be
 * read.
 *
 * @param now milliseconds since 1970, for dates.
 */
export function askedWait(headers: HeaderReader, now: number): number | null {
  return (
    number(headers.get('retry-after-ms'), 1) ??
    retryAfter(headers.get('retry-after'), now) ??
    exhaustedWait(headers, now)
  );
}

/** Google's wish to be left alone, in the body: `details: [{retryDelay: '34s'}]`. */
function retryDelay(body: unknown): number | null {
  const details = member(body, 'details');
  const delays = (Array.isArray(details) ? details : []).map((each) => member(each, 'retryDelay'));
  const delay = delays.find((each) => typeof each === 'string');
  return typeof delay === 'string' ? duration(delay) : null;
}

const LIMITS: readonly { remaining: string; reset: string }[] = [
  ...['requests', 'tokens'].map((what) => ({
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    remaining: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
];

/**
 * Milliseconds until the latest reset among the rate limits that have nothing left; null when none
 * is used up.
 */
export function exhaustedWait(headers: HeaderReader, now: number): number | null {
  const waits = LIMITS.flatMap(({ remaining, reset }) => {
    if (headers.get(remaining)?.trim() !== '0') return [];
    const value = headers.get(reset);
    const wait = duration(value) ?? until(value, now);
    return wait === null ? [] : [wait];
  });
  return waits.length === 0 ? null : Math.max(...waits);
}

function retryAfter(value: string | null, now: number): number | null {
  return number(value, 1000) ?? until(value, now);
}

function number(value: string | null, unit: number): number | null {
  if (value === null || !/^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(value)) return null;
  return Math.ceil(Number(value) * unit);
}

/** An HTTP or RFC 3339 date; a date in the past asks for nothing more than a new try. */
function until(value: string | null, now: number): number | null {
  // A bare number is not a date, though Date.parse would take it for a year.
  if (value === null || !/[a-z]/i.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `20ms`, `1s`, `6m0s`, `1h2m3.5s`: the form of the `x-ratelimit-reset-*` headers. */
function duration(value: string | null): number | null {
  if (value === null || value.length > 40 || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) return null;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return Math.ceil(total);
}

interface FaultContext {
  now: number;
  timeoutMs: number;
  /** Takes keys out of foreign text. */
  redact(text: string): string;
}

/** Of what a server says about an error, this much is shown. */
const SAID = 300;

const READ = 4000;

/**
 * What an error thrown by a vendor's SDK means. Both SDKs throw the same shape, `status` for an
 * answer, `cause` for none.
 */
export function sdkFault(error: unknown, { now, timeoutMs, redact }: FaultContext): Fault {
  const transport = causes(error).find((cause) => cause instanceof TransportError);
  if (transport instanceof TransportError) return transportFault(transport, timeoutMs);
  const status = member(error, 'status');
  if (typeof status !== 'number') return fault('network', 'the request could not be sent');
  const headers = headersOf(error);
  const body = member(error, 'error');
  const { code, said } = whatServerSaid(body);
  const retry = headers.get('x-should-retry');
  return httpFault({
    status,
    code,
    said: foreignLine(said, redact, SAID),
    page: /^\s*text\/html\b/i.test(headers.get('content-type') ?? ''),
    waitMs: askedWait(headers, now) ?? retryDelay(body),
    shouldRetry: retry === 'true' ? true : retry === 'false' ? false : null,
  });
}

/**
 * The failure that a reply of success tells of all the same, as OpenRouter's do: at the top, or in
 * place of the one choice; of some gateways the reply is the error. Null: it tells of none. `code`
 * says what the status would have.
 */
export function replyFault(
  data: unknown,
  { headers }: { headers: HeaderReader },
  { now, redact }: Pick<FaultContext, 'now' | 'redact'>,
): Fault | null {
  const choices = member(data, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const whole = member(data, 'error') ?? (isErrorAlone(data) ? data : null);
  const inChoice = member(choice, 'error') ?? null;
  // An error counts beside an answer too: what came may be half of it.
  const failed = inChoice ?? (isSaid(whole) ? whole : null);
  if (failed === null) return hollow(data);
  const body = inChoice === null ? data : choice;
  const given = Number(member(failed, 'code'));
  const { code, said } = whatServerSaid(body);
  return httpFault({
    status: given >= 400 && given <= 599 ? given : statusOf(code, said),
    code,
    said: foreignLine(said, redact, SAID),
    waitMs: askedWait(headers, now),
    shouldRetry: null,
  });
}

/** An error that is the whole of a reply, as gateways write it. */
function isErrorAlone(data: unknown): boolean {
  const isAnswer = ['choices', 'content', 'output', 'data', 'message'].some(
    (name) => typeof (member(data, name) ?? '') === 'object',
  );
  return (
    member(data, 'object') === 'error' ||
    (!isAnswer && ['detail', 'message'].some((name) => wordsIn(member(data, name)) !== ''))
  );
}

/** A reply in which there is nothing, where an answer was to be: the next may hold one. */
function hollow(data: unknown): Fault | null {
  const {
    choices,
    data: vectors,
    message,
  } = { ...(data as object | null) } as Record<string, unknown>;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const isEmpty =
    [choices, vectors, choice, message].includes(null) ||
    (member(choice, 'message') === null && member(choice, 'delta') === undefined) ||
    [choices, vectors].some((list) => Array.isArray(list) && list.length === 0) ||
    (typeof data === 'object' && Object.keys(data ?? {}).length === 0);
  return isEmpty ? fault('reply', 'the reply holds no answer', { retry: 'later' }) : null;
}

/** Some servers fill the member in where nothing failed: `null`, `""`, `false`, `{}`. */
function isSaid(whole: unknown): boolean {
  return typeof whole === 'object'
    ? Object.values(whole ?? {}).some((value) => value !== null && value !== '')
    : Boolean(whole);
}

/** The status that goes with a vendor's word for an error; what nothing is known of may pass. */
function statusOf(code: string, said: string): number {
  if (NO_ADDRESS.test(said)) return 404;
  if (/\b(not authenticated|unauthori[sz]ed|invalid authentication)\b/i.test(said)) return 401;
  if (/rate_limit|insufficient_quota/.test(code)) return 429;
  return /\b(invalid|unsupported|content|context_length|string_above)_|not_found/.test(code)
    ? 400
    : 500;
}

/** Foreign text as one visible line without keys. */
export function foreignLine(
  text: string,
  redact: (text: string) => string,
  length: number,
): string {
  return shorten(visibleLine(redact(shorten(text, READ)).trim()), length);
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next instanceof Error && chain.length < 5; next = next.cause)
    chain.push(next);
  return chain;
}

/**
 * `{message, code, type, param}` (Google's `status`), at the top or below `error`; some servers give the text alone,
 * Amazon's a `Message`, those that check the body against a schema a `detail`.
 */
function whatServerSaid(body: unknown): { code: string; said: string } {
  const inner = member(body, 'error') ?? body;
  if (typeof inner === 'string') return { code: '', said: inner };
  const text = (name: string): string => {
    const value = member(inner, name);
    return typeof value === 'string' ? value : '';
  };
  const said = ['message', 'detail', 'Message'].map((name) => wordsIn(member(inner, name)));
  const first = said.find((words) => words !== '') ?? '';
  const behind = saidBehind(member(inner, 'metadata'));
  return {
    code: [...['code', 'type', 'param', 'status'].map(text), behind.code].join(' ').trim(),
    said: `${first}${behind.said}`,
  };
}

/** What the server behind a gateway said, which OpenRouter passes on as it came, and whose it is. */
function saidBehind(metadata: unknown): { code: string; said: string } {
  const [raw, provider] = [member(metadata, 'raw'), member(metadata, 'provider_name')];
  if (raw === undefined) return { code: '', said: '' };
  const body = typeof raw === 'string' ? (parsedJson(raw) ?? raw) : raw;
  const { code, said } = typeof body === 'string' ? { code: '', said: body } : whatServerSaid(body);
  const from = typeof provider === 'string' ? ` (${provider})` : '';
  return { code, said: `${from}${said === '' ? '' : `: ${said}`}` };
}

/** Of a list of what is wrong with a body, as many are shown. */
const DETAILS = 5;

/** Text, or `{detail: [{loc: ['body', 'seed'], msg}]}`: `seed: Extra inputs are not permitted`. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return value === undefined ? '' : wordsIn(member(value, 'detail'));
  const words = value.slice(0, DETAILS).map((each) => {
    const loc: unknown = member(each, 'loc');
    const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
    const msg = member(each, 'msg');
    return typeof msg === 'string' ? `${place}${place === '' ? '' : ': '}${msg}` : '';
  });
  return words.filter((each) => each !== '').join('; ');
}

const NO_HEADERS: HeaderReader = { get: () => null };

function headersOf(error: unknown): HeaderReader {
  const headers = member(error, 'headers');
  return typeof member(headers, 'get') === 'function' ? (headers as HeaderReader) : NO_HEADERS;
}
