import { recordingKey } from '../../../../src/app/session/request-key.ts';
import { secretsIn } from '../../../../src/edges/providers/address.ts';
import type { Clock, Sleep } from '../../../../src/edges/providers/clock.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import type { ProviderOptions, Providers } from '../../../../src/edges/providers/index.ts';
import { createRedactor } from '../../../../src/text/redact.ts';
import { partsOf, textOf, type Part, type ToolCall } from '../../../../src/types/answer.ts';
import type { Reserve } from '../../../../src/types/hold.ts';
import type { Completion, Message, Request } from '../../../../src/types/model.ts';
import type { Json } from '../../../../src/types/plain.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { perVendor } from '../../../../src/types/vendors.ts';
import { startModelServer, vendorUrls } from '../../../stand-ins/models/server.ts';
import type { ModelServer, Script } from '../../../stand-ins/models/server.ts';

export const KEY = 'sk-live-51fgTY7qqPPab90XYZ';
export const TIMEOUT_MS = 120_000;
export const START = Date.parse('2026-01-02T03:04:05Z');
/** Sleeps that end only when a test calls `expire`. */
const HELD: readonly Sleep[] = ['deadline', 'head start', 'silence'];

export interface TestClock extends Clock {
  /** Duration of each skipped sleep, in milliseconds. */
  pauses: number[];
  /** Advances the clock and ends the held sleeps that are due. */
  expire(ms: number): void;
  /** Number of held deadlines. */
  open(): number;
}

/** A fake clock that skips every sleep except the given kinds, which it holds. */
export function testClock(kinds: readonly Sleep[] = HELD): TestClock {
  let now = START;
  const held = new Set<{ at: number; what: Sleep; end(): void }>();
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    sleep(ms, signal, what) {
      if (!kinds.includes(what)) {
        pauses.push(ms);
        now += ms;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const entry = { at: now + ms, what, end: resolve };
        held.add(entry);
        signal.addEventListener(
          'abort',
          () => {
            held.delete(entry);
            resolve();
          },
          { once: true },
        );
      });
    },
    open: () => [...held].filter(({ what }) => what === 'deadline').length,
    expire(ms) {
      now += ms;
      for (const entry of [...held].filter(({ at }) => at <= now)) {
        held.delete(entry);
        entry.end();
      }
    },
  };
}

export function options(
  overrides: Partial<ProviderOptions> = {},
): ProviderOptions & { clock: Clock } {
  const given = {
    keys: perVendor(() => KEY),
    endpoints: new Map(),
    concurrency: { start: 4, max: 8 },
    timeoutMs: TIMEOUT_MS,
    maxTries: 5,
    signal: new AbortController().signal,
    env: {},
    programEnv: [],
    clock: testClock(),
    random: () => 0,
    log: () => {},
    recordingKey,
    checkout: () => Promise.reject(new Error('no checkout in this test')),
    readRecording: () => Promise.reject(new Error('no recording in this test')),
    readFile: () => Promise.reject(new Error('no file in this test')),
    reserve: async (requests: readonly Request[]) => requests.map(() => ({ settle() {} })),
    onRefused: () => {},
    register: () => {},
    memory: null,
    ...overrides,
  };
  return { redact: createRedactor(secretsIn(given)), ...given };
}

export interface Setting {
  server: ModelServer;
  providers: Providers;
  clock: TestClock;
  log: string[];
  ask(request?: Partial<Request> & { model?: string }): Promise<Completion>;
  close(): Promise<void>;
}

/** A scripted vendor server, and providers that send requests to it instead of the real host. */
export async function setUp(
  vendor: VendorName,
  answer: Script,
  overrides: Partial<ProviderOptions> = {},
  key?: string,
): Promise<Setting> {
  const server = await startModelServer(key === undefined ? { answer } : { answer, key });
  const clock = testClock();
  const log: string[] = [];
  const providers = createProviders(
    options({ clock, log: (line) => log.push(line), vendorUrls: vendorUrls(server), ...overrides }),
  );
  return {
    server,
    providers,
    clock,
    log,
    ask: (request = {}) => providers.complete(requestTo(vendor, request)),
    async close() {
      await providers.close();
      await server.close();
    },
  };
}

export function requestTo(
  vendor: VendorName,
  { model = 'model-1', ...request }: Partial<Request> & { model?: string } = {},
): Request {
  return {
    target: { provider: vendor, endpoint: null, model },
    parameters: {},
    messages: says('hello'),
    try: 0,
    schema: null,
    purpose: 'prompt',
    ...request,
  };
}

export function says(...contents: string[]): Message[] {
  return contents.map((content) => ({ role: 'user', content }));
}

export const answerSchema: { name: string; json: { [key: string]: Json } } = {
  name: 'verdict',
  json: {
    type: 'object',
    properties: { choice: { type: 'string' } },
    required: ['choice'],
    additionalProperties: false,
  },
};

export function errorOf(completion: Completion): { kind: string; message: string } {
  if (completion.status !== 'error')
    throw new Error(`an answer where an error was expected: ${textOf(completion).slice(0, 200)}`);
  return { kind: completion.kind, message: completion.message };
}

/** Resolves once `condition` holds; checks it after each turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

export const said = (text: string, calls: ToolCall[] = []): { parts: Part[] } => ({
  parts: partsOf(text, calls),
});

/** Reserves for requests while the condition holds. */
export const reserveWhile =
  (may: (request: Request) => boolean): Reserve =>
  (requests) => {
    const refused = requests.findIndex((request) => !may(request));
    const count = refused === -1 ? requests.length : refused;
    return Promise.resolve(Array.from({ length: count }, () => ({ settle: () => undefined })));
  };
