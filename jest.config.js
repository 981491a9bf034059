/** @type {import('jest').Config} */
const project = {
  testEnvironment: '<rootDir>/__tests__/environment.js',
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
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
  // Half of the tests wait for processes of their own: every core gets a worker.
  maxWorkers: '100%',
  // Modules that a test file loaded are never freed: a worker that grew is replaced, and none is
  // too large to end at once.
  workerIdleMemoryLimit: '1GB',
  // Only to end what hangs: processes are slow to start where many do at once, and no test is about
  // speed.
  testTimeout: 60_000,
};
