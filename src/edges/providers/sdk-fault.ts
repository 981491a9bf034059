import { shorten, visibleLine } from '../../text/visible.ts';
import { MOST_LEVELS, isDeeper, isMap, member, parsedJson } from '../../types/plain.ts';
import { TransportError, fault, transportFault, type Fault } from './fault.ts';
import { NO_ADDRESS, httpFault } from './http-fault.ts';

interface HeaderReader {
  get(name: string): string | null;
}

/** Milliseconds that the server asks to wait. `now`: milliseconds since 1970. */
export function requestedWait(headers: HeaderReader, now: number): number | null {
  const seconds = headers.get('retry-after');
  return (
    parseScaled(headers.get('retry-after-ms'), 1) ??
    parseScaled(seconds, 1000) ??
    until(seconds, now) ??
    exhaustedWait(headers, now)
  );
}

/** Google puts the wait into the body: `details: [{retryDelay: '34s'}]`. */
function retryDelay(body: unknown): number | null {
  const details = member(body, 'details');
  const delays = (Array.isArray(details) ? details : []).map((each) => member(each, 'retryDelay'));
  const delay = delays.find((each) => typeof each === 'string');
  return typeof delay === 'string' ? parseDuration(delay) : null;
}

const RATE_LIMIT_HEADERS: readonly { remaining: string; reset: string }[] = [
  ...['requests', 'tokens'].map((what) => ({
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    remaining: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
];

export function exhaustedWait(headers: HeaderReader, now: number): number | null {
  const waits = RATE_LIMIT_HEADERS.flatMap(({ remaining, reset }) => {
    if (headers.get(remaining)?.trim() !== '0') return [];
    const value = headers.get(reset);
    const wait = parseDuration(value) ?? until(value, now);
    return wait === null ? [] : [wait];
  });
  return waits.length === 0 ? null : Math.max(...waits);
}

function parseScaled(value: string | null, unit: number): number | null {
  if (value === null || !/^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(value)) return null;
  return Math.ceil(Number(value) * unit);
}

function until(value: string | null, now: number): number | null {
  // Date.parse would read a bare number as a year.
  if (value === null || !/[a-z]/i.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Such as `20ms`, `1s`, `6m0s` or `1h2m3.5s`. */
function parseDuration(value: string | null): number | null {
  if (value === null || value.length > 40 || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) return null;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return Math.ceil(total);
}

interface FaultContext {
  now: number;
  timeoutMs: number;
  redact(text: string): string;
}

export const MAX_SAID_CHARS = 300;

const NO_HEADERS: HeaderReader = { get: () => null };

const MAX_BODY_CHARS = 4000;

export function sdkFault(error: unknown, { now, timeoutMs, redact }: FaultContext): Fault {
  const transport = causeChain(error).find((cause) => cause instanceof TransportError);
  if (transport instanceof TransportError) return transportFault(transport, timeoutMs);
  const status = member(error, 'status');
  if (typeof status !== 'number') return fault('network', 'the request could not be sent');
  const given = member(error, 'headers');
  const headers = typeof member(given, 'get') === 'function' ? (given as HeaderReader) : NO_HEADERS;
  const whole = member(error, 'error');
  const body = isDeeper(whole, MOST_LEVELS) ? undefined : whole;
  const { code, said } = serverMessage(body);
  const retry = headers.get('x-should-retry');
  return httpFault({
    status,
    code,
    said: foreignLine(said, redact, MAX_SAID_CHARS),
    page: /^\s*text\/html\b/i.test(headers.get('content-type') ?? ''),
    waitMs: requestedWait(headers, now) ?? retryDelay(body),
    shouldRetry: retry === 'true' ? true : retry === 'false' ? false : null,
  });
}

export function replyFault(
  data: unknown,
  { headers }: { headers: HeaderReader },
  { now, redact }: Pick<FaultContext, 'now' | 'redact'>,
): Fault | null {
  const choices = member(data, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const whole = member(data, 'error') ?? (isErrorAlone(data) ? data : null);
  const beside = member(choice, 'error');
  const inChoice = isErrorValue(beside) ? beside : null;
  const failed = inChoice ?? (isErrorValue(whole) ? whole : null);
  if (failed === null) return emptyReplyFault(data);
  const body = inChoice === null ? data : choice;
  const given = Number(member(failed, 'code'));
  const { code, said } = serverMessage(body);
  return httpFault({
    status: given >= 400 && given <= 599 ? given : statusFromCode(code, said),
    code,
    said: foreignLine(said, redact, MAX_SAID_CHARS),
    waitMs: requestedWait(headers, now),
    shouldRetry: null,
  });
}

function isErrorAlone(data: unknown): boolean {
  const isAnswer = ['choices', 'content', 'output', 'data', 'message'].some(
    (name) => typeof (member(data, name) ?? '') === 'object',
  );
  return (
    member(data, 'object') === 'error' ||
    (!isAnswer && ['detail', 'message'].some((name) => detailText(member(data, name)) !== ''))
  );
}

function emptyReplyFault(data: unknown): Fault | null {
  const [choices, vectors, message] = ['choices', 'data', 'message'].map((name) =>
    member(data, name),
  );
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const isEmpty =
    [choices, vectors, choice, message].includes(null) ||
    (isMap(choice) &&
      ['message', 'delta', 'text'].every((name) => (choice[name] ?? null) === null)) ||
    [choices, vectors].some((list) => Array.isArray(list) && list.length === 0) ||
    (typeof data === 'object' && Object.keys(data ?? {}).length === 0);
  return isEmpty ? fault('reply', 'the reply contains no answer', { retry: 'later' }) : null;
}

/** Some servers send `error` without a failure, as `null`, `""`, `false`, `{}` or `{code: 0}`. */
function isErrorValue(whole: unknown): boolean {
  return typeof whole === 'object'
    ? Object.values(whole ?? {}).some((value) => value !== null && value !== '' && value !== 0)
    : Boolean(whole);
}

function statusFromCode(code: string, said: string): number {
  if (NO_ADDRESS.test(said)) return 404;
  if (/\b(not authenticated|unauthori[sz]ed|invalid authentication)\b/i.test(said)) return 401;
  if (/rate_limit|insufficient_quota/.test(code)) return 429;
  return /\b(invalid|unsupported|content|context_length|string_above)_|not_found/.test(code)
    ? 400
    : 500;
}

export function foreignLine(
  text: string,
  redact: (text: string) => string,
  length: number,
): string {
  return shorten(visibleLine(redact(shorten(text, MAX_BODY_CHARS)).trim()), length);
}

function causeChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next instanceof Error && chain.length < 5; next = next.cause)
    chain.push(next);
  return chain;
}

function serverMessage(body: unknown): { code: string; said: string } {
  const inner = member(body, 'error') ?? body;
  if (typeof inner === 'string') return { code: '', said: inner };
  const text = (name: string) => {
    const value = member(inner, name);
    return typeof value === 'string' ? value : '';
  };
  const said = ['message', 'detail', 'Message'].map((name) => detailText(member(inner, name)));
  const first = said.find((words) => words !== '') ?? '';
  const behind = saidBehind(member(inner, 'metadata'));
  return {
    code: [...['code', 'type', 'param', 'status'].map(text), behind.code].join(' ').trim(),
    said: `${first}${behind.said}`,
  };
}

function saidBehind(metadata: unknown): { code: string; said: string } {
  const raw = member(metadata, 'raw');
  const provider = member(metadata, 'provider_name');
  if (raw === undefined) return { code: '', said: '' };
  const body = typeof raw === 'string' ? (parsedJson(raw) ?? raw) : raw;
  const { code, said } = typeof body === 'string' ? { code: '', said: body } : serverMessage(body);
  const from = typeof provider === 'string' ? ` (${provider})` : '';
  return { code, said: `${from}${said === '' ? '' : `: ${said}`}` };
}

const DETAILS = 5;

function detailText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return value === undefined ? '' : detailText(member(value, 'detail'));
  const words = value.slice(0, DETAILS).map((each) => {
    const loc: unknown = member(each, 'loc');
    const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
    const msg = member(each, 'msg');
    return typeof msg === 'string' ? `${place}${place === '' ? '' : ': '}${msg}` : '';
  });
  return words.filter((each) => each !== '').join('; ');
}
