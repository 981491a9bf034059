import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default;

/** With `--randomize`, shuffles the test files too: Jest shuffles only the tests in each file. */
export default class ShufflingSequencer extends Sequencer {
  #seed;

  constructor(options) {
    super(options);
    const { randomize, seed } = options.globalConfig;
    this.#seed = randomize === true ? seed : null;
  }

  sort(tests) {
    if (this.#seed === null) return super.sort(tests);
    const places = new Map(tests.map((test) => [test, this.#placeOf(test)]));
    return [...tests].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }

  #placeOf({ path }) {
    return createHash('sha256')
      .update(`${String(this.#seed)} ${path}`)
      .digest('hex');
  }
}
