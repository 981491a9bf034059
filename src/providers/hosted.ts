import { logLine } from '../text/log.ts';
import type { Completion, Request, HostedTarget } from '../types/model.ts';
import { passportOf } from '../types/passports.ts';
import type { Problem } from '../types/plain.ts';
import { addressOf, keySourceOf, type ProviderAccess, type Address } from './address.ts';
import { budgetFault, fault, type Fault } from './fault.ts';
import { SDK_MARGIN_MS, createBoundedFetch } from './fetch.ts';
import type { BoundedFetch } from './http.ts';
import { GIVE_UP_AFTER_MS, createLimiter, type Limiter } from './limit.ts';
import { createOpening, type Opening } from './opening.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { createPrefixes, type Prefixes } from './prefixes.ts';
import { createRefusals, type RefusalMemory, type Refusals } from './refusals.ts';
import {
  type CallAttempt,
  type RetryOptions,
  type RunOfCalls,
  type Tried,
  withRetries,
} from './retry.ts';
import { exhaustedWait, foreignLine, replyFault, sdkFault } from './sdk-fault.ts';
import { vendors } from './vendors/index.ts';
import {
  authOf,
  type Ask,
  type VendorEndpoint,
  type Post,
  type Said,
  type Vendor,
} from './vendors/vendor.ts';

export interface CallOptions extends RunOfCalls {
  /** Calls at a time to one server (vendor and endpoint, or program). */
  concurrency: { start: number; max: number };
  /** From sending a request to the last byte of its reply, in milliseconds. */
  timeoutMs: number;
  redact(text: string): string;
  /**
   * Called before every paid attempt, repetitions included. False: it is not made, and the call
   * ends with kind `budget`.
   */
  onAttempt(request: Request): boolean;
  /** Called where an attempt was refused for something that the request can do without. */
  onRefused(request: Request): void;
}

interface HostedOptions extends CallOptions, ProviderAccess {
  /** What earlier runs learned of models; null: nothing is kept. */
  memory: RefusalMemory | null;
  env: Readonly<Record<string, string | undefined>>;
}

interface Hosted {
  complete(request: Request, target: HostedTarget): Promise<Completion>;
  limiters(): { name: string; limiter: Limiter }[];
  close(): void;
}

/** One server of a vendor: connected at its first call. */
interface Server {
  vendor: Vendor;
  label: string;
  limiter: Limiter;
  retry: RetryOptions;
  refusals: Refusals;
  prefixes: Prefixes;
  opening: Opening;
  /** What is wrong with the key, by the model that it may not ask; '': any. */
  keyFaults: Map<string, Fault>;
  /** Where the key comes from, for whoever has to change it. */
  keySource: string;
  bounded: BoundedFetch;
  post(): Promise<Post>;
  /** Azure's older addresses: each model is at a path of its own. */
  deployments: boolean;
  /** The pace that the workflow's line sets. */
  pacer: Pacer;
  /** The paces that the settings set, by model. */
  paced: Map<string, Pacer>;
}

/** Calls to the vendors' servers and to whatever speaks like them. */
export function createHosted(options: HostedOptions): Hosted {
  const servers = new Map<string, Server>();
  const serverOf = (target: HostedTarget): Server | Problem => {
    const label =
      target.endpoint === null ? target.provider : `${target.provider} (${target.endpoint})`;
    const known = servers.get(label);
    if (known !== undefined) return known;
    const address = addressOf(target, options);
    if ('message' in address) return address;
    const server = createServer(label, vendors[target.provider], address, {
      ...options,
      keySource: keySourceOf(target, options),
    });
    servers.set(label, server);
    return server;
  };
  return {
    async complete(request, target) {
      const server = serverOf(target);
      if ('message' in server) return { status: 'error', kind: 'key', message: server.message };
      const refused =
        endpointOf(server.vendor, request, target) === null
          ? `${server.vendor.name} has no embeddings`
          : server.vendor.refuses(request.parameters);
      const pacer = pacerOf(server, target, options);
      const work = (): Promise<Completion> => ask({ server, pacer }, request, target, options);
      if (refused === null) return pacer === null ? await work() : await pacer.run(work);
      return toCompletion({ status: 'fault', fault: fault('request', refused) }, server.label);
    },
    limiters: () => [...servers.values()].map(({ label, limiter }) => ({ name: label, limiter })),
    close() {
      for (const { bounded } of servers.values()) bounded.close();
    },
  };
}

