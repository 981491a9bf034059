import { shorten } from '../text/cut.ts';
import { visibleLine } from '../text/visible.ts';
import { fault, httpFault, TransportError, transportFault } from './fault.ts';
import type { Fault } from './fault.ts';
import { askedWait } from './wait.ts';
import type { HeaderReader } from './wait.ts';

export interface Reading {
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
export function sdkFault(error: unknown, { now, timeoutMs, redact }: Reading): Fault {
  const transport = causes(error).find((cause) => cause instanceof TransportError);
  if (transport instanceof TransportError) return transportFault(transport, timeoutMs);
  const status = member(error, 'status');
  if (typeof status !== 'number') return fault('network', 'the request could not be sent');
  const headers = headersOf(error);
  const { code, said } = whatServerSaid(member(error, 'error'));
  const retry = headers.get('x-should-retry');
  return httpFault({
    status,
    code,
    said: foreignLine(said, redact, SAID),
    waitMs: askedWait(headers, now),
    shouldRetry: retry === 'true' ? true : retry === 'false' ? false : null,
  });
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
 * `{message, code, type, param}`, at the top or below `error`; some servers give the text alone.
 */
function whatServerSaid(body: unknown): { code: string; said: string } {
  const inner = member(body, 'error') ?? body;
  if (typeof inner === 'string') return { code: '', said: inner };
  const text = (name: string): string => {
    const value = member(inner, name);
    return typeof value === 'string' ? value : '';
  };
  return { code: `${text('code')} ${text('type')} ${text('param')}`.trim(), said: text('message') };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function headersOf(error: unknown): HeaderReader {
  const headers = member(error, 'headers');
  return headers instanceof Headers ? headers : new Headers();
}
