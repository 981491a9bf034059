import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Readable, Duplex } from 'node:stream';
import { networkHosts, isPublicAddress } from '../suite/network.ts';
import { CANARY_NAME, canarySpotter } from './canary.ts';
import { MAX_WORKSPACE_BYTES } from './files.ts';
import { diskUsage } from './folders.ts';
import { INSIDE, PORTS } from './mounts.ts';
import { startInside, type WalledJob, type WalledProcess } from './walls.ts';

export interface RunPlace extends Pick<
  WalledJob,
  'kind' | 'folder' | 'own' | 'readable' | 'cover'
> {
  network: 'off' | readonly string[];
  canary: string | null;
}

export interface InsideJob {
  command: readonly string[];
  /** Added to the variables HOME, TMPDIR and PATH. The sandbox searches a PATH given here first. */
  env: Readonly<Record<string, string>>;
  /** Path of the gateway's socket. Null means no network at all. */
  gateway: string | null;
  seconds: number;
  signal?: AbortSignal | undefined;
  onLine?(line: string): void;
  /** When stdin ends, the process has two seconds to exit. */
  stdin?: Readable | undefined;
}

export interface InsideRun {
  /**
   * `input`: killed two seconds after stdin ended. `time`, `output`, `size`: killed at that limit.
   */
  ended: 'exit' | 'input' | 'time' | 'output' | 'size' | 'stopped';
  code: number | null;
  stdout: string;
  stderr: string;
  isCanarySeen: boolean;
}

const MAX_OUTPUT_CHARS = 32 * 1024 * 1024;
const INPUT_GRACE_MS = 2000;

export async function runInside(place: RunPlace, job: InsideJob): Promise<InsideRun> {
  const { folder, readable, network, canary } = place;
  const hosts = networkHosts(network);
  const proxy = hosts.length === 0 ? null : join(folder, 'proxy');
  const opened = proxy === null ? null : await openProxy(hosts, proxy);
  const certificates = proxy === null ? {} : certificateFiles();
  try {
    const walled = await startInside({
      ...place,
      command: job.command,
      readable: [...readable, ...Object.values(certificates)],
      sockets: { gateway: job.gateway, proxy },
      env: {
        ...BASE,
        ...(proxy !== null && { ...PROXIED, ...certificates }),
        ...(canary !== null && { [CANARY_NAME]: canary }),
        ...job.env,
      },
    });
    return await follow(walled, place, job);
  } finally {
    opened?.close();
  }
}

const PROXY_ENV = `http://127.0.0.1:${PORTS.proxy}`;
const LOCAL = '127.0.0.1,localhost';
const HOME = INSIDE.home;
const TMPDIR = INSIDE.tmp;
const BASE = { HOME, TMPDIR, LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb', CI: '1' };
const PROXIED = {
  HTTPS_PROXY: PROXY_ENV,
  https_proxy: PROXY_ENV,
  NO_PROXY: LOCAL,
  no_proxy: LOCAL,
  NODE_USE_ENV_PROXY: '1',
};

/** Authorities that this machine trusts in addition, such as that of a company's proxy. */
function certificateFiles(): Record<string, string> {
  const files = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].map(
    (name) => [name, process.env[name] ?? ''] as const,
  );
  return Object.fromEntries(
    files.flatMap(([name, file]) => (existsSync(file) ? [[name, realpathSync(file)]] : [])),
  );
}

async function follow(
  walled: WalledProcess,
  { folder, canary }: RunPlace,
  job: InsideJob,
): Promise<InsideRun> {
  let ended: InsideRun['ended'] = 'exit';
  const stop = (why: InsideRun['ended']) => {
    if (ended === 'exit') ended = why;
    walled.kill();
  };
  const timers = [setTimeout(() => stop('time'), job.seconds * 1000)];
  const onAbort = () => stop('stopped');
  job.signal?.addEventListener('abort', onAbort);
  if (job.signal?.aborted === true) onAbort();
  const output = collectOutput(walled, canary, job, () => stop('output'));
  const { stdin } = walled.child;
  const afterInput = () => timers.push(setTimeout(() => stop('input'), INPUT_GRACE_MS));
  if (job.stdin === undefined || stdin === null) stdin?.end();
  else job.stdin.on('end', afterInput).pipe(stdin);
  const unwatch = watchSize(folder, () => stop('size'));
  try {
    const { code } = await walled.ended;
    return { ended, code: ended === 'exit' ? code : null, ...output() };
  } finally {
    timers.forEach((timer) => clearTimeout(timer));
    job.signal?.removeEventListener('abort', onAbort);
    unwatch();
  }
}

