import { requestKey } from '../../../../src/app/session/request-key.ts';
import { createOnce } from '../../../../src/edges/providers/once.ts';
import {
  rateAnswer,
  rateReference,
  ratingScore,
  type Ratings,
} from '../../../../src/features/attributes/affinity.ts';
import type { Attribute } from '../../../../src/features/attributes/text.ts';
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
const rating = (id: string, score: unknown, evidence = 'it says so') => ({ id, score, evidence });
const ratingsOf = (scores: Record<string, unknown>) =>
  Object.entries(scores).map(([id, score]) => rating(id, score));
const scores = (ratings: Ratings, of = attributes) => of.map(({ id }) => ratingScore(ratings, id));

/**
 * A grader that returns these ratings in order or fails. Without arguments it rates everything 1.
 */
function grader(...replies: (unknown[] | ReturnType<typeof failure>)[]) {
  let calls = 0;
  const all = (list: { id: string }[]) => list.map(({ id }) => rating(id, 1));
  return scripted({
    affinity: (_, list) => {
      const reply =
        replies.length === 0 ? all(list) : replies[Math.min(calls++, replies.length - 1)];
      return Array.isArray(reply) ? { ratings: reply } : reply;
    },
  });
}
const caseOf = (request: Parameters<typeof materials>[0]) => materials(request).get('case');

