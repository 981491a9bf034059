import { cosine } from '../../../src/metrics/embedding.ts';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import type { Completion } from '../../../src/types/model.ts';
import type { Json } from '../../../src/types/plain.ts';
import fc, { forAll } from '../../fuzz.ts';
import { builtIn, embedder, sample, scored, tools, vectorModel } from './samples.ts';

async function compared(
  vectors: Record<string, Json>,
  output: string,
  expected: Json | undefined,
  given: Record<string, Json> = {},
) {
  const { complete, asked } = vectorModel(vectors);
  const answer = sample(output, expected === undefined ? {} : { expected });
  const score = await scored(builtIn('embedding_similarity', given), answer, {
    complete,
    embedder,
  });
  return { ...score, calls: asked.length };
}

const found = (left: readonly number[], right: readonly number[]) => {
  const similarity = cosine(left, right);
  return similarity.status === 'found' ? similarity.value : Number.NaN;
};

describe('cosine', () => {
  test.each([
    [[1, 2, 3], [2, 4, 6], 1],
    [[1, 0], [0, 5], 0],
    [[3, -4], [-6, 8], -1],
    [[1, 1], [1, 0], Math.SQRT1_2],
    [[1e200, 0], [1e200, 1e200], Math.SQRT1_2],
    [[1e-200, 0], [1e-200, 1e-200], Math.SQRT1_2],
  ])('of %j and %j is %d', (left, right, value) => {
    expect(found(left, right)).toBeCloseTo(value, 12);
  });

  test('stays within −1 and 1 and is symmetric for numbers of any magnitude', () => {
    const part = fc.double({ noNaN: true, noDefaultInfinity: true });
    const pair = fc.integer({ min: 1, max: 8 }).chain((length) => {
      const vector = fc.array(part, { minLength: length, maxLength: length });
      return fc.tuple(vector, vector);
    });
    forAll([pair], ([left, right]) => {
      const similarity = cosine(left, right);
      if ([left, right].some((vector) => vector.every((value) => value === 0)))
        return similarity.status === 'ungraded';
      return (
        similarity.status === 'found' &&
        Math.abs(similarity.value) <= 1 &&
        similarity.value === found(right, left)
      );
    });
  });
});

describe('embedding_similarity', () => {
  const vectors = { near: [4, 3], right: [3, 4] };
  const several = { said: [1, 0], far: [0, 1], near: [1, 0.1], odd: [1, 0, 0] };
  const none = { status: 'error', reason: 'expected is an empty list' };
  const failed = { status: 'fail', reason: '0.960, at least 0.97 wanted' };
  const passed = { status: 'pass', value: expect.closeTo(0.96, 12), reason: null };
  const best = { status: 'pass', value: expect.closeTo(1 / Math.sqrt(1.01), 12) };

  test.each<[string, Record<string, Json>, string, Json | undefined, Record<string, Json>, object]>(
    [
      ['passes by default from 0.8', vectors, 'near', 'right', {}, passed],
      [
        'passes at its threshold',
        vectors,
        'near',
        'right',
        { threshold: 0.96 },
        { status: 'pass' },
      ],
      [
        'reports the threshold when it fails',
        vectors,
        'near',
        'right',
        { threshold: 0.97 },
        failed,
      ],
      ['uses a fixed text', vectors, 'near', undefined, { value: 'right' }, { status: 'pass' }],
      ['uses the best of several texts', several, 'said', ['far', 'near'], {}, best],
      [
        'ignores an expected text without a cosine',
        several,
        'said',
        ['odd', 'near'],
        {},
        { status: 'pass' },
      ],
      [
        'is ungraded if no other passes',
        several,
        'said',
        ['far', 'odd'],
        {},
        { status: 'ungraded' },
      ],
      ['is an error for an empty list', several, 'said', [], {}, none],
      ['fails an empty answer without a call', {}, '', 'right', {}, { status: 'fail', calls: 0 }],
      [
        'fails a blank answer without a call',
        {},
        ' \n',
        'right',
        {},
        { status: 'fail', value: 0, calls: 0 },
      ],
      ['passes two empty texts', {}, '', '', {}, { status: 'pass', value: 1 }],
      ['fails if the expected text is empty', {}, 'said', '', {}, { status: 'fail', value: 0 }],
    ],
  )('scores as expected: it %s', async (_, known, output, expected, given, score) => {
    expect(await compared(known, output, expected, given)).toMatchObject(score);
  });

  test('requests each distinct text only once', async () => {
    const { complete, asked } = vectorModel({ a: [1, 0], b: [0, 1], right: [1, 1] });
    const samples = ['a', 'b', 'a', 'right'].map((output) => sample(output, { expected: 'right' }));
    const own = tools({ complete, embedder, try: 3 });
    const scores = await scoreMetric(builtIn('embedding_similarity'), samples, own);
    expect(scores.map(({ value }) => value)).toEqual(
      [Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2, 1].map((value) => expect.closeTo(value, 6)),
    );
    expect(asked.map(({ messages }) => messages[0]?.content).sort()).toEqual(['a', 'b', 'right']);
    const target = { model: 'text-embedding-3-small' };
    expect(asked).toMatchObject(Array(3).fill({ try: 0, schema: null, target }));
  });

  test.each([
    ['a different length', [1, 0, 0], /have (2 and 3|3 and 2) numbers/],
    ['only zeros', [0, 0], /is zero/],
    ['a negative zero', [-0, 0], /is zero/],
    ['NaN', '[1, NaN]', /no list of numbers/],
    ['null instead of a number', [1, null], /no list of numbers/],
    ['an infinite number', '[1, 1e999]', /no list of numbers/],
    ['text instead of numbers', ['1', '0'], /no list of numbers/],
    ['no entries', [], /no list of numbers/],
    ['a map instead of a list', '{"0": 1}', /no list of numbers/],
    ['text instead of JSON', 'I cannot do that.', /no list of numbers/],
  ])('is ungraded for a vector with %s', async (_, said, reason) => {
    const known = { said, right: [1, 0] };
    const ungraded = { status: 'ungraded', value: null, reason: expect.stringMatching(reason) };
    const given = { threshold: -1 };
    expect(await compared(known, 'said', 'right', given)).toMatchObject(ungraded);
    expect(await compared(known, 'right', 'said', given)).toMatchObject(ungraded);
  });

  test('is an error if a call fails or no model is set', async () => {
    const message = 'openai: still rate limited after 5 tries';
    const limited: Completion = { status: 'error', kind: 'rate-limit', message };
    const one = sample('said', { expected: 'right' });
    const complete = () => Promise.resolve(limited);
    expect(await scored('embedding_similarity', one, { complete, embedder })).toMatchObject({
      status: 'error',
      reason: `the embedding failed: ${message}`,
    });
    expect(await scored('embedding_similarity', one)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('no embedding model is set'),
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
