import { createRequire, enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const tests = new URL('.', import.meta.url).href;
const own = new URL('..', import.meta.url).href;
// The one compiles GitHub's description, which takes longer than most files of tests; the other
// starts git.
const shared = ['stand-ins/github/', 'stand-ins/empty-repository.ts'].map(
  (path) => new URL(path, tests).href,
);
const packages = new URL('../node_modules/', import.meta.url).href;
const globals = new URL('globals.js', import.meta.url).href;
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const loaded = new Map();

// Types are taken out of a file, and it is compiled, once for all workers, runs, and processes that
// tests start.
process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('.cache/evaldiff-tests', packages));
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// What a test file imports below `__tests__`, but for what is shared, carries the file's name, and
// so is its own; where the file is `@unshared`, everything does but packages.
registerHooks({
  resolve(specifier, context, next) {
    const file = context.parentURL?.startsWith(own) ? queryOf(context.parentURL) : '';
    if (specifier === '@jest/globals') return { url: globals + file, shortCircuit: true };
    const found = next(specifier, context);
    return isLoadedFor(file, found.url) ? { ...found, url: found.url + file } : found;
  },
});

function queryOf(url) {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
}

function isLoadedFor(file, url) {
  if (file === '' || url.includes('?')) return false;
  return file.startsWith('?unshared=')
    ? url.startsWith(own) && !url.startsWith(packages)
    : url.startsWith(tests) && !shared.some((each) => url.startsWith(each));
}

/**
 * Jest's runtime for tests that are loaded by Node itself, as the program is: no compiler and no
 * registry of Jest's in between. `src`, packages and what is `shared` are loaded once for all test
 * files of a worker; a test file and its other helpers are loaded for it alone, and `src` too if
 * the file's first comment says `@unshared`.
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
    const { href } = pathToFileURL(path);
    const how = 'unshared' in this.#environment.pragmas ? 'unshared' : 'file';
    const times = (loaded.get(href) ?? 0) + 1;
    loaded.set(href, times);
    // A file that is watched is loaded again by another name.
    const again = times === 1 ? '' : `&again=${String(times)}`;
    await import(`${href}?${how}=${href.slice(tests.length)}${again}`);
    flushCompileCache();
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
