import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import type { HarnessOptions, HarnessReport } from './attack-harness.ts';
import { attacksOn, meetsLimit } from './attacks.ts';
import { pythonWithout, systemPython } from './kernels.ts';

const canary = 'sk-canary-0b1f6b0e';
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);
const harness = new URL('attack-harness.ts', import.meta.url).pathname;
const files = { token: '', writable: '', folder: '', unixSocket: '', abstractSocket: '' };
const nowhere = { holder: 1, port: 0, udpPort: 0, ...files };
const folder = temporaryFolder('kernels');
chmodSync(folder, 0o755);

async function attack(options: HarnessOptions, user: 'own' | 'nobody') {
  const identity = user === 'nobody' ? { uid: nobody, gid: nobody } : {};
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const { stdout } = await run(process.execPath, [harness, JSON.stringify(options)], {
    ...identity,
    cwd: tmpdir(),
    env: { PATH, NODE_COMPILE_CACHE, EVALDIFF_CANARY: canary },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout) as HarnessReport;
}

/** An attack also fails if the kernel cannot load the module that it needs. */
const notLoaded = /can be imported only with code: host/;

function judge(
  report: HarnessReport,
  { language, only }: Pick<HarnessOptions, 'language' | 'only'>,
  seccompOnly = false,
) {
  const attacks = Object.entries(attacksOn(language, nowhere)).filter(
    ([, attack]) => only === 'all' || !meetsLimit(attack),
  );
  expect(Object.keys(report.results).sort()).toEqual(attacks.map(([name]) => name).sort());
  for (const [name, { ends }] of attacks) {
    const result = report.results[name]!;
    const ended = result.status === 'error' ? result.message : 'a value';
    const asItMust =
      ends === null
        ? result.status === 'ok'
        : ends.test(ended) || (seccompOnly && notLoaded.test(ended));
    expect({ name, asItMust, ended }).toEqual({ name, asItMust: true, ended });
    const after = { status: 'ok', values: { metric: 42, result: true } };
    expect({ name, after: report.after[name] }).toEqual({ name, after });
  }
  expect(JSON.stringify(report)).not.toContain(canary);
  expect(report.contacts).toBe(0);
  const names = ['docker.sock', 'set_env', 'token'];
  expect(report.files).toEqual({ names, writable: 'untouched' });
}

const users = (['own', 'nobody'] as const).filter((user) => user === 'own' || isRoot);
const python = { language: 'python', mode: 'sandbox', python: systemPython } as const;

describe.each(users)('attacks on the Python sandbox, as the user: %s', (user) => {
  // Limits of time and memory do not depend on the user or kernel, so only one test runs into them.
  test('read no planted secret, reach no socket and write no file', async () => {
    const options = { ...python, only: user === 'own' ? 'all' : 'locks' } as const;
    judge(await attack(options, user), options);
  });

  test('also fail on a kernel without Landlock', async () => {
    const unlocked = pythonWithout('landlock', folder);
    const options = { ...python, python: unlocked, only: 'locks' } as const;
    judge(await attack(options, user), options, true);
  });
});

test('attacks on the JavaScript sandbox read no secret, reach no socket and write no file', async () => {
  const options = { ...python, language: 'javascript', only: 'all' } as const;
  judge(await attack(options, 'own'), options);
});

describe('the same attacks without confinement (code: host)', () => {
  test('succeed, which is why the sandbox is needed', async () => {
    const report = await attack({ ...python, mode: 'host', only: 'works unlocked' }, 'own');
    const failed = Object.entries(report.results).filter(([, result]) => result.status === 'error');
    expect(failed).toEqual([]);
    expect(JSON.stringify(report.results["reads the holder's environment"])).toContain(canary);
    expect(JSON.stringify(report.results['reads a token file'])).toContain(canary);
    expect(report.contacts).toBeGreaterThan(0);
    expect(report.files.writable).toBe('untouchedEVIL=1\n');
  });
});
