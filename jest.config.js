import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildViewer } from './scripts/viewer.ts';

// Repositories and stores of tests are written, synced and thrown away at once: in memory, where a
// machine has room for them there, that takes a fifth less of the processor and no disk.
const MEMORY = '/dev/shm';
if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) {
  const folder = mkdtempSync(`${MEMORY}/evaldiff-tests-`);
  // As the machine's own: some tests are other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

// Tests render reports from the sources, whose page is built.
await buildViewer();

// A version manager's `python3` is a script that takes longer than Python itself to start: what it
// leads to is found once.
try {
  const find = ['-c', 'import sys; print(sys.executable)'];
  const stdio = ['ignore', 'pipe', 'ignore'];
  const python = execFileSync('python3', find, { encoding: 'utf8', stdio }).trim();
  const folders = process.env.PATH.split(delimiter);
  const shim = folders.findIndex((folder) => existsSync(join(folder, 'python3')));
  folders.splice(shim, 0, dirname(python));
  process.env.PATH = folders.join(delimiter);
} catch {
  // Without Python, the tests that need it say so.
}

function hasRoom(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 4 * 2 ** 30;
  } catch {
    return false;
  }
}

/** @type {import('jest').Config} */
const project = {
  testEnvironment: '<rootDir>/__tests__/environment.js',
  runtime: '<rootDir>/__tests__/runtime.js',
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/'],
  transform: {},
};

/** @type {import('jest').Config} */
export default {
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: ['<rootDir>/__tests__/unit/**/*.test.ts'],
    },
    {
      ...project,
      displayName: 'system',
      testMatch: ['<rootDir>/__tests__/{system,contract,stand-ins}/**/*.test.ts'],
    },
  ],
  // Half of the tests wait for processes of their own: with a worker a core, a third of the time of
  // the cores is left over.
  maxWorkers: availableParallelism() + 1,
  // What a test file loaded stays for long, and every start of a process copies the pages of the one
  // that starts it (130 ms at 600 MB, 4 at 50): a worker that grew is replaced.
  workerIdleMemoryLimit: '300MB',
  testSequencer: '<rootDir>/__tests__/sequencer.js',
  // Only to end what hangs. No test has a limit of its own: how long it takes depends on what else
  // the machine does.
  testTimeout: 10 * 60_000,
};
