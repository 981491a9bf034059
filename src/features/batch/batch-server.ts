import type { Address } from '../../edges/providers/address.ts';
import { authOf } from '../../edges/providers/auth.ts';
import { STOPPED, fault, type Fault } from '../../edges/providers/fault.ts';
import {
  SDK_MARGIN_MS,
  createBoundedFetch,
  createStreamedFetch,
} from '../../edges/providers/fetch.ts';
import { createLimiter } from '../../edges/providers/limit.ts';
import {
  withRetries,
  type CallAttempt,
  type SharedCallSettings,
  type RetriedResult,
} from '../../edges/providers/retry.ts';
import { sdkFault } from '../../edges/providers/sdk-fault.ts';
import {
  type BatchApi,
  type BatchItem,
  type BatchServer,
  type Vendor,
} from '../../edges/providers/vendors/vendor.ts';
import { logLine } from '../../text/log.ts';

/** Aborting `signal` stops pauses between calls, but not a call that may cost money. */
interface ServerOptions extends SharedCallSettings {
  redact(text: string): string;
  proxy?: URL | null;
}

export interface ManagedServer {
  vendor: Vendor;
  api: BatchApi;
  call<T>(
    ask: (server: BatchServer) => Promise<T | null>,
    unread: string,
    mayRepeat?: (fault: Fault) => boolean,
  ): Promise<RetriedResult<T>>;
  log(line: string): void;
  close(): void;
}

/** Time limit for a call, whose body may have 256 MB, and for silence during a download. */
const CALL_MS = 600_000;

const BATCH_CONCURRENCY = { start: 2, max: 4 };

/** Connects at the first call. Batches have their own rate limiter and timeouts. */
export function createManagedServer(
  vendor: Vendor,
  api: BatchApi,
  { base, key }: Address,
  options: ServerOptions,
): ManagedServer {
  const { clock, redact } = options;
  const closing = new AbortController();
  const bounds = {
    base,
    auth: authOf(vendor, key),
    headers: vendor.facts.headers,
    proxy: options.proxy,
    timeoutMs: CALL_MS,
    clock,
    signal: closing.signal,
  };
  const bounded = createBoundedFetch(bounds);
  const download = createStreamedFetch(bounds);
  const limiter = createLimiter({ ...options, concurrency: BATCH_CONCURRENCY });
  const log = (line: string) => options.log(`${vendor.name}: ${logLine(line)}`);
  const retry = { ...options, limiter, log };
  let connected: Promise<BatchServer> | null = null;
  const connect = () =>
    (connected ??= api.connect({
      baseUrl: base.href.replace(/\/$/, ''),
      fetch: bounded.fetch,
      download: download.fetch,
      timeoutMs: CALL_MS + SDK_MARGIN_MS,
    }));
  return {
    vendor,
    api,
    log,
    call: (ask, unread, mayRepeat = () => true) =>
      withRetries(
        async () =>
          restrictRetries(
            await attempt(() => connect().then(ask), unread, { clock, redact }),
            mayRepeat,
          ),
        retry,
      ),
    close() {
      closing.abort();
      bounded.close();
      download.close();
    },
  };
}

async function attempt<T>(
  ask: () => Promise<T | null>,
  unread: string,
  { clock, redact }: Pick<ServerOptions, 'clock' | 'redact'>,
): Promise<CallAttempt<T>> {
  const started = clock.now();
  try {
    const value = await ask();
    if (value !== null) return { status: 'ok', value, latencyMs: clock.now() - started, waitMs: 0 };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      const found = sdkFault(error, { now: clock.now(), timeoutMs: CALL_MS, redact });
      return { status: 'fault', fault: found, sent: true };
    }
  }
  return { status: 'fault', fault: fault('reply', unread), sent: true };
}

function restrictRetries<T>(
  attempt: CallAttempt<T>,
  mayRepeat: (fault: Fault) => boolean,
): CallAttempt<T> {
  return attempt.status === 'ok' || mayRepeat(attempt.fault)
    ? attempt
    : { ...attempt, fault: { ...attempt.fault, retry: 'never' } };
}

/** Does not retry, because creating a batch costs money and may have succeeded without a reply. */
export async function submit(
  server: ManagedServer,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<RetriedResult<string>> {
  const uploaded = await server.call(
    (api) => api.upload(items),
    'the reply to a batch upload has no file id',
  );
  if (uploaded.status === 'fault') return uploaded;
  if (signal.aborted) return { status: 'fault', fault: STOPPED, sent: true };
  const created = await server.call(
    (api) => api.create(items, uploaded.value),
    'the reply to a batch creation has no batch id',
    ({ status }) => status !== null,
  );
  if (created.status === 'ok' || created.fault.status !== null || created.fault.kind === 'aborted')
    return created;
  return {
    ...created,
    fault: {
      ...created.fault,
      message: `${created.fault.message}; the batch may or may not have started`,
    },
  };
}
