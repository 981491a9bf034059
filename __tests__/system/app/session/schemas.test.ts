import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSchemaChecker } from '../../../../src/app/session/schemas.ts';
import type { Clock } from '../../../../src/edges/providers/clock.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import { parseExactly } from '../../../../src/types/exact-json.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { builtIn, sample, tools } from '../../../unit/metrics/samples.ts';

const open: ReturnType<typeof createSchemaChecker>[] = [];
function checker(seconds: number, halted: () => boolean = () => false, clock?: Clock) {
  const made = createSchemaChecker(seconds, halted, clock);
  open.push(made);
  return made;
}
afterAll(() => Promise.all(open.map((one) => one.close())));

/**
 * A clock for worker threads. `passing` says, for each thread start and check in order, whether its
 * deadline passes.
 */
function timeOf(...passing: boolean[]): Clock {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms, signal) {
      if (passing.shift() !== true) return once(signal, 'abort').then(() => undefined);
      await sleep(100);
      now += ms;
    },
  };
}

/** Each definition checks the one below twice, so a long list is checked 2⁴⁰ times. */
const doubling = Array.from({ length: 40 }, (_, index): [string, Json] => {
  const below = { $ref: `#/$defs/d${index}` };
  return [`d${index + 1}`, { allOf: [below, below] }];
});
const flood = Array.from({ length: 1000 }, (_, index) => index);
const UNIQUE = {
  uniqueItems: true,
  if: { minItems: 1000 },
  then: { $ref: '#/$defs/d40' },
  $defs: { d0: { minItems: 1 }, ...Object.fromEntries(doubling) },
};

describe('a JSON schema from a repository', () => {
  test('gives the same result in a thread as on the main thread', async () => {
    const { check } = checker(600);
    const schema = { $defs: { n: { type: 'integer' } }, items: { $ref: '#/$defs/n' } };
    const values: Json[] = [[1, 2], [1, 'x'], ...Array.from({ length: 150 }, () => [3])];
    const findings = await check(schema, values);
    expect(findings.slice(0, 2)).toEqual([
      { status: 'checked', wrong: null },
      { status: 'checked', wrong: '/1 must be integer' },
    ]);
    expect(findings).toHaveLength(152);
  });

  test('compares long numbers exactly as written, also in a thread', async () => {
    const number = parseExactly('2512292042121000001');
    const schema = { const: number as unknown as Json };
    expect(await checker(600).check(schema, [number, 2512292042121000000, [number]])).toEqual([
      { status: 'checked', wrong: null },
      { status: 'checked', wrong: 'the JSON must be equal to constant' },
      { status: 'checked', wrong: 'the JSON must be equal to constant' },
    ]);
  });

  test('that refers to itself endlessly is an error, in the main thread and in a worker', async () => {
    const message = 'the schema refers to itself ($ref) in an endless loop';
    for (const checkSchema of [undefined, checker(600).check]) {
      const [score] = await scoreMetric(
        builtIn('json_schema', { schema: { $ref: '#' } }),
        [sample('{}')],
        tools({ checkSchema }),
      );
      expect(score).toMatchObject({ status: 'error', reason: message });
    }
  });

  test('that takes too long is stopped: its answer gets an error and other answers are judged', async () => {
    // All together; then, each after a thread start, the first two and the last.
    const time = timeOf(false, true, false, false, true, false, false);
    const { check } = checker(2, undefined, time);
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 10);
    const findings = await check(UNIQUE, [[1, 1], flood, [1, 2]]);
    clearInterval(clock);
    expect(findings).toEqual([
      { status: 'checked', wrong: expect.stringContaining('must NOT have duplicate items') },
      { status: 'error', message: 'the check of the schema took longer than 2 s and was stopped' },
      { status: 'checked', wrong: null },
    ]);
    expect(turns).toBeGreaterThan(0);
  });

  test('is no longer checked after five answers on which it timed out', async () => {
    const { check } = checker(0.1);
    const findings = await check(
      UNIQUE,
      Array.from({ length: 7 }, () => flood),
    );
    expect(
      findings.map((finding) => (finding.status === 'error' ? finding.message : 'checked')),
    ).toEqual([
      ...Array<string>(5).fill('the check of the schema took longer than 0.1 s and was stopped'),
      ...Array<string>(2).fill('was not checked: the schema took longer than 0.1 s 5 times'),
    ]);
  });

  test('does not delay the end of a run: checks that would take long end in an error', async () => {
    const { check } = checker(2, () => true, timeOf(false, false, true));
    expect(await check(UNIQUE, [[1, 2]])).toEqual([{ status: 'checked', wrong: null }]);
    const message = 'was not checked: no time was left at the end of the run';
    for (const items of [1, 2])
      expect(await check({ ...UNIQUE, minItems: items }, [flood, flood])).toEqual(
        Array(2).fill({ status: 'error', message }),
      );
  });
});