function createServer(
  label: string,
  vendor: Vendor,
  address: Address,
  options: HostedOptions & { keySource: string },
): Server {
  const { timeoutMs, clock, signal } = options;
  const { base, key, headers, apiVersion, pace } = address;
  const bounded = createBoundedFetch({
    base,
    auth: authOf(vendor, key, apiVersion !== null),
    headers: { ...vendor.facts.headers, ...headers },
    query: apiVersion === null ? undefined : `api-version=${apiVersion}`,
    proxy: options.proxy,
    timeoutMs,
    clock,
    signal,
  });
  const most = pace.concurrency ?? options.concurrency.max;
  const limiter = createLimiter({
    concurrency: { start: Math.min(options.concurrency.start, most), max: most },
    giveUp: { rounds: options.maxTries, afterMs: GIVE_UP_AFTER_MS },
    clock,
    signal,
  });
  let connected: Promise<Post> | null = null;
  const connect = (): Promise<Post> => {
    const inherited = options.env[vendor.facts.baseUrlVariable] ?? '';
    if (inherited !== '' && inherited !== base.href) {
      options.log(
        `${vendor.name}: ${vendor.facts.baseUrlVariable} is set in the environment and not obeyed; other servers are named in the input endpoints`,
      );
    }
    return vendor.connect({
      baseUrl: base.href.replace(/\/$/, ''),
      fetch: bounded.fetch,
      timeoutMs: timeoutMs + SDK_MARGIN_MS,
    });
  };
  const log = (line: string): void => options.log(`${logLine(label)}: ${line}`);
  const pacer = createPacer(clock, signal);
  pacer.tighten(pace);
  const retry = { limiter, maxTries: options.maxTries, clock, signal, random: options.random, log };
  return {
    vendor,
    label,
    limiter,
    retry,
    bounded,
    refusals: createRefusals(base.href, options.memory),
    prefixes: createPrefixes(),
    opening: createOpening(clock, signal),
    keyFaults: new Map(),
    keySource: options.keySource,
    post: () => (connected ??= connect()),
    deployments: address.deployments,
    pacer,
    paced: new Map(),
  };
}

/** The pace of a model, for all that asks it here; null: none was set. */
function pacerOf(
  { paced }: Server,
  { model, pace }: HostedTarget,
  { clock, signal }: HostedOptions,
): Pacer | null {
  const known = paced.get(model) ?? null;
  if (pace === undefined) return known;
  const pacer = known ?? createPacer(clock, signal);
  pacer.tighten(pace);
  paced.set(model, pacer);
  return pacer;
}

/**
 * Asks, and asks again without what the model turns out not to know (a form of answers, a grader's
 * temperature). The first request to a server finds out alone whether its key is good, the first
 * of a kind to an unknown model what that model takes.
 */
async function ask(
  asked: Asked,
  request: Request,
  target: HostedTarget,
  options: HostedOptions,
): Promise<Completion> {
  const { server } = asked;
  await server.refusals.recall(target);
  let refused = 0;
  for (;;) {
    const open = server.refusals.open(request);
    const release = await server.opening.lead(open === null ? [KEY] : [KEY, open]);
    if (release === null) continue;
    const completion = await askOnce(asked, request, target, options).finally(release);
    if (completion === null) {
      refused += 1;
      options.onRefused(request);
      continue;
    }
    if (open !== null && completion.status === 'ok') server.refusals.accept(open);
    return refused === 0 ? completion : { ...completion, refused };
  }
}

/** A server, and the pace at which one of its models is asked. */
interface Asked {
  server: Server;
  pacer: Pacer | null;
}

/** What the first request to a server finds out. */
const KEY = 'key';

/** Null: the model refused something that the request can do without. */
async function askOnce(
  { server, pacer }: Asked,
  request: Request,
  target: HostedTarget,
  options: HostedOptions,
): Promise<Completion | null> {
  const { model } = target;
  const { refusals, keyFaults, label } = server;
  const locked = keyFaults.get('') ?? keyFaults.get(model);
  if (locked !== undefined) return toCompletion({ status: 'fault', fault: locked }, label);
  const wanted = refusals.without(request);
  const { messages: marked, done } = server.prefixes.mark(wanted, target);
  const sent = marked === null ? wanted : { ...wanted, marked };
  const tried = await withRetries(() => attempt(server, sent, { request, target }, options), {
    ...server.retry,
    async turn() {
      await server.pacer.turn();
      await pacer?.turn();
    },
  });
  done(tried.status === 'ok');
  if (tried.status === 'ok') return toCompletion(tried, label);
  const { fault: found } = tried;
  if (found.kind === 'key') {
    const fault = { ...found, message: `${found.message}; ${server.keySource}` };
    // Without a valid key nothing can be asked; what one model does not allow, another may.
    keyFaults.set(found.status === 401 ? '' : model, fault);
    return toCompletion({ status: 'fault', fault }, label);
  }
  const refused = refusals.learn(found, request, wanted);
  if (refused === null) return toCompletion(tried, label);
  if (refused.first)
    server.retry.log(`model ${logLine(model)} refuses ${refused.what}; asking without it`);
  return null;
}

