import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const tests = new URL('.', import.meta.url).href;
const own = new URL('..', import.meta.url).href;
const packages = new URL('../node_modules/', import.meta.url).href;
const globals = new URL('globals.js', import.meta.url).href;
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const HANDLERS = Symbol.for('EVENT_HANDLERS');
let files = 0;

// What a test file imports below `__tests__` carries the file's number, and so is its own; where
// the file is `@unshared`, everything does but packages.
registerHooks({
  resolve(specifier, context, next) {
    const file = context.parentURL?.startsWith(own) ? new URL(context.parentURL).search : '';
    if (specifier === '@jest/globals') return { url: globals + file, shortCircuit: true };
    const found = next(specifier, context);
    return isLoadedFor(file, found.url) ? { ...found, url: found.url + file } : found;
  },
});

function isLoadedFor(file, url) {
  if (file === '' || url.includes('?')) return false;
  return file.startsWith('?unshared=')
    ? url.startsWith(own) && !url.startsWith(packages)
    : url.startsWith(tests);
}

/**
 * Jest's runtime for tests that are loaded by Node itself, as the program is: no compiler and no
 * registry of Jest's in between. `src` and packages are loaded once for all test files of a worker;
 * a test file and its helpers are loaded for it alone, and `src` too if the file's first comment
 * says `@unshared`.
 */
export default class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** Jest's own programs. The one that collects the tests of a file starts anew with each. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[HANDLERS];
    delete globalThis[TIMEOUT];
    return require(path);
  }

  setGlobalsForRuntime(found) {
    const { moduleMocker, fakeTimersModern: timers } = this.#environment;
    const jest = {
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: moduleMocker.restoreAllMocks.bind(moduleMocker),
      useFakeTimers: () => timers.useFakeTimers(),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      setTimeout: (ms) => {
        globalThis[TIMEOUT] = ms;
      },
    };
    globalThis[Symbol.for('evaldiff test globals')] = { ...found, jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    files += 1;
    const how = 'unshared' in this.#environment.pragmas ? 'unshared' : 'file';
    await import(`${pathToFileURL(path).href}?${how}=${String(files)}`);
  }

  requireModule(path) {
    return require(path);
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }
}

// Jest asks for the class by `require`.
export { NativeRuntime as 'module.exports' };
