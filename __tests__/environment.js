import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const exit = process.exit;

/** The Jest environment for tests that share their worker's globals; see `runtime.js`. */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }, { docblockPragmas }) {
    this.pragmas = docblockPragmas;
    this.variables = projectConfig.testEnvironmentOptions.env ?? {};
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    Object.assign(process.env, this.variables);
  }

  /** Restores what a test file mocked or set, before the next one. */
  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    process.exit = exit;
    for (const name of Object.keys(this.variables)) delete process.env[name];
  }

  getVmContext() {
    return null;
  }
}
