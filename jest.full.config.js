import { execFileSync } from 'node:child_process';
import config from './jest.config.js';

const [, system] = config.projects;

// Those that run the action as a step.
const steps = execFileSync('grep', [
  '-rlE',
  'onPullRequest|runOn|runAction',
  '__tests__/system',
  '__tests__/full',
])
  .toString()
  .split('\n')
  .filter((path) => path.endsWith('.test.ts'));

/**
 * What `npm run test:full` runs beside `npm test`: tests in further situations, and tests that take
 * too long for every day (`__tests__/full`).
 *
 * @type {import('jest').Config}
 */
export default {
  ...config,
  projects: [
    {
      ...system,
      displayName: 'empty workspace',
      testMatch: steps.map((path) => `<rootDir>/${path}`),
      testEnvironmentOptions: { env: { EVALDIFF_WORKSPACE: 'empty' } },
    },
    {
      ...system,
      displayName: 'full',
      testMatch: ['<rootDir>/__tests__/full/**/*.test.ts'],
    },
  ],
};
