import { describe, expect, test } from '@jest/globals';
import { majority } from '../../../src/metrics/grade.ts';
import type { Completion, Grader, Request } from '../../../src/types/model.ts';
import { answered, rubricMetric, rubricOf, scored } from './samples.ts';

const graderOf = (model: string): Grader => ({
  target: { provider: 'openai', endpoint: null, model },
  parameters: {},
});
const down: Completion = { status: 'error', kind: 'server', message: 'openai: 500' };

/** The score of graders called one, two and three, who say this. */
async function voted(...says: (string | Completion)[]) {
  const asked: Request[] = [];
  const names = ['one', 'two', 'three'];
  const complete = async (request: Request): Promise<Completion> => {
    asked.push(request);
    const reply = says[names.indexOf(request.target.model)] ?? '';
    return typeof reply === 'string' ? answered(reply) : reply;
  };
  const rubrics = new Map([['r', rubricOf('{completion}')]]);
  const graders = names.map(graderOf);
  return { score: await scored(rubricMetric('r'), 'Hello', { complete, graders, rubrics }), asked };
}

describe('several graders', () => {
  test('get the same question', async () => {
    const { asked } = await voted('YES', 'NO', 'YES');
    expect(new Set(asked.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
  });

  const none = 'the graders give no majority';
  test.each<[string, (string | Completion)[], string, string]>([
    [
      "give the majority's label and name the dissenters",
      ['Friendly.\nYES', 'NO', 'YES'],
      'pass',
      'YES: Friendly. (2 of 3 graders; two: NO)',
    ],
    ['give the label of all', ['NO', 'NO', 'NO'], 'fail', 'NO: (3 of 3 graders)'],
    ['decide if one fails', [down, 'YES', 'YES'], 'pass', 'YES: (2 of 3 graders; one: error)'],
    [
      'decide if one is unreadable',
      ['perhaps', 'NO', 'NO'],
      'fail',
      'NO: (2 of 3 graders; one: ungraded)',
    ],
    [
      'give no number without an absolute majority',
      ['perhaps', 'NO', 'YES'],
      'ungraded',
      `${none} (one: ungraded, two: NO, three: YES)`,
    ],
    [
      'are an error if most of them fail',
      [down, down, 'YES'],
      'error',
      'only 1 of 3 graders gave a label; one: the grader failed: openai: 500; two: the grader failed: openai: 500',
    ],
  ])('%s', async (_, says, status, reason) => {
    const value = { pass: 1, fail: 0 }[status] ?? null;
    expect((await voted(...says)).score).toMatchObject({ status, value, reason });
  });

  test('can all differ if there are more than two labels', () => {
    const vote = (grader: string, label: string) => ({
      grader,
      grade: { status: 'graded' as const, label, score: 0, reasons: null },
    });
    const votes = ['A', 'B', 'C'].map((label) => vote(`g${label}`, label));
    const reason = `${none} (gA: A, gB: B, gC: C)`;
    expect(majority(votes)).toEqual({ status: 'ungraded', reason });
    expect(majority([...votes, vote('g4', 'B'), vote('g5', 'B')])).toMatchObject({
      label: 'B',
      reasons: '(3 of 5 graders; gA: A, gC: C)',
    });
  });
});