function collectOutput(
  { child }: WalledProcess,
  canary: string | null,
  { onLine }: InsideJob,
  tooMuch: () => void,
): () => Pick<InsideRun, 'stdout' | 'stderr' | 'isCanarySeen'> {
  const texts = { stdout: '', stderr: '' };
  let line = '';
  const take = (name: 'stdout' | 'stderr', piece: string) => {
    if (texts[name].length > MAX_OUTPUT_CHARS) return;
    texts[name] += piece;
    if (texts[name].length > MAX_OUTPUT_CHARS) tooMuch();
    if (name === 'stderr') return;
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    for (const each of lines) onLine?.(each);
  };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (piece: string) => take(name, piece));
  child.stdout?.on('end', () => {
    if (line !== '') onLine?.(line);
  });
  const spots = canarySpotter(canary);
  return () => ({ ...texts, isCanarySeen: spots(texts.stdout) || spots(texts.stderr) });
}

const WATCH_MS = 250;

/** The folder is measured whenever free space has dropped by this much. */
const WATCHED_BYTES = 64_000_000;

function watchSize(folder: string, over: () => void): () => void {
  let most = 0;
  let isMeasuring = false;
  const look = async () => {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    most = Math.max(most, free);
    if (isMeasuring || most - free < WATCHED_BYTES) return;
    most = free;
    isMeasuring = true;
    if ((await diskUsage(folder)) > MAX_WORKSPACE_BYTES) over();
    isMeasuring = false;
  };
  const timer = setInterval(() => void look().catch(() => undefined), WATCH_MS);
  return () => clearInterval(timer);
}

interface Reach {
  addressesOf(host: string): Promise<readonly string[]>;
  isAllowed(address: string): boolean;
}

const PUBLIC: Reach = {
  addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: (address) => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return isPublicAddress(address) && !own.some((each) => each.address === address);
  },
};

/**
 * Opens a CONNECT proxy that reaches only the hosts of `network`, by default on port 443, and only
 * at public addresses.
 */
export async function openProxy(
  hosts: readonly string[],
  socket: string,
  { addressesOf, isAllowed }: Reach = PUBLIC,
): Promise<{ close(): void }> {
  const allowed = new Set(hosts.map(withPort));
  const tunnels = new Set<Duplex>();
  const server = createServer((_, response) => {
    response.writeHead(403).end('Only CONNECT to the hosts of `network` is allowed.\n');
  });
  const open = async (url: string, near: Duplex, head: Buffer) => {
    const { hostname, port } = new URL(`tcp://${withPort(url)}`);
    const found = allowed.has(withPort(url)) ? await addressesOf(hostname).catch(() => []) : [];
    const host = found.find(isAllowed);
    if (host === undefined) {
      near.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    // Connects to the checked address, because the name may resolve differently now.
    const far = connect({ host, port: Number(port) }, () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.write(head);
      far.pipe(near).pipe(far);
    });
    tunnels.add(far);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  };
  server.on('connect', ({ url = '' }: IncomingMessage, near: Duplex, head: Buffer) => {
    tunnels.add(near.on('error', () => near.destroy()));
    void open(url, near, head).catch(() => near.destroy());
  });
  await once(server.listen(socket), 'listening');
  server.on('error', () => undefined);
  return {
    close: () => {
      server.close();
      for (const tunnel of tunnels) tunnel.destroy();
    },
  };
}

const withPort = (host: string): string =>
  (/:\d+$/.test(host) ? host : `${host}:443`).toLowerCase();
