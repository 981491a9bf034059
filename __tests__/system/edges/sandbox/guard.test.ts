import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const guard = new URL('../../../../src/edges/sandbox/index.ts', import.meta.url).href;
const python = '/usr/bin/python3';

/** Output of a node process that runs `before`, then gets SIGUSR1 from a child of the same user. */
async function signalled(before: string) {
  const program = `
    import { spawnSync } from 'node:child_process';
    import inspector from 'node:inspector';
    ${before}
    setInterval(() => { if (inspector.url() !== undefined) { console.log('inspector'); process.exit(); } }, 5);
    spawnSync(${JSON.stringify(python)}, ['-c', 'import os, signal; os.kill(os.getppid(), signal.SIGUSR1)']);`;
  const args = ['--inspect-port=0', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return (await text(child.stdout)).trim();
}

test("without guardProcess(), a signal from any process of the same user opens Node's inspector", async () => {
  expect(await signalled('')).toBe('inspector');
});

test("with guardProcess(), a signal from a process of the same user does not open Node's inspector", async () => {
  // The second listener ends the process. It is added after the count, so that it does not count as
  // a guard.
  const before = `
    import { guardProcess } from ${JSON.stringify(guard)};
    guardProcess();
    const guards = process.listenerCount('SIGUSR1');
    process.on('SIGUSR1', () => { console.log(guards, inspector.url()); process.exit(); });`;
  expect(await signalled(before)).toBe('1 undefined');
});
