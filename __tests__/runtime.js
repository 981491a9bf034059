/**
 * The test runtime: why `npm test` does not use Jest's own.
 *
 * Jest runs each test file in a separate `vm` context. There it compiles and evaluates every
 * module that the file imports again, `src` and packages included. ES modules also need the flag
 * --experimental-vm-modules, and TypeScript needs a transform.
 *
 * This runtime lets Node import the test files, as it imports the program: Node removes the types,
 * and its compile cache is shared by all workers and by processes that tests start. Measured on the
 * 41 files of `unit/metrics` and `unit/report`, two cores: 20 s here, 26 s with
 * jest-environment-node, ES modules and a transform that removes the types. Their 1,601 tests passed
 * in both: they do not depend on this runtime.
 *
 * Three small files replace Jest's parts:
 * - `runtime.js` replaces jest-runtime: it loads files with `import()` instead of in a `vm`
 *   context. There is no `jest.mock`; edges are arguments instead.
 * - `environment.js` replaces jest-environment-node: tests share the globals of their worker, and
 *   mocks, timers, `process.exit` and environment variables are restored after each file.
 * - `globals.js` replaces `@jest/globals`, which finds `jest` in the `vm` context. Only `jest` is
 *   imported; `describe`, `test` and `expect` are globals.
 *
 * What is loaded once for a worker, and what again for each test file:
 * - once: `src`, packages and the stand-in of GitHub. A module of `src` therefore keeps its state
 *   from one test file to the next.
 * - again: the test file and its helpers in `__tests__`. If the file's first comment has
 *   `@unshared`, `src` too.
 *
 * It can go when plain Jest is as fast: when it loads ES modules without the experimental flag and
 * keeps them compiled between test files. Then delete the three files, and `testEnvironment` and
 * `runtime` in jest.config.js.
 */
import { createRequire, enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const tests = new URL('.', import.meta.url).href;
const own = new URL('..', import.meta.url).href;
// Loaded once: the first compiles GitHub's API description, the second starts git.
const shared = ['stand-ins/github/', 'stand-ins/empty-repository.ts'].map(
  (path) => new URL(path, tests).href,
);
const packages = new URL('../node_modules/', import.meta.url).href;
const globals = new URL('globals.js', import.meta.url).href;
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const loaded = new Map();

process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('.cache/evaldiff-tests', packages));
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// A module that is loaded again for each test file has that file's name as its query.
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

export default class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** Jest's own modules. The one that collects a file's tests is loaded again for each file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[HANDLERS];
    return require(path);
  }

  setGlobalsForRuntime() {
    const { moduleMocker, fakeTimersModern: timers } = this.#environment;
    globalThis[Symbol.for('evaldiff test jest')] = {
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: moduleMocker.restoreAllMocks.bind(moduleMocker),
      useFakeTimers: () => timers.useFakeTimers(),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    const { href } = pathToFileURL(path);
    const how = 'unshared' in this.#environment.pragmas ? 'unshared' : 'file';
    const times = (loaded.get(href) ?? 0) + 1;
    loaded.set(href, times);
    // In watch mode, a file needs a new name to be loaded again.
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

// Jest loads the class with `require`.
export { NativeRuntime as 'module.exports' };
