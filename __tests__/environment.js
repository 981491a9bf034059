import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment for Node in a plain context. In Jest's own, every use of a global, be it `Math`
 * or `undefined`, asks a proxy: a loop that reads one runs a hundred times slower than in Node.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const plain = createContext(constants.DONT_CONTEXTIFY);
    for (const key of Reflect.ownKeys(this.global)) {
      if (!(key in plain)) copy(this.global, plain, key);
    }
    // As in Jest's own: what Node makes is an instance of what tests see.
    for (const key of ['ArrayBuffer', 'Uint8Array']) plain[key] = globalThis[key];
    plain.global = plain;
    plain.Error.stackTraceLimit = 100;
    this.moduleMocker = new this.moduleMocker.constructor(plain);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({
      config: config.projectConfig,
      global: plain,
    });
    this.context = plain;
    this.global = plain;
  }
}

/** Accessors load a part of Node (`fetch`, `crypto`): they are read at the first use. */
function copy(from, to, key) {
  const descriptor = Object.getOwnPropertyDescriptor(from, key);
  if ('value' in descriptor) return void Object.defineProperty(to, key, descriptor);
  const settle = (value) => {
    Object.defineProperty(to, key, { value, configurable: true, writable: true, enumerable: true });
    return value;
  };
  Object.defineProperty(to, key, {
    configurable: true,
    get: () => settle(from[key]),
    set: settle,
  });
}
