import config from './jest.config.js';

const [, system] = config.projects;

// Those that run the action as a step, and whose subject is the commits and files that it reads.
const steps = [
  ...['causes', 'code', 'events', 'fixes', 'forks', 'hostile', 'merged', 'origins'],
  ...['pull-request', 'workspace'],
].map((name) => `<rootDir>/__tests__/system/end-to-end/${name}.test.ts`);

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
      testMatch: [...steps, '<rootDir>/__tests__/full/git-situations.test.ts'],
      testEnvironmentOptions: { env: { EVALDIFF_WORKSPACE: 'empty' } },
    },
    {
      ...system,
      displayName: 'full',
      testMatch: ['<rootDir>/__tests__/full/**/*.test.ts'],
    },
  ],
};
