import { describe, expect, test } from '@jest/globals';
import { answersToLabel, toLabelBlocks } from '../../../src/report/label-next.ts';
import { renderBlocks } from '../../../src/report/terminal.ts';
import type { ReferenceResult, TryResult } from '../../../src/result/reference-result.ts';
import type { Result } from '../../../src/result/result.ts';
import type { SuiteResult } from '../../../src/result/suite-result.ts';
import { resultOf } from './results.ts';

const graded = (actual: string, label: string | null): TryResult =>
  ({
    actual,
    scores: [
      label === null
        ? { metric: 'kind', status: 'ungraded', value: null, reason: 'no label', skip: false }
        : { metric: 'kind', status: 'pass', value: 1, reason: null, skip: false, label },
    ],
  }) as unknown as TryResult;

const judged = (question: string, answer: string, words: string[]): TryResult =>
  ({
    actual: answer,
    scores: [],
    conversation: {
      outcome: 'complete',
      turns_to: {},
      turns: [
        {
          question,
          asked_by: null,
          answer,
          satisfied: null,
          verdicts: words.map((word, index) => ({
            evaluator: `e${String(index)}`,
            words: { right: word },
            analysis: null,
            follow_up: null,
          })),
        },
      ],
    },
  }) as unknown as TryResult;

function resultWith(tries: Record<string, TryResult[]>): Result {
  const references = Object.entries(tries).map(
    ([id, own]) => ({ id, base: null, head: { tries: own } }) as unknown as ReferenceResult,
  );
  return resultOf({ suites: [{ name: 'shop', references } as unknown as SuiteResult] });
}

const METRICS = [{ suite: 'shop', metrics: new Set(['kind']) }];

describe('the answers that are worth a label', () => {
  const result = resultWith({
    agreed: [graded('fine', 'YES'), graded('good', 'YES')],
    split: [graded('a', 'YES'), graded('b', 'NO')],
    mostly: [graded('c', 'YES'), graded('d', 'NO'), graded('e', 'YES')],
    unread: [graded('f', null)],
  });

  test('are those that tries of one reference disagree on or that cannot be read, the most disputed first', () => {
    const found = answersToLabel(result, METRICS, new Set());
    expect(found.map(({ reference, content }) => [reference, content])).toEqual([
      ['unread', 'f'],
      ['split', 'a'],
      ['mostly', 'd'],
    ]);
    expect(found[2]).toMatchObject({ side: 'head', labels: ['YES', 'NO', 'YES'] });
  });

  test('are not those that have a label, nor of another suite', () => {
    expect(
      answersToLabel(result, METRICS, new Set(['f', 'a'])).map(({ content }) => content),
    ).toEqual(['d']);
    expect(answersToLabel(result, [], new Set())).toEqual([]);
  });

  test('of conversations are first answers on which the evaluators differ', () => {
    const talks = resultWith({
      sure: [judged('q', 'x', ['yes', 'yes'])],
      torn: [judged('why?', 'y', ['yes', 'no'])],
    });
    expect(answersToLabel(talks, [{ suite: 'shop', metrics: null }], new Set())).toMatchObject([
      { reference: 'torn', question: 'why?', content: 'y', labels: ['accepted', 'rejected'] },
    ]);
  });

  test('are shown with what was said of them, or that there are none', () => {
    const width = { width: 120, colour: false };
    const shown = renderBlocks(
      toLabelBlocks('polite', answersToLabel(result, METRICS, new Set())),
      width,
    );
    expect(shown).toContain('polite: 3 answers worth a label');
    expect(shown).toMatch(/shop › mostly on head +YES 2, NO 1 +d/);
    expect(renderBlocks(toLabelBlocks('polite', []), width)).toBe(
      'polite: no answer of this run is disputed.',
    );
  });
});
