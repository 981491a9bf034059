import { describe, expect, test } from '@jest/globals';
import { repeatedEvaluate } from '../../../../src/app/run/repeats.ts';
import type { CodeJob, CodeResult, Evaluate } from '../../../../src/types/model.ts';

const scores = { what: 'metric "exact"', place: { file: 'prompts/tests/p.yaml', line: 12 } };
const jobOf = (count: number, more: Partial<CodeJob> = {}): CodeJob => ({
  suite: 'p',
  side: 'head',
  language: 'python',
  code: 'metric = actual',
  outputs: ['metric'],
  inputs: Array.from({ length: count }, (_, index) => ({ actual: index })),
  scores,
  ...more,
});
const ok = (metric: unknown): CodeResult => ({
  status: 'ok',
  values: { metric: metric as number },
});

/** A sandbox that returns the results of `of` and records its jobs. */
function sandbox(of: (job: CodeJob, index: number) => CodeResult): {
  evaluate: Evaluate;
  jobs: CodeJob[];
} {
  const jobs: CodeJob[] = [];
  return {
    jobs,
    evaluate: async (job) => {
      jobs.push(job);
      return job.inputs.map((_, index) => of(job, index));
    },
  };
}
const pure = (job: CodeJob, index: number): CodeResult => ok(job.inputs[index]?.['actual']);

describe('scoring code', () => {
  test('runs again for a random tenth of the answers, in a fresh process and in random order', async () => {
    const { evaluate, jobs } = sandbox(pure);
    const repeats = repeatedEvaluate(evaluate, 'seed');
    expect(await repeats.evaluate(jobOf(200))).toEqual(
      Array.from({ length: 200 }, (_, index) => ok(index)),
    );
    expect(jobs.map(({ fresh = false, inputs }) => [fresh, inputs.length])).toEqual([
      [false, 200],
      [true, 20],
    ]);
    const drawn = jobs[1]!.inputs.map(({ actual }) => Number(actual));
    expect(new Set(drawn).size).toBe(20);
    expect(drawn).not.toContain(0);
    expect(drawn).not.toEqual([...drawn].sort((a, b) => a - b));
    expect(repeats.found()).toEqual({
      made: { made: 200, repeated: 20, differing: 0 },
      notices: [],
    });
  });

  test('is repeated on a sample of answers that the seed alone determines', async () => {
    const drawn = async (seed: string): Promise<unknown> => {
      const { evaluate, jobs } = sandbox(pure);
      await repeatedEvaluate(evaluate, seed).evaluate(jobOf(200));
      return jobs[1]?.inputs;
    };
    expect(await drawn('a')).toEqual(await drawn('a'));
    expect(await drawn('a')).not.toEqual(await drawn('b'));
  });

  test.each(['base', 'head'] as const)(
    'on %s is an error if its result depends on the side (base or head)',
    async (side) => {
      const bySide = sandbox((job) => ok(job.side === 'head'));
      const { evaluate, found } = repeatedEvaluate(bySide.evaluate, 'seed');
      const results = await evaluate(jobOf(12, { side }));
      expect(results.every((result) => result.status === 'error')).toBe(true);
      expect(found().made.differing).toBeGreaterThan(0);
    },
  );

  test('is an error with its name and place if it returns another result when repeated', async () => {
    const { evaluate } = sandbox((job, index) =>
      job.fresh === true && job.code === 'state' ? ok('other') : pure(job, index),
    );
    const repeats = repeatedEvaluate(evaluate, 'seed');
    const first = await repeats.evaluate(jobOf(12, { code: 'state' }));
    expect(first).toHaveLength(12);
    expect(first.every((result) => result.status === 'error')).toBe(true);
    expect(first[0]).toMatchObject({
      message: expect.stringMatching(
        /^keeps state or depends on the side \(prompts\/tests\/p\.yaml:12\): .*random\.seed\(0\)$/,
      ),
    });
    expect((await repeats.evaluate(jobOf(12, { side: 'base' })))[0]).toEqual(ok(0));
    expect(repeats.found()).toMatchObject({
      made: { made: 24, repeated: 2, differing: 1 },
      notices: [
        {
          kind: 'error',
          place: scores.place,
          message: expect.stringMatching(/^metric "exact" keeps state/),
        },
      ],
    });
  });

  test('is not an error if only the repetition hits a time limit, because the machine may be busy', async () => {
    const { evaluate } = sandbox((job, index) =>
      job.fresh === true
        ? { status: 'error', cause: 'sandbox', message: 'took longer than 5 s and was stopped' }
        : pure(job, index),
    );
    const repeats = repeatedEvaluate(evaluate, 'seed');
    expect(await repeats.evaluate(jobOf(3))).toEqual([ok(0), ok(1), ok(2)]);
    expect(repeats.found().made.differing).toBe(0);
  });
});

test('prompt code is not repeated and not counted as scoring code, because it may be random', async () => {
  const { evaluate, jobs } = sandbox(pure);
  const repeats = repeatedEvaluate(evaluate, 'seed');
  const { scores: _, ...prompt } = jobOf(5);
  await repeats.evaluate(prompt);
  expect(jobs).toHaveLength(1);
  expect(repeats.found().made).toEqual({ made: 0, repeated: 0, differing: 0 });
});
