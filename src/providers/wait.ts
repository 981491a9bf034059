/**
 * A server's wish to be left alone, read from its headers. Case-insensitive access, as `Headers`
 * gives it.
 */
export interface HeaderReader {
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
  // A bare number is no date, though Date.parse would take it for a year.
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
