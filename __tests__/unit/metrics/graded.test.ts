import { describe, expect, test } from '@jest/globals';
import type { MetricAnswer } from '../../../src/metrics/answer.ts';
import { scoreMetric } from '../../../src/metrics/index.ts';
import type { Score } from '../../../src/types/metric.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, scriptedGrader, tools } from './samples.ts';

async function graded(
  uses: string,
  given: Record<string, Json>,
  answer: MetricAnswer,
  ...replies: string[]
): Promise<{ score: Score | undefined; texts: string[] }> {
  const { complete, asked } = scriptedGrader(...replies);
  const [score] = await scoreMetric(builtIn(uses, given), [answer], tools({ complete }));
  return { score, texts: asked.map(({ messages }) => messages.at(-1)?.content ?? '') };
}

describe('model-graded metrics', () => {
  test.each(['llm_rubric', 'closed_qa', 'g_eval'])(
    '%s takes its criterion from the file, else from the reference',
    async (uses) => {
      const label = { llm_rubric: 'PASS', closed_qa: 'YES', g_eval: '5' }[uses] ?? '';
      expect(
        (await graded(uses, { criteria: 'Be {completion} brief' }, sample('x'), label)).texts[0],
      ).toContain('Be {completion} brief');
      expect(
        (await graded(uses, {}, sample('x', { expected: 'Be kind' }), label)).texts[0],
      ).toContain('Be kind');
      expect((await graded(uses, {}, sample('x'))).score).toMatchObject({
        status: 'error',
        reason: `the reference has no expected value, and metric ${uses} uses it`,
      });
    },
  );

  test('g_eval maps ratings to 0–1 and passes from the middle', async () => {
    const rate = async (
      label: string,
      given: Record<string, Json> = {},
    ): Promise<Score | undefined> =>
      (await graded('g_eval', { criteria: 'Clear', ...given }, sample('x'), label)).score;
    expect([(await rate('1'))?.value, (await rate('3'))?.value, (await rate('5'))?.value]).toEqual([
      0, 0.5, 1,
    ]);
    expect([(await rate('2'))?.status, (await rate('3'))?.status]).toEqual(['fail', 'pass']);
    expect((await rate('10', { scale: 10 }))?.value).toBe(1);
    expect((await rate('4/5'))?.value).toBe(0.75);
    expect((await rate('4/10'))?.status).toBe('ungraded');
    expect(
      (
        await graded(
          'g_eval',
          { criteria: 'Clear', steps: ['Count the clauses.'] },
          sample('x'),
          '3',
        )
      ).texts[0],
    ).toContain('1. Count the clauses.');
  });

  test('factuality scores its five outcomes, and only contradiction fails', async () => {
    const of = async (label: string, given: Record<string, Json> = {}): Promise<unknown[]> => {
      const { score } = await graded(
        'factuality',
        given,
        sample('x', { expected: 'y' }),
        `{"reasons": "r", "choice": "${label}"}`,
      );
      return [score?.value, score?.status];
    };
    expect([
      await of('SAME'),
      await of('FEWER'),
      await of('MORE'),
      await of('CONTRADICTS'),
      await of('IMMATERIAL'),
    ]).toEqual([
      [1, 'pass'],
      [0.4, 'pass'],
      [0.6, 'pass'],
      [0, 'fail'],
      [1, 'pass'],
    ]);
    expect(await of('FEWER', { scores: { fewer: 0.1 } })).toEqual([0.1, 'fail']);
  });

  test('faithfulness quotes the context of the input, and reports a missing one', async () => {
    const one = sample('Until 6.', { input: { context: 'Closes at 6.', faq: 'No pets.' } });
    const { score, texts } = await graded(
      'faithfulness',
      { context: ['context', 'faq'] },
      one,
      'SUPPORTED',
    );
    expect(score).toMatchObject({ status: 'pass', value: 1 });
    expect(texts[0]).toContain('\nCloses at 6.\n\nNo pets.\n<<<end ');
    expect((await graded('faithfulness', { context: 'source' }, one)).score).toMatchObject({
      status: 'error',
      reason: 'the input has no source, which metric faithfulness takes as context',
    });
    expect((await graded('faithfulness', { context: 'toString' }, one)).score?.status).toBe(
      'error',
    );
  });

  test('negate reverses a verdict and keeps an ungraded one', async () => {
    const given = { criteria: 'Is rude', negate: true };
    expect((await graded('llm_rubric', given, sample('x'), 'FAIL')).score).toMatchObject({
      status: 'pass',
      value: 0,
    });
    expect((await graded('llm_rubric', given, sample('x'), 'PASS')).score).toMatchObject({
      status: 'fail',
      value: 1,
    });
    expect((await graded('llm_rubric', given, sample('x'), 'no idea')).score?.status).toBe(
      'ungraded',
    );
  });
});

describe('criteria', () => {
  const statements = ['Names Paris.', { statement: 'Is friendly.', required: false }];

  test('grades each statement separately and scores the share that holds', async () => {
    const { score, texts } = await graded('criteria', { statements }, sample('Paris'), 'YES', 'NO');
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('Names Paris.');
    expect(texts[0]).not.toContain('Is friendly.');
    expect(score).toMatchObject({
      status: 'pass',
      value: 0.5,
      reason: expect.stringContaining('Is friendly.'),
    });
  });

  test('fails if a required statement does not hold', async () => {
    expect(
      (await graded('criteria', { statements }, sample('Rome'), 'NO', 'YES')).score,
    ).toMatchObject({ status: 'fail', value: 0.5 });
  });

  test('is ungraded if one statement is, and names it', async () => {
    const { score } = await graded(
      'criteria',
      { statements },
      sample('Paris'),
      'YES',
      'perhaps',
      'perhaps',
    );
    expect(score).toMatchObject({ status: 'ungraded', value: null });
    expect(score?.reason).toContain('Is friendly.');
  });

  test('accepts statements from the reference', async () => {
    const { score, texts } = await graded(
      'criteria',
      {},
      sample('x', { expected: ['One.', 'Two.', 'Three.'] }),
      'YES',
      'YES',
      'NO',
    );
    expect(texts).toHaveLength(3);
    expect(score).toMatchObject({ status: 'fail', value: 2 / 3 });
    expect((await graded('criteria', {}, sample('x', { expected: [] }))).score?.status).toBe(
      'error',
    );
  });
});