describe('an attribute rating', () => {
  test('is matched by id in any order, and keeps its quoted evidence', async () => {
    const others = ratingsOf({ sums: 3, ships: 5 });
    const { tools, asked } = grader([rating('add', 2), rating('trains', 5, ' trains '), ...others]);
    const ratings = await rateReference(reference, attributes, tools);
    expect([...ratings.scored.keys()].sort()).toEqual(['add', 'sums', 'trains']);
    expect(scores(ratings)).toEqual([3, 5, 2]);
    expect(ratings.scored.get('trains')).toEqual({ score: 5, evidence: 'trains' });
    expect(asked.map(caseOf)).toEqual([
      'Input:\nq: Two trains and two trains?\nExpected answer: 4 trains',
    ]);
  });

  test("uses the model's answer instead of the expected one when answers are rated", async () => {
    const { tools, asked } = grader();
    await rateAnswer(reference, 'Four, I think', attributes.slice(2), tools);
    expect(Object.fromEntries(materials(asked[0]!))).toEqual({
      case: 'Input:\nq: Two trains and two trains?\nAnswer: Four, I think',
      'sub-tasks': expect.any(String),
    });
  });

  test('is requested with a description of the application, if known', async () => {
    const { tools, asked } = grader();
    await rateReference(reference, attributes, { ...tools, task: 'It counts trains.' });
    expect(materials(asked[0]!).get('task')).toBe('It counts trains.');
  });

  test.each([
    ['missing', null],
    ['out of range', rating('trains', 6)],
    ['zero', rating('trains', 0)],
    ['not whole', rating('trains', 3.5)],
    ['a word', rating('trains', 'high')],
  ])('that is %s is requested again, with all others', async (_, wrong) => {
    const first = [...ratingsOf({ sums: 1 }), wrong, ...ratingsOf({ add: 2 })];
    const { tools, asked } = grader(first, ratingsOf({ trains: 4, sums: 5, add: 2 }));
    expect(scores(await rateReference(reference, attributes, tools))).toEqual([5, 4, 2]);
    expect(asked).toHaveLength(2);
  });

  test.each([
    [
      'numbers as text',
      JSON.stringify({ ratings: ratingsOf({ sums: '3', trains: '4/5', add: '2.0' }) }),
    ],
    [
      'names instead of ids',
      JSON.stringify({ ratings: ratingsOf({ SUMS: 3, Trains: 4, ADD: 2 }) }),
    ],
  ])('is read from %s', async (_, reply) => {
    const { tools, asked } = scripted({ affinity: () => reply });
    expect(scores(await rateReference(reference, attributes, tools))).toEqual([3, 4, 2]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    'sums is a 3, I think',
    '[Domain 1: sums, Score: 3]',
    '- sums: 3',
    'I cannot rate this.',
    '{"id": "sums"}',
    '[{"id": "sums", "evidence": "two", "score": 3}]',
    '{"ratings": [{"id": "sums", "evidence": "two", "score": 3}, {"id": "oth',
  ])('is not read from "%s"', async (reply) => {
    const { tools } = scripted({ affinity: () => reply });
    expect(scores(await rateReference(reference, attributes, tools))).toEqual([null, null, null]);
  });

  // A request with the same wording would only return the stored reply.
  test('is requested again with different wording if the first reply contains no ratings', async () => {
    const { tools, asked } = grader([], ratingsOf({ sums: 4, trains: 3, add: 2 }));
    const keyOf = (request: Parameters<typeof requestKey>[0]) => requestKey(request, sha256);
    const complete = createOnce(tools.complete, { keyOf, answers: 'keep' });
    const ratings = await rateReference(reference, attributes, { ...tools, complete });
    expect(scores(ratings)).toEqual([4, 3, 2]);
    expect(asked).toHaveLength(2);
  });

  test('is requested with part of the input and of the answer, even if one of them is long', async () => {
    const { tools, asked } = grader();
    const long = 'x'.repeat(50_000);
    const of = (q: string, expected = 'x') => ({ id: 'a', input: { q }, expected });
    await rateAnswer(of(long), 'Four.', attributes, tools);
    await rateAnswer(of('Two?'), long, attributes, tools);
    await rateReference(of(long, long), attributes, tools);
    const cases = asked.map(caseOf);
    expect(cases[0]).toMatch(/^Input:\nq: x+ \[…\]\nAnswer: Four\.$/);
    expect(cases[1]).toMatch(/^Input:\nq: Two\?\nAnswer: x+ \[…\]$/);
    expect(cases[2]).toMatch(
      /^Input:\nq: x{9900,10000} \[…\]\nExpected answer: x{9900,10000} \[…\]$/,
    );
    for (const text of cases) expect(text?.length).toBeLessThan(20_020);
  });

  test('is missing after a second unsuccessful request, with the reason', async () => {
    const { tools, asked } = grader(ratingsOf({ sums: 2 }));
    const ratings = await rateReference(reference, attributes, tools);
    expect(scores(ratings)).toEqual([2, null, null]);
    const reason = expect.stringMatching(/^the grader gave no rating from 1 to 5: ".*sums.*"$/);
    expect(ratings.missing).toEqual(reason);
    expect(asked).toHaveLength(2);
    // The next run repeats the second request unless its reply is complete.
    expect(asked[0]!.usable).toBeUndefined();
    const replies = [{ sums: 2 }, { sums: 2, trains: 2, add: 1 }].map((given) =>
      JSON.stringify({ ratings: ratingsOf(given) }),
    );
    const usable = [...replies, 'no JSON'].map((output) => asked[1]!.usable?.(output));
    expect(usable).toEqual([false, true, false]);
  });

  test('is kept if the second request fails, and no third one is made', async () => {
    const half = grader(ratingsOf({ sums: 2, add: 2 }), failure('budget used up'));
    const ratings = await rateReference(reference, attributes, half.tools);
    expect(scores(ratings)).toEqual([2, null, 2]);
    const none = grader(failure('no key'));
    const unrated = await rateReference(reference, attributes, none.tools);
    expect([scores(unrated), none.asked.length]).toEqual([[null, null, null], 1]);
  });

  test('is requested in several parts for many attributes', async () => {
    const many = Array.from({ length: 70 }, (_, index) =>
      attribute(`a${index}`, index % 2 === 0 ? 'domain' : 'subtask'),
    );
    const { tools, asked } = scripted({
      affinity: (_, list) => ({
        ratings: list.map(({ id }) => rating(id, 1 + (Number(id.slice(1)) % 5))),
      }),
    });
    const rated = scores(await rateReference(reference, many, tools), many);
    expect(rated).toEqual(many.map((_, index) => 1 + (index % 5)));
    expect(asked).toHaveLength(3);
  });

  test('is requested with a schema that allows only known ids and scores from 1 to 5', async () => {
    const { tools, asked } = grader();
    await rateReference(reference, attributes, tools);
    const items = {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'evidence', 'score'],
      properties: { id: { enum: ['sums', 'trains', 'add'] }, score: { enum: [1, 2, 3, 4, 5] } },
    };
    expect(asked[0]?.schema?.json).toMatchObject({ properties: { ratings: { items } } });
  });

  test("is requested with the same prompt for the same content, regardless of the reference's id", async () => {
    const { tools, asked } = grader();
    const [x, y] = [
      { id: 'x', input: { a: 1, b: true }, expected: { y: 1, x: [2] } },
      { id: 'y', input: { b: true, a: 1 }, expected: { x: [2], y: 1 } },
    ];
    for (const one of [x, y]) await rateReference(one, attributes, tools);
    const [first, second] = asked.map((request) => requestKey(request, sha256));
    expect(second).toBe(first);
    expect(asked).toHaveLength(2);
  });
});
