import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemPython } from './kernels.ts';

const index = new URL('../../../../src/edges/sandbox/index.ts', import.meta.url).href;
const run = promisify(execFile);

/** A Node process whose user code answers once, prints that, and then never ends. */
const program = `
  import { createSandbox } from ${JSON.stringify(index)};
  const sandbox = createSandbox({ mode: process.argv[1], env: {}, timeoutSeconds: 600, time: 0, log: () => undefined, python: ${JSON.stringify(systemPython)} });
  const run = (loop) => sandbox.evaluate({ suite: 'p', side: 'head', language: 'python', code: 'metric = 1\\nwhile loop: pass', outputs: ['metric'], inputs: [{ loop }] });
  await run(false);
  console.log('answered');
  await run(true);`;

/** A Python program that exits as soon as all the processes have exited. */
const waitForAll = `
import os, select, sys
for pid in sys.argv[1:]:
  try: handle = os.pidfd_open(int(pid))
  except ProcessLookupError: continue
  if not select.select([handle], [], [], 30)[0]: print(pid, "lives")`;

function childrenOf(pid: number) {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path)
    ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number)
    : [];
}

/** Processor time of a process in ticks. */
function timeOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

test.each(['sandbox', 'host'])(
  'no sandbox process outlives a killed Node process (code: %s)',
  async (mode) => {
    // a killed Node process cannot remove its folder
    const folder = mkdtempSync(join(tmpdir(), 'evaldiff-orphan-'));
    const node = spawn(process.execPath, ['--input-type=module', '-e', program, mode], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, TMPDIR: folder },
    });
    await new Promise((resolve) => node.stdout.once('data', resolve));
    const [zygote] = childrenOf(node.pid!);
    const [relay] = childrenOf(zygote!);
    const [child] = childrenOf(relay!);
    const before = timeOf(child!);
    while (timeOf(child!) < before + 5) await turn(); // the user code is in its endless loop
    node.kill('SIGKILL');
    const { stdout } = await run(systemPython, [
      '-c',
      waitForAll,
      ...[zygote, relay, child].map(String),
    ]);
    rmSync(folder, { recursive: true, force: true });
    expect(stdout).toBe('');
  },
);

/** The same program, but it survives a Ctrl-C and runs its code once more. */
const patient = `${program.slice(0, program.indexOf('await run(false)'))}
  const waiting = setInterval(() => undefined, 1e6);
  process.once('SIGINT', async () => {
    console.log(JSON.stringify(await run(false)));
    await sandbox.close();
    clearInterval(waiting);
  });
  await run(false);
  console.log('answered');`;

test.each(['sandbox', 'host'])('Ctrl-C does not reach sandboxed code (code: %s)', async (mode) => {
  const node = spawn(process.execPath, ['--input-type=module', '-e', patient, mode], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  let said = '';
  const ended = new Promise((resolve) => node.once('close', resolve));
  await new Promise<void>((resolve) => {
    node.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      resolve();
    });
  });
  const [zygote] = childrenOf(node.pid!);
  // A terminal signals every process of the group.
  process.kill(-node.pid!, 'SIGINT');
  await ended;
  expect([zygote, said]).toEqual([
    expect.any(Number),
    expect.stringMatching(/^answered\n\[\{"status":"ok"/),
  ]);
});
