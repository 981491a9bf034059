import { describe, expect, test } from '@jest/globals';
import { createOnce } from '../../../../src/edges/providers/once.ts';
import {
  rateAnswer,
  rateReference,
  scoreOf,
  type Ratings,
} from '../../../../src/features/attributes/affinity.ts';
import type { Attribute } from '../../../../src/features/attributes/text.ts';
import { requestKey } from '../../../../src/kernel/select/generation.ts';
import { failure, materials, scripted } from './scripted-grader.ts';
import { sha256 } from './solvers.ts';

const attribute = (id: string, kind: Attribute['kind'] = 'domain'): Attribute => ({
  id,
  kind,
  name: id.toUpperCase(),
  explanation: `About ${id}.`,
});
const attributes = [attribute('sums'), attribute('trains'), attribute('add', 'subtask')];
const reference = { id: 'a', input: { q: 'Two trains and two trains?' }, expected: '4 trains' };
const rating = (
  id: string,
  score: unknown,
  evidence: unknown = 'it says so',
): Record<string, unknown> => ({ id, score, evidence });
const scores = (ratings: Ratings, of = attributes): (number | null)[] =>
  of.map(({ id }) => scoreOf(ratings, id));

describe('affinity', () => {
  test('is matched by id, whatever the order, with its evidence', async () => {
    const { tools, asked } = scripted({
      affinity: () => ({
        ratings: [
          rating('add', 2),
          rating('trains', 5, ' trains '),
          rating('sums', 3),
          rating('ships', 5),
        ],
      }),
    });
    const ratings = await rateReference(reference, attributes, tools);
    expect([...ratings.keys()].sort()).toEqual(['add', 'sums', 'trains']);
    expect(scores(ratings)).toEqual([3, 5, 2]);
    expect(ratings.get('trains')).toEqual({ status: 'scored', score: 5, evidence: 'trains' });
    expect(asked).toHaveLength(1);
    expect(materials(asked[0]!).get('case')).toBe(
      'Input:\nq: Two trains and two trains?\nExpected answer: 4 trains',
    );
  });

  test("asks for an answer's ratings with the answer in the place of the expected one", async () => {
    const { tools, asked } = scripted({
      affinity: (_, list) => ({ ratings: list.map(({ id }) => rating(id, 1)) }),
    });
    await rateAnswer(reference, 'Four, I think', attributes.slice(2), tools);
    expect(materials(asked[0]!).get('case')).toBe(
      'Input:\nq: Two trains and two trains?\nAnswer: Four, I think',
    );
    expect([...materials(asked[0]!).keys()]).toEqual(['case', 'sub-tasks']);
  });

  test.each<[string, unknown]>([
    ['missing', null],
    ['out of range', rating('trains', 6)],
    ['zero', rating('trains', 0)],
    ['not whole', rating('trains', 3.5)],
    ['a word', rating('trains', 'high')],
    ['a number as text', rating('trains', '4')],
  ])('asks again for the one rating that is %s, and for no other', async (_, wrong) => {
    let calls = 0;
    const { tools, asked } = scripted({
      affinity: () => ({
        ratings:
          calls++ === 0
            ? [rating('sums', 1), wrong, rating('add', 2)]
            : [rating('trains', 4), rating('sums', 5)],
      }),
    });
    expect(scores(await rateReference(reference, attributes, tools))).toEqual([1, 4, 2]);
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]!.schema)).not.toContain('"sums"');
    expect(materials(asked[1]!).get('domains')).toBe(
      '{"id":"trains","name":"TRAINS","explanation":"About trains."}',
    );
  });

  test('is asked for in other words the second time, where none came: an equal question would only be given the reply that is kept of it', async () => {
    let calls = 0;
    const { tools } = scripted({
      affinity: () => ({
        ratings: calls++ === 0 ? [] : [rating('sums', 4), rating('trains', 3), rating('add', 2)],
      }),
    });
    const complete = createOnce(tools.complete, {
      keyOf: (request) => requestKey(request, sha256),
      answers: 'keep',
    });
    expect(scores(await rateReference(reference, attributes, { ...tools, complete }))).toEqual([
      4, 3, 2,
    ]);
    expect(calls).toBe(2);
  });

  test('hides no answer behind a long input, and no input behind a long answer', async () => {
    const { tools, asked } = scripted({
      affinity: (_, list) => ({ ratings: list.map(({ id }) => rating(id, 1)) }),
    });
    const long = 'x'.repeat(50_000);
    await rateAnswer({ id: 'a', input: { q: long }, expected: 'x' }, 'Four.', attributes, tools);
    await rateAnswer({ id: 'a', input: { q: 'Two?' }, expected: 'x' }, long, attributes, tools);
    await rateReference({ id: 'a', input: { q: long }, expected: long }, attributes, tools);
    const cases = asked.map((request) => materials(request).get('case') ?? '');
    expect(cases[0]).toMatch(/^Input:\nq: x+ \[…\]\nAnswer: Four\.$/);
    expect(cases[1]).toMatch(/^Input:\nq: Two\?\nAnswer: x+ \[…\]$/);
    expect(cases[2]).toMatch(
      /^Input:\nq: x{9900,10000} \[…\]\nExpected answer: x{9900,10000} \[…\]$/,
    );
    for (const text of cases) expect(text.length).toBeLessThan(20_020);
  });

  test('does not choose between two ratings of one attribute', async () => {
    let calls = 0;
    const { tools } = scripted({
      affinity: () => ({
        ratings:
          calls++ === 0
            ? [
                rating('sums', 1),
                rating('sums', 5),
                rating('sums', 1),
                rating('trains', 2),
                rating('trains', 2),
                rating('add', 3),
              ]
            : [rating('sums', 4)],
      }),
    });
    expect(scores(await rateReference(reference, attributes, tools))).toEqual([4, 2, 3]);
  });

  test('is unscored after the second time, and says why', async () => {
    const { tools, asked } = scripted({ affinity: () => ({ ratings: [rating('sums', 2)] }) });
    const ratings = await rateReference(reference, attributes, tools);
    expect(scores(ratings)).toEqual([2, null, null]);
    expect(ratings.get('trains')).toEqual({
      status: 'unscored',
      reason: 'the grader gave no rating from 1 to 5',
    });
    expect(asked).toHaveLength(2);
    // The next run asks the second question again, unless what came settles it or cannot be read,
    // and so leads to a further one.
    expect(asked[0]!.usable).toBeUndefined();
    const replies = [
      [rating('sums', 2)],
      [rating('trains', 2)],
      [rating('trains', 2), rating('add', 1)],
    ].map((given) => JSON.stringify({ ratings: given }));
    expect([...replies, 'no JSON'].map((output) => asked[1]!.usable?.(output))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('keeps what was rated when the second question fails, and is not asked again after a failed call', async () => {
    let calls = 0;
    const half = scripted({
      affinity: () =>
        calls++ === 0
          ? { ratings: [rating('sums', 2), rating('add', 2)] }
          : failure('budget used up'),
    });
    const ratings = await rateReference(reference, attributes, half.tools);
    expect(scores(ratings)).toEqual([2, null, 2]);
    expect(ratings.get('trains')).toEqual({ status: 'unscored', reason: 'budget used up' });
    const none = scripted({ affinity: () => failure('no key') });
    expect(scores(await rateReference(reference, attributes, none.tools))).toEqual([
      null,
      null,
      null,
    ]);
    expect(none.asked).toHaveLength(1);
  });

  test('asks for many attributes in parts that an answer can hold', async () => {
    const many = Array.from({ length: 70 }, (_, index) =>
      attribute(`a${index}`, index % 2 === 0 ? 'domain' : 'subtask'),
    );
    const { tools, asked } = scripted({
      affinity: (_, list) => ({
        ratings: list.map(({ id }) => rating(id, 1 + (Number(id.slice(1)) % 5))),
      }),
    });
    expect(scores(await rateReference(reference, many, tools), many)).toEqual(
      many.map((_, index) => 1 + (index % 5)),
    );
    expect(asked).toHaveLength(3);
  });

  test('offers the ids and the five scores, and nothing else, in the schema', async () => {
    const { tools, asked } = scripted({
      affinity: (_, list) => ({ ratings: list.map(({ id }) => rating(id, 1)) }),
    });
    await rateReference(reference, attributes, tools);
    expect(asked[0]?.schema?.json).toMatchObject({
      properties: {
        ratings: {
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['id', 'evidence', 'score'],
            properties: {
              id: { enum: ['sums', 'trains', 'add'] },
              score: { enum: [1, 2, 3, 4, 5] },
            },
          },
        },
      },
    });
  });

  test('is the same question for the same content, however the reference is called', async () => {
    const { tools, asked } = scripted({
      affinity: (_, list) => ({ ratings: list.map(({ id }) => rating(id, 1)) }),
    });
    await rateReference(
      { id: 'x', input: { a: 1, b: true }, expected: { y: 1, x: [2] } },
      attributes,
      tools,
    );
    await rateReference(
      { id: 'y', input: { b: true, a: 1 }, expected: { x: [2], y: 1 } },
      attributes,
      tools,
    );
    expect(asked[1]).toEqual(asked[0]);
  });
});
