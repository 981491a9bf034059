import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
const project = {
  testEnvironment: '<rootDir>/__tests__/environment.js',
  runtime: '<rootDir>/__tests__/runtime.js',
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/'],
  transform: {},
  injectGlobals: false,
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
  // Only to end what hangs: processes are slow to start where many do at once, and no test is about
  // speed.
  testTimeout: 60_000,
};
