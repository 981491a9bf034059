import type { MetricAnswer } from '../../../src/metrics/answer.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, scored, scriptedGrader } from './samples.ts';

async function graded(
  uses: string,
  given: Record<string, Json>,
  answer: MetricAnswer | string,
  ...replies: string[]
) {
  const { complete, asked } = scriptedGrader(...replies);
  const score = await scored(builtIn(uses, given), answer, { complete });
  return { score, texts: asked.map(({ messages }) => messages.at(-1)?.content ?? '') };
}

describe('model-graded metrics', () => {
  test.each([
    ['llm_rubric', 'PASS'],
    ['g_eval', '5'],
  ])(
    '%s takes its criterion from the file, or from the reference if the file has none',
    async (uses, label) => {
      const own = await graded(uses, { criteria: 'Be {completion} brief' }, 'x', label);
      expect(own.texts[0]).toContain('Be {completion} brief');
      const expected = await graded(uses, {}, sample('x', { expected: 'Be kind' }), label);
      expect(expected.texts[0]).toContain('Be kind');
      expect((await graded(uses, {}, 'x')).score).toMatchObject({
        status: 'error',
        reason: `the reference has no expected value, but metric ${uses} needs one`,
      });
    },
  );

  const polite = { criteria: 'Clear' };
  const rude = { criteria: 'Is rude', negate: true };

  test.each([
    // Ratings are scaled to 0–1; the middle of the scale passes.
    ['g_eval', polite, '1', 'fail', 0],
    ['g_eval', polite, '2', 'fail', 0.25],
    ['g_eval', polite, '3', 'pass', 0.5],
    ['g_eval', polite, '5', 'pass', 1],
    ['g_eval', { ...polite, scale: 10 }, '10', 'pass', 1],
    ['g_eval', polite, '4/5', 'pass', 0.75],
    ['g_eval', polite, '4/10', 'ungraded', null],
    // Only a contradiction fails.
    ['factuality', {}, 'SAME', 'pass', 1],
    ['factuality', {}, 'FEWER', 'pass', 0.4],
    ['factuality', {}, 'MORE', 'pass', 0.6],
    ['factuality', {}, 'CONTRADICTS', 'fail', 0],
    ['factuality', {}, 'IMMATERIAL', 'pass', 1],
    ['factuality', { scores: { fewer: 0.1 } }, 'FEWER', 'fail', 0.1],
    // negate reverses pass and fail, but not ungraded.
    ['llm_rubric', rude, 'FAIL', 'pass', 0],
    ['llm_rubric', rude, 'PASS', 'fail', 1],
    ['llm_rubric', rude, 'no idea', 'ungraded', null],
  ])(
    "score as expected: %s with the parameters %j turns the grader's reply %s into %s",
    async (uses, given, reply, status, value) => {
      const { score } = await graded(uses, given, sample('x', { expected: 'y' }), reply);
      expect(score).toMatchObject({ status, value });
    },
  );

  test('g_eval numbers its steps', async () => {
    const { texts } = await graded(
      'g_eval',
      { ...polite, steps: ['Count the clauses.'] },
      'x',
      '3',
    );
    expect(texts[0]).toContain('1. Count the clauses.');
  });

  test('faithfulness shows the grader the context in the input and is an error without it', async () => {
    const one = sample('Until 6.', { input: { context: 'Closes at 6.', faq: 'No pets.' } });
    const of = (context: Json, ...replies: string[]) =>
      graded('faithfulness', { context }, one, ...replies);
    const { score, texts } = await of(['context', 'faq'], 'SUPPORTED');
    expect(score).toMatchObject({ status: 'pass', value: 1 });
    expect(texts[0]).toContain('\nCloses at 6.\n\nNo pets.\n<<<end ');
    expect((await of('source')).score).toMatchObject({
      status: 'error',
      reason: 'the input has no source, which metric faithfulness uses as context',
    });
    expect((await of('toString')).score.status).toBe('error');
  });
});

describe('criteria', () => {
  const statements = ['Names Paris.', { statement: 'Is friendly.', required: false }];
  const reason = expect.stringContaining('Is friendly.');

  test('grades each statement separately', async () => {
    const { texts } = await graded('criteria', { statements }, 'Paris', 'YES', 'NO');
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('Names Paris.');
    expect(texts[0]).not.toContain('Is friendly.');
  });

  test.each([
    ['scores the share that holds', ['YES', 'NO'], { status: 'pass', value: 0.5, reason }],
    ['fails if a required one does not hold', ['NO', 'YES'], { status: 'fail', value: 0.5 }],
    [
      'is ungraded if one statement is, and names it',
      ['YES', 'perhaps', 'perhaps'],
      { status: 'ungraded', value: null, reason },
    ],
  ])('combines the verdicts of its statements: it %s', async (_, replies, score) => {
    expect((await graded('criteria', { statements }, 'Paris', ...replies)).score).toMatchObject(
      score,
    );
  });

  test('takes its statements from the reference if the file has none', async () => {
    const of = (expected: string[], ...replies: string[]) =>
      graded('criteria', {}, sample('x', { expected }), ...replies);
    const { score, texts } = await of(['One.', 'Two.', 'Three.'], 'YES', 'YES', 'NO');
    expect(texts).toHaveLength(3);
    expect(score).toMatchObject({ status: 'fail', value: 2 / 3 });
    expect((await of([])).score.status).toBe('error');
  });
});
