import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const Sequencer = createRequire(import.meta.url)('@jest/test-sequencer').default;

/** Tests that take half a minute or more, although some of their files are small. */
const FIRST = new RegExp(
  [
    '/full/(?:delete-feature|faults)',
    '/features/agents/(?:causes|diff|setup|workspace)',
    '/docs/pages',
    '/end-to-end/(?:command-line|forks|gallery|identity)',
    '/workbench/dev',
    '/viewer/viewer',
  ]
    .map((path) => `${path}\\.test\\.ts$`)
    .join('|'),
);

/**
 * With `--randomize`, shuffles the test files too: Jest shuffles only the tests in each file.
 * Otherwise starts the slowest first. On a new machine, Jest knows no durations and starts the
 * largest files first.
 */
export default class ShufflingSequencer extends Sequencer {
  #seed;

  constructor(options) {
    super(options);
    const { randomize, seed } = options.globalConfig;
    this.#seed = randomize === true ? seed : null;
  }

  sort(tests) {
    const rank = ({ path }) => (FIRST.test(path) ? 0 : 1);
    if (this.#seed === null) return super.sort(tests).sort((a, b) => rank(a) - rank(b));
    const places = new Map(tests.map((test) => [test, this.#placeOf(test)]));
    return [...tests].sort((a, b) => places.get(a).localeCompare(places.get(b)));
  }

  #placeOf({ path }) {
    return createHash('sha256')
      .update(`${String(this.#seed)} ${path}`)
      .digest('hex');
  }
}
