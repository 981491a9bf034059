import { describe, expect, test } from '@jest/globals';
import { cosine } from '../../../src/metrics/embedding.ts';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import type { Score } from '../../../src/types/metric.ts';
import type { Completion } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc from '../../fuzz.ts';
import { builtIn, embedder, sample, tools, vectorModel } from './samples.ts';

async function compared(
  vectors: Record<string, Json>,
  output: string,
  expected: Json | undefined,
  given: Record<string, Json> = {},
): Promise<{ score: Score | undefined; texts: (string | undefined)[] }> {
  const { complete, asked } = vectorModel(vectors);
  const [score] = await scoreMetric(
    builtIn('embedding_similarity', given),
    [sample(output, expected === undefined ? {} : { expected })],
    tools({ complete, embedder }),
  );
  return { score, texts: asked.map(({ messages }) => messages[0]?.content) };
}

const found = (left: readonly number[], right: readonly number[]): number => {
  const similarity = cosine(left, right);
  return similarity.status === 'found' ? similarity.value : Number.NaN;
};

describe('the cosine of two vectors', () => {
  test('is 1 in one direction, 0 at right angles and −1 in opposite directions, at any length', () => {
    expect(found([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
    expect(found([1, 0], [0, 5])).toBe(0);
    expect(found([3, -4], [-6, 8])).toBeCloseTo(-1, 12);
    expect(found([1, 1], [1, 0])).toBeCloseTo(Math.SQRT1_2, 12);
  });

  test('stays within −1 and 1 and is symmetric, for numbers of every size', () => {
    const part = fc.double({ noNaN: true, noDefaultInfinity: true });
    const pair = fc
      .integer({ min: 1, max: 8 })
      .chain((length) =>
        fc.tuple(...[0, 1].map(() => fc.array(part, { minLength: length, maxLength: length }))),
      );
    fc.assert(
      fc.property(pair, ([left = [], right = []]) => {
        const similarity = cosine(left, right);
        if ([left, right].some((vector) => vector.every((value) => value === 0)))
          return similarity.status === 'ungraded';
        return (
          similarity.status === 'found' &&
          Math.abs(similarity.value) <= 1 &&
          similarity.value === found(right, left)
        );
      }),
    );
    expect(found([1e200, 0], [1e200, 1e200])).toBeCloseTo(Math.SQRT1_2, 12);
    expect(found([1e-200, 0], [1e-200, 1e-200])).toBeCloseTo(Math.SQRT1_2, 12);
  });
});

describe('embedding_similarity', () => {
  test('passes from its bound, and reports the bound when it fails', async () => {
    const vectors = { near: [4, 3], right: [3, 4] };
    expect((await compared(vectors, 'near', 'right')).score).toEqual({
      metric: 'embedding_similarity',
      status: 'pass',
      value: expect.closeTo(0.96, 12),
      reason: null,
      skip: false,
    });
    expect((await compared(vectors, 'near', 'right', { threshold: 0.96 })).score?.status).toBe(
      'pass',
    );
    expect((await compared(vectors, 'near', 'right', { threshold: 0.97 })).score).toMatchObject({
      status: 'fail',
      reason: '0.960, at least 0.97 wanted',
    });
    expect((await compared(vectors, 'near', undefined, { value: 'right' })).score?.status).toBe(
      'pass',
    );
  });

  test('requests each distinct text once, and nothing for equal texts', async () => {
    const { complete, asked } = vectorModel({ a: [1, 0], b: [0, 1], right: [1, 1] });
    const samples = ['a', 'b', 'a', 'right'].map((output) => sample(output, { expected: 'right' }));
    const scores = await scoreMetric(
      builtIn('embedding_similarity'),
      samples,
      tools({ complete, embedder, try: 3 }),
    );
    expect(
      scores.map(({ value }) => (typeof value === 'number' ? Number(value.toFixed(6)) : value)),
    ).toEqual([0.707107, 0.707107, 0.707107, 1]);
    expect(asked.map(({ messages }) => messages[0]?.content).sort()).toEqual(['a', 'b', 'right']);
    expect(asked.map(({ try: index, schema, target }) => [index, schema, target.model])).toEqual(
      Array(3).fill([0, null, 'text-embedding-3-small']),
    );
  });

  test('uses the best of several expected texts; one without a cosine matters only if no other passes', async () => {
    const vectors = { said: [1, 0], far: [0, 1], near: [1, 0.1], odd: [1, 0, 0] };
    expect((await compared(vectors, 'said', ['far', 'near'])).score).toMatchObject({
      status: 'pass',
      value: expect.closeTo(1 / Math.sqrt(1.01), 12),
    });
    expect((await compared(vectors, 'said', ['odd', 'near'])).score?.status).toBe('pass');
    expect((await compared(vectors, 'said', ['far', 'odd'])).score).toMatchObject({
      status: 'ungraded',
      value: null,
    });
    expect((await compared(vectors, 'said', [])).score).toMatchObject({
      status: 'error',
      reason: 'expected is an empty list',
    });
  });

  test.each<[string, Json, RegExp]>([
    ['another length', [1, 0, 0], /have 2 and 3 numbers/],
    ['nothing but zeros', [0, 0], /is zero/],
    ['minus zero', [-0, 0], /is zero/],
    ['no number', '[1, NaN]', /no list of numbers/],
    ['null for a number', [1, null], /no list of numbers/],
    ['an infinite number', '[1, 1e999]', /no list of numbers/],
    ['text in it', ['1', '0'], /no list of numbers/],
    ['no entry', [], /no list of numbers/],
    ['no list', '{"0": 1}', /no list of numbers/],
    ['no JSON', 'I cannot do that.', /no list of numbers/],
  ])(
    'a vector with %s leaves the answer ungraded: never 0, never a pass',
    async (_, vector, reason) => {
      for (const [output, expected] of [
        ['said', 'right'],
        ['right', 'said'],
      ] as const) {
        const { score } = await compared({ said: vector, right: [1, 0] }, output, expected, {
          threshold: -1,
        });
        expect(score).toMatchObject({
          status: 'ungraded',
          value: null,
          reason: expect.stringMatching(
            output === 'said' ? new RegExp(reason.source.replace('2 and 3', '3 and 2')) : reason,
          ),
        });
      }
    },
  );

  test('an answer without text fails without a call', async () => {
    for (const empty of ['', ' \n']) {
      const { score, texts } = await compared({}, empty, 'right');
      expect(score).toMatchObject({ status: 'fail', value: 0 });
      expect(texts).toEqual([]);
    }
    expect((await compared({}, '', '')).score).toMatchObject({ status: 'pass', value: 1 });
    expect((await compared({}, 'said', '')).score).toMatchObject({ status: 'fail', value: 0 });
  });

  test('a failed call is an error with its message, and so is a missing model', async () => {
    const failed: Completion = {
      status: 'error',
      kind: 'rate-limit',
      message: 'openai: still rate limited after 5 tries',
    };
    const one = sample('said', { expected: 'right' });
    const [score] = await scoreMetric(
      builtIn('embedding_similarity'),
      [one],
      tools({ complete: () => Promise.resolve(failed), embedder }),
    );
    expect(score).toMatchObject({
      status: 'error',
      reason: 'the embedding failed: openai: still rate limited after 5 tries',
    });
    expect((await scoreMetric(builtIn('embedding_similarity'), [one], tools()))[0]).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('no model of embeddings is set'),
    });
  });

  test('rejects meaningless parameters', () => {
    const problems = (given: Record<string, Json>) =>
      metrics.get('embedding_similarity')?.problems(given);
    expect(problems({ model: '', threshold: 2 })).toHaveLength(2);
    expect(problems({ treshold: 0.5 })).toEqual([
      expect.stringContaining('did you mean "threshold"'),
    ]);
    expect(problems({ model: 'nomic-embed-text', threshold: -1, negate: true })).toEqual([]);
  });
});
