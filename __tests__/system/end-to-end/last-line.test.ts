import {
  cacheEnvironment,
  startCacheServer,
  type CacheServer,
} from '../../stand-ins/cache-service.ts';
import { quiz, promptOf } from './projects.ts';
import { pullRequest } from './stage.ts';

const WORSE = promptOf('Be quick. Skip 1 2 3');
const REGRESSED =
  'evaldiff: failure (the gate failed). Regressed: quiz 100 → 50 %: 3 of 6 tests broke';

let cache: CacheServer | null = null;
afterEach(async () => {
  await cache?.close();
});

describe('the last line shows how the run ended and why', () => {
  test('in the log of a GitHub job, below the lines about the answer cache', async () => {
    cache = await startCacheServer();
    const { run } = await pullRequest(quiz(), WORSE, {
      env: cacheEnvironment(cache),
      shipped: true,
    });
    const said = run.log.trimEnd().split('\n');
    expect(cache.entries()).toHaveLength(1);
    expect(said.filter((line) => /^Sent \d+ of \d+/.test(line))).not.toEqual([]);
    expect(said.at(-1)).toBe(`| ${REGRESSED}`);
    expect(run.code).toBe(1);
  });
});
