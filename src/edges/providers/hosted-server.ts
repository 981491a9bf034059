import { logLine } from '../../text/log.ts';
import type { Reserve } from '../../types/hold.ts';
import type { HostedTarget, Request } from '../../types/model.ts';
import type { Address, ProviderAccess } from './address.ts';
import { authOf, isCredential } from './auth.ts';
import { type Clock, pause } from './clock.ts';
import type { Fault } from './fault.ts';
import { SDK_MARGIN_MS, createBoundedFetch } from './fetch.ts';
import { createLimiter } from './limit.ts';
import type { ListMemory } from './model-list.ts';
import { type Pacer, createPacer } from './pace.ts';
import { createPrefixes } from './prefixes.ts';
import { type RefusalMemory, createRefusals } from './refusals.ts';
import type { SharedCallSettings } from './retry.ts';
import type { ReadFile } from './vendors/files.ts';
import type { Post, Vendor } from './vendors/vendor.ts';

export interface CallOptions extends SharedCallSettings, ProviderAccess {
  concurrency: { start: number; max: number };
  timeoutMs: number;
  redact(text: string): string;
  readFile: ReadFile;
  /**
   * Called before every paid attempt, including retries. Without a hold, the call ends with the
   * error `budget`.
   */
  reserve: Reserve;
  onRefused(request: Request): void;
  memory: RefusalMemory | null;
  lists?: ListMemory;
  env: Readonly<Record<string, string | undefined>>;
}

export type Server = ReturnType<typeof createServer>;

/** Shorter keys (`EMPTY`, `lm-studio`) may occur in an answer by chance. */
const MIN_SECRET_LENGTH = 16;

export function createServer(
  label: string,
  vendor: Vendor,
  address: Address,
  options: CallOptions & { keySource: string },
) {
  const { timeoutMs, clock, signal } = options;
  const { base, key, headers, apiVersion, pace } = address;
  const bounded = createBoundedFetch({
    base,
    auth: authOf(vendor, key, apiVersion !== null),
    headers: { ...vendor.facts.headers, ...headers },
    query: apiVersion === null ? undefined : `api-version=${apiVersion}`,
    proxy: address.direct ? null : options.proxy,
    timeoutMs,
    clock,
    signal,
  });
  const most = pace.concurrency ?? options.concurrency.max;
  const start = Math.min(options.concurrency.start, most);
  const limiter = createLimiter({ ...options, concurrency: { start, max: most } });
  let connected: Promise<Post> | null = null;
  const connect = (): Promise<Post> => {
    const variable = vendor.facts.baseUrlVariable;
    const inherited = options.env[variable] ?? '';
    if (inherited !== '' && inherited !== base.href)
      options.log(
        `${vendor.name}: the environment variable ${variable} is ignored; define other servers ` +
          'in the input endpoints',
      );
    return vendor.connect({
      baseUrl: base.href.replace(/\/$/, ''),
      fetch: bounded.fetch,
      timeoutMs: timeoutMs + SDK_MARGIN_MS,
    });
  };
  const log = (line: string) => options.log(`${logLine(label)}: ${line}`);
  const pacer = createPacer(clock, signal);
  pacer.tighten(pace);
  const retry = { limiter, maxTries: options.maxTries, clock, signal, random: options.random, log };
  return {
    vendor,
    label,
    retry,
    bounded,
    refusals: createRefusals(base.href, options.memory),
    prefixes: createPrefixes(),
    opening: createFirstRequests(clock, signal),
    closed: new Map<string, Fault>(),
    keySource: options.keySource,
    secrets: () => secretsOfAddress(address),
    async post() {
      // Here, so that no answer's latency includes the exchange.
      if (isCredential(key)) await key.token();
      return await (connected ??= connect());
    },
    deployments: address.deployments,
    pacer,
    paced: new Map<string, Pacer>(),
  };
}

function secretsOfAddress({ key, headers }: Address): string[] {
  const keys = isCredential(key) ? key.issued() : [key ?? ''];
  return [...keys, ...Object.values(headers)].filter((each) => each.length >= MIN_SECRET_LENGTH);
}

export function pacerOf(
  { paced }: Server,
  { model, pace }: HostedTarget,
  { clock, signal }: CallOptions,
): Pacer | null {
  const known = paced.get(model) ?? null;
  if (pace === undefined) return known;
  const pacer = known ?? createPacer(clock, signal);
  pacer.tighten(pace);
  paced.set(model, pacer);
  return pacer;
}

/** How long other requests wait for the first. A server rejects a bad request faster than this. */
const HEAD_START_MS = 2000;

/** Sends the first request of a kind alone, so that a bad key or parameter fails only once. */
function createFirstRequests(clock: Clock, signal: AbortSignal) {
  const ahead = new Map<string, Promise<void> | null>();
  return {
    async lead(names: readonly string[]): Promise<(() => void) | null> {
      for (const name of names) {
        const before = ahead.get(name) ?? null;
        if (before === null) continue;
        await before;
        return null;
      }
      const fresh = names.filter((name) => !ahead.has(name));
      if (fresh.length === 0) return () => undefined;
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const waited = pause(clock, HEAD_START_MS, either, 'head start').then(() => {
        for (const name of fresh) ahead.set(name, null);
      });
      for (const name of fresh) ahead.set(name, waited);
      return () => over.abort();
    },
  };
}
