/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  // Half of the tests wait for processes of their own: every core gets a worker.
  maxWorkers: '100%',
  // Modules that a test file loaded are never freed: a worker that grew is replaced, and none is
  // too large to end at once.
  workerIdleMemoryLimit: '1GB',
  injectGlobals: false,
  // Only to end what hangs: processes are slow to start where many do at once, and no test is about
  // speed.
  testTimeout: 60_000,
};
