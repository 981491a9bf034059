/**
 * Runs every attack of one language against a sandbox, in a process whose environment contains a
 * canary (a secret to find), and prints the results as JSON. attacks.test.ts starts it, also as
 * another user: `node attack-harness.ts '{"language": …}'`.
 */
import { createSocket } from 'node:dgram';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../../../src/edges/sandbox/index.ts';
import type { CodeResult } from '../../../../src/types/model.ts';
import type { CodeLanguage } from '../../../../src/types/plain.ts';
import { attacksOn, HASTE, isTimed, meetsLimit } from './attacks.ts';
import type { Surroundings } from './attacks.ts';

type Sandbox = ReturnType<typeof createSandbox>;

export interface HarnessOptions {
  language: CodeLanguage;
  mode: 'sandbox' | 'host';
  python: string;
  only: 'all' | 'locks' | 'works unlocked';
}
export interface HarnessReport {
  results: Record<string, CodeResult>;
  /** Result of a harmless evaluation right after each attack. */
  after: Record<string, CodeResult>;
  printed: string[];
  contacts: number;
  files: { names: string[]; writable: string };
}

const harmless: Record<CodeLanguage, string> = {
  python: 'metric = 6 * a\nresult = True',
  javascript: 'metric = 6 * a; result = true',
};

async function attackAll({ language, mode, python, only }: HarnessOptions): Promise<HarnessReport> {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-attacks-'));
  let contacts = 0;
  const listen = (where: number | string): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        contacts += 1;
        socket.on('error', () => undefined);
        socket.end('hello');
      });
      server.listen(where === 0 ? { port: 0, host: '127.0.0.1' } : { path: String(where) }, () =>
        resolve(server),
      );
    });
  const udp = createSocket('udp4', () => void (contacts += 1));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const [unixSocket, abstractSocket] = [join(folder, 'docker.sock'), `evaldiff-${process.pid}`];
  const servers = await Promise.all([0, unixSocket, `\0${abstractSocket}`].map(listen));
  const address = servers[0]?.address();
  const at: Surroundings = {
    holder: process.pid,
    folder,
    token: join(folder, 'token'),
    writable: join(folder, 'set_env'),
    port: typeof address === 'object' && address !== null ? address.port : 0,
    udpPort: udp.address().port,
    unixSocket,
    abstractSocket,
  };
  writeFileSync(at.token, process.env.EVALDIFF_CANARY ?? '');
  writeFileSync(at.writable, 'untouched');
  for (const name of [at.token, at.writable, at.unixSocket]) chmodSync(name, 0o666);
  chmodSync(folder, 0o777);

  const printed: string[] = [];
  const log = (line: string) => printed.push(line);
  const open = (timeoutSeconds: number) =>
    createSandbox({ mode, env: {}, timeoutSeconds, time: Date.UTC(2026, 0, 2), python, log });
  // Only attacks that should time out have a short limit. Otherwise, an attack that fails because
  // the machine is busy would look like a defence.
  const [hasty, patient] = [open(HASTE), open(600)];
  const one = async (sandbox: Sandbox, code: string) => {
    const place = { suite: 'p', side: 'head' } as const;
    const data = { outputs: ['metric', 'result'], inputs: [{ a: 7 }] };
    const [result] = await sandbox.evaluate({ ...place, language, code, ...data });
    return result ?? { status: 'error', cause: 'sandbox', message: 'no result' };
  };
  const results: HarnessReport['results'] = {};
  const after: HarnessReport['after'] = {};
  const chosen = Object.entries(attacksOn(language, at)).filter(
    ([, attack]) =>
      only === 'all' || (only === 'locks' ? !meetsLimit(attack) : attack.worksUnlocked),
  );
  const runAll = async (sandbox: Sandbox, some: typeof chosen) => {
    for (const [name, attack] of some) {
      results[name] = await one(sandbox, attack.code);
      after[name] = await one(sandbox, harmless[language]);
    }
  };
  const timed = chosen.filter(([, attack]) => isTimed(attack));
  const others = chosen.filter(([, attack]) => !isTimed(attack));
  await Promise.all([runAll(hasty, timed), runAll(patient, others)]);
  await Promise.all([hasty.close(), patient.close()]);
  const files = { names: readdirSync(folder).sort(), writable: readFileSync(at.writable, 'utf8') };
  for (const server of servers) server.close();
  udp.close();
  rmSync(folder, { recursive: true, force: true });
  return { results, after, printed, contacts, files };
}

const options: HarnessOptions = JSON.parse(process.argv[2] ?? '');
console.log(JSON.stringify(await attackAll(options)));
