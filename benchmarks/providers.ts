/**
 * Time and memory that evaldiff's provider layer adds to model calls. Makes CALLS calls to a local
 * server in a separate process, which answers each after LATENCY_MS. The heap is kept small, as in
 * the action and the command line. The ideal is CALLS × LATENCY_MS / CONCURRENCY. The row
 * `node:http` makes the same calls without the provider layer: the limit of this machine and
 * server.
 *
 *   npx node benchmarks/providers.ts run [calls] [latency in ms] [concurrency]
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { recordingKey, requestKey } from '../src/app/session/request-key.ts';
import { keepHeapSmall } from '../src/app/session/runtime.ts';
import { createProviders } from '../src/edges/providers/index.ts';
import { createOnce } from '../src/edges/providers/once.ts';
import type { VendorName } from '../src/types/vendors/names.ts';
import { factsOf, perVendor } from '../src/types/vendors.ts';
import { rounded, table } from './measure/markdown.ts';

interface Figures {
  caller: string;
  start: number;
  ms: number;
  ideal_ms: number;
  ratio: number;
  cpu_ms: number;
  peak_rss_mb: number;
  failed: number;
}

const [calls = 10_000, latencyMs = 50, concurrency = 50] = process.argv.slice(3).map(Number);

async function serve(): Promise<void> {
  const { startModelServer } = await import('../__tests__/stand-ins/models/server.ts');
  const server = await startModelServer({
    answer: () => ({
      text: 'an answer of a usual length for a short question',
      delayMs: latencyMs,
    }),
  });
  // The test server keeps all requests. Here they would only use memory.
  setInterval(() => {
    server.requests.length = 0;
  }, 100);
  process.send?.(server.url);
}

const SDK = "openai's SDK alone";

type Call = (index: number) => Promise<boolean>;

async function measure(caller: string, start: number): Promise<Figures> {
  keepHeapSmall();
  const child = fork(fileURLToPath(import.meta.url), [
    'serve',
    String(calls),
    String(latencyMs),
    String(concurrency),
  ]);
  const url = await new Promise<string>((resolve) => {
    child.once('message', (message) => resolve(String(message)));
  });
  const { call, close } =
    caller === 'node:http'
      ? bare(url)
      : caller === SDK
        ? sdk(url)
        : edge(caller as VendorName, start, url);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const answered = await Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  await close();
  child.kill();
  const ideal = (calls * latencyMs) / concurrency;
  return {
    caller,
    start,
    ms: Math.round(ms),
    ideal_ms: ideal,
    ratio: Math.round((ms / ideal) * 1000) / 1000,
    cpu_ms: Math.round((user + system) / 1000),
    peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    failed: answered.filter((ok) => !ok).length,
  };
}

const messages = (index: number): { role: 'user'; content: string }[] => [
  { role: 'user', content: `Question ${index}: what is ${index} + ${index}?` },
];

function edge(
  vendor: VendorName,
  start: number,
  url: string,
): { call: Call; close(): Promise<void> } {
  const providers = createProviders({
    keys: perVendor(() => 'key'),
    endpoints: new Map(),
    vendorUrls: perVendor((name) => (factsOf(name).speaks === 'anthropic' ? url : `${url}/v1`)),
    concurrency: { start, max: concurrency },
    timeoutMs: 60_000,
    maxTries: 5,
    signal: new AbortController().signal,
    checkout: () => Promise.reject(new Error('no program here')),
    readRecording: () => Promise.reject(new Error('no recording here')),
    readFile: () => Promise.reject(new Error('no file here')),
    recordingKey,
    reserve: (requests) => Promise.resolve(requests.map(() => ({ settle() {} }))),
    redact: (text) => text,
    register: () => undefined,
    onRefused: () => undefined,
    memory: null,
    env: {},
    programEnv: [],
    random: Math.random,
    log: console.error,
    clock: { now: () => Date.now(), sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
  });
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const complete = createOnce(providers.complete, {
    keyOf: (request) => requestKey(request, sha),
    answers: 'keep',
  });
  const call: Call = async (index) => {
    const { status } = await complete({
      target: { provider: vendor, endpoint: null, model: 'model' },
      parameters: { temperature: 0 },
      messages: messages(index),
      try: 0,
      schema: null,
      purpose: 'prompt',
    });
    return status === 'ok';
  };
  return { call, close: providers.close };
}

function bare(url: string): { call: Call; close(): Promise<void> } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const call: Call = (index) =>
    new Promise((resolve) => {
      const body = JSON.stringify({ model: 'model', temperature: 0, messages: messages(index) });
      const request = http.request(
        `${url}/v1/chat/completions`,
        {
          method: 'POST',
          agent,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode === 200));
        },
      );
      request.on('error', () => resolve(false));
      request.end(body);
    });
  return { call, close: () => Promise.resolve(agent.destroy()) };
}

/** The vendor's client with its default `fetch`, at the same concurrency. */
function sdk(url: string): { call: Call; close(): Promise<void> } {
  const client = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });
  let before: Promise<unknown>[] = [];
  const call: Call = async (index) => {
    const slot = index % concurrency;
    const one = (before[slot] ?? Promise.resolve()).then(() =>
      client.chat.completions.create({ model: 'model', temperature: 0, messages: messages(index) }),
    );
    before[slot] = one;
    return (await one).choices.length > 0;
  };
  return {
    call,
    close: async () => {
      before = [];
    },
  };
}

/** Runs each measurement in a separate process, because peak memory is per process. */
async function measureApart(caller: string, start: number): Promise<Figures> {
  const child = fork(fileURLToPath(import.meta.url), [
    'measure',
    String(calls),
    String(latencyMs),
    String(concurrency),
    caller,
    String(start),
  ]);
  return await new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Figures));
  });
}

function report(figures: Figures): void {
  if (process.send === undefined) return console.table([figures]);
  process.send(figures);
  process.disconnect();
}

switch (process.argv[2]) {
  case 'serve':
    await serve();
    break;
  case 'measure':
    report(await measure(String(process.argv[6]), Number(process.argv[7])));
    break;
  default: {
    const figures = [
      await measureApart('node:http', concurrency),
      await measureApart(SDK, concurrency),
      await measureApart('openai', concurrency),
      await measureApart('openai', 8),
      await measureApart('anthropic', concurrency),
    ];
    console.log(
      [
        `Each row makes ${rounded(calls)} calls once, at most ${String(concurrency)} at a time, to a server on loopback that answers after ${String(latencyMs)} ms. The ideal time is ${rounded((calls * latencyMs) / concurrency / 1000)} s. \`node:http\` makes the calls with`,
        `nothing around them, so it shows what the machine and the server allow. "${SDK}" is the SDK with its default \`fetch\`. The other rows use the part of`,
        'evaldiff that calls the models, without the rest of a run.',
        '',
        table(
          [
            'caller',
            'begins with',
            'took, s',
            'times ideal',
            'processor per call, ms',
            'peak memory, MB',
          ],
          figures.map(({ caller, start, ms, ratio, cpu_ms, peak_rss_mb }) => [
            caller,
            String(start),
            rounded(ms / 1000),
            rounded(ratio),
            rounded(cpu_ms / calls),
            rounded(peak_rss_mb),
          ]),
        ),
      ].join('\n'),
    );
    if (figures.some(({ failed }) => failed > 0)) throw new Error('calls failed');
  }
}