async function attempt(
  server: Server,
  wanted: Ask,
  { request, target }: { request: Request; target: HostedTarget },
  options: HostedOptions,
): Promise<CallAttempt<Said>> {
  const { clock, timeoutMs, redact } = options;
  if (!options.onAttempt(request)) return { status: 'fault', fault: budgetFault(), sent: false };
  const started = clock.now();
  try {
    const post = await server.post();
    const endpoint = endpointOf(server.vendor, request, target) ?? server.vendor;
    const response = await post(endpoint.body(wanted), pathOf(server, endpoint, target));
    const text = await response.text();
    const data = parsed(text);
    const now = clock.now();
    const failure = replyFault(data, response, { now, redact });
    if (failure !== null) return { status: 'fault', fault: failure, sent: true };
    const answer = endpoint.read(data, wanted);
    if (answer === null)
      return {
        status: 'fault',
        fault: unreadable(endpoint, { response, text, redact }, data === undefined),
        sent: true,
      };
    if (answer.kind === 'withheld')
      return {
        status: 'fault',
        fault: fault('filtered', 'the answer was withheld by the content filter'),
        sent: true,
      };
    return {
      status: 'ok',
      value: answer,
      latencyMs: now - started,
      waitMs: exhaustedWait(response.headers, now) ?? 0,
    };
  } catch (error) {
    return {
      status: 'fault',
      fault: unproxied(sdkFault(error, { now: clock.now(), timeoutMs, redact }), options),
      sent: true,
    };
  }
}

/** Where the vendor answers such a request; null when it has nothing of the kind. */
function endpointOf(
  vendor: Vendor,
  { purpose }: Request,
  target: HostedTarget,
): Vendor | VendorEndpoint | null {
  if (purpose === 'embedding') return vendor.embeddings;
  return passportOf(target)?.api === 'responses' ? vendor.responses : vendor;
}

function pathOf(
  { deployments }: Server,
  endpoint: Vendor | VendorEndpoint,
  { model }: HostedTarget,
): string | undefined {
  const path = 'path' in endpoint ? endpoint.path : undefined;
  return deployments
    ? `/deployments/${encodeURIComponent(model)}${path ?? '/chat/completions'}`
    : path;
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/** Whoever is behind a proxy that only the environment names would look for the fault elsewhere. */
function unproxied(found: Fault, { env, proxy }: Pick<HostedOptions, 'env' | 'proxy'>): Fault {
  if (found.kind !== 'network' || proxy) return found;
  const set = PROXY_VARIABLES.find((name) => (env[name] ?? '') !== '');
  return set === undefined
    ? found
    : {
        ...found,
        message: `${found.message}; ${set} is not obeyed: name the proxy in the input proxy (in a terminal --proxy)`,
      };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A reply that is no JSON at all was cut or is somebody else's, and may be a better one next time. */
function unreadable(
  { replyName }: Pick<Vendor, 'replyName'>,
  { response, text, redact }: { response: Response; text: string; redact(text: string): string },
  passing: boolean,
): Fault {
  const type = foreignLine(
    (response.headers.get('content-type') ?? '').split(';')[0] ?? '',
    redact,
    60,
  );
  return fault(
    'reply',
    `the reply is not a ${replyName} (${type || 'no content type'}, ${Buffer.byteLength(text)} bytes)`,
    passing ? { retry: 'later' } : {},
  );
}

function toCompletion(tried: Tried<Said>, label: string): Completion {
  if (tried.status === 'fault')
    return { status: 'error', kind: tried.fault.kind, message: `${label}: ${tried.fault.message}` };
  const { output, finish_reason, tool_calls, usage, cached } = tried.value;
  return {
    status: 'ok',
    output,
    finish_reason,
    tool_calls,
    usage,
    ...(cached === undefined ? {} : { cached }),
    latency_ms: Math.max(0, Math.round(tried.latencyMs)),
    reused: false,
  };
}
