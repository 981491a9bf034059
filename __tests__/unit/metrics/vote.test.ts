import { describe, expect, test } from '@jest/globals';
import { type Grade, majority } from '../../../src/metrics/grade.ts';
import { scoreMetric } from '../../../src/metrics/index.ts';
import type { Score } from '../../../src/types/metric.ts';
import type { Completion, Grader, Request } from '../../../src/types/model.ts';
import { answered, rubricMetric, rubricOf, sample, tools } from './samples.ts';

const graderOf = (model: string): Grader => ({
  target: { provider: 'openai', endpoint: null, model },
  parameters: {},
});
const down: Completion = { status: 'error', kind: 'server', message: 'openai: 500' };

async function voted(
  says: Record<string, string | Completion>,
): Promise<{ score: Score | undefined; asked: Request[] }> {
  const asked: Request[] = [];
  const complete = async (request: Request): Promise<Completion> => {
    asked.push(request);
    const reply = says[request.target.model] ?? '';
    return typeof reply === 'string' ? answered(reply) : reply;
  };
  const [score] = await scoreMetric(
    rubricMetric('r'),
    [sample('Hello')],
    tools({
      complete,
      graders: Object.keys(says).map(graderOf),
      rubrics: new Map([['r', rubricOf('{completion}')]]),
    }),
  );
  return { score, asked };
}

describe('several graders', () => {
  test("get the same question, and the majority's label counts, with the dissenters in the reason", async () => {
    const { score, asked } = await voted({ one: 'Friendly.\nYES', two: 'NO', three: 'YES' });
    expect(score).toMatchObject({
      status: 'pass',
      value: 1,
      reason: 'YES: Friendly. (2 of 3 graders; two: NO)',
    });
    expect(new Set(asked.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect((await voted({ one: 'NO', two: 'NO', three: 'NO' })).score).toMatchObject({
      status: 'fail',
      reason: 'NO: (3 of 3 graders)',
    });
  });

  test('still decide when one of them fails or is unreadable', async () => {
    expect((await voted({ one: down, two: 'YES', three: 'YES' })).score).toMatchObject({
      status: 'pass',
      reason: 'YES: (2 of 3 graders; one: error)',
    });
    expect((await voted({ one: 'perhaps', two: 'NO', three: 'NO' })).score).toMatchObject({
      status: 'fail',
      reason: 'NO: (2 of 3 graders; one: ungraded)',
    });
  });

  test('give no number without an absolute majority', async () => {
    expect((await voted({ one: 'perhaps', two: 'NO', three: 'YES' })).score).toMatchObject({
      status: 'ungraded',
      reason: 'the graders give no majority (one: ungraded, two: NO, three: YES)',
    });
    expect((await voted({ one: down, two: down, three: 'YES' })).score).toMatchObject({
      status: 'error',
      reason:
        'only 1 of 3 graders gave a label; one: the grader failed: openai: 500; two: the grader failed: openai: 500',
    });
  });

  test('can all differ if there are more than two labels', () => {
    const grade = (label: string): Grade => ({ status: 'graded', label, score: 0, reasons: null });
    const votes = ['A', 'B', 'C'].map((label) => ({ grader: `g${label}`, grade: grade(label) }));
    expect(majority(votes)).toEqual({
      status: 'ungraded',
      reason: 'the graders give no majority (gA: A, gB: B, gC: C)',
    });
    expect(
      majority([
        ...votes,
        { grader: 'g4', grade: grade('B') },
        { grader: 'g5', grade: grade('B') },
      ]),
    ).toMatchObject({ label: 'B', reasons: '(3 of 5 graders; gA: A, gC: C)' });
  });
});
