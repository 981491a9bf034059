import { describe, expect, test } from '@jest/globals';
import { readGrade } from '../../../src/metrics/grade.ts';
import { findKeywords } from '../../../src/metrics/grader-prompt.ts';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import { labelInLine } from '../../../src/metrics/label.ts';
import { letters } from '../../fuzz.ts';
import { builtIn, fromExample, tools } from './samples.ts';

// A parser that takes quadratic time on one of these does not end within jest's limit in CI, where
// texts have their whole length.
const pieces = [
  '{',
  '[',
  '<',
  ' ',
  '\n',
  '!',
  '1',
  'a@',
  '`',
  '"',
  '\\',
  '{"a":',
  '[[',
  '- ',
  '1,',
  '1,000',
  'A',
  'a ',
  '.',
  '*',
  '_',
  'YES ',
  'N/A ',
  '{{',
  '{a',
  '\u0301',
  '👍',
  '\ud800',
  '&amp;',
  "'",
  'the ',
  '-\n',
  '```',
  '（',
  'I ',
  'sorry ',
];
const hostile = pieces.map(
  (piece) =>
    [JSON.stringify(piece), piece.repeat(Math.ceil(letters(100_000) / piece.length))] as const,
);

const plain = [...metrics.values()].filter(
  ({ name, needs }) => !needs.model && name !== 'passes_ast',
);

describe('up to 100 kB of one thing', () => {
  test.each(hostile)(
    '%s through every metric',
    async (_, text) => {
      for (const { name, example } of plain) {
        const scores = await scoreMetric(
          builtIn(name, example.with),
          [
            fromExample({
              ...example,
              output: text,
              thread: [{ role: 'assistant', content: text }],
            }),
          ],
          tools(),
        );
        expect(scores).toHaveLength(1);
        expect(scores[0]?.metric).toBe(name);
      }
    },
    20_000,
  );

  test.each(hostile)('%s through the readers of replies, labels and rubrics', (_, text) => {
    for (const tail of ['', 'YES', '\nYES', '}', '\n```']) {
      for (const order of ['classify', 'cot_classify', 'classify_cot'] as const)
        readGrade(text + tail, ['YES', 'NO', 'A', 'N/A'], order);
      labelInLine(text + tail, ['YES', 'NO', 'A', '1', '.', 'I']);
    }
    expect(findKeywords(text).every(({ start, end }) => start < end)).toBe(true);
  });

  test('JSON of 50,000 entries against as many, in any order', async () => {
    const many = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index })));
    const [score] = await scoreMetric(
      builtIn('json_match', { ignore_order: true, abs_tol: 0.1 }),
      [
        fromExample({
          output: many,
          expected: many.replaceAll('index', 'other'),
          value: 0,
          pass: false,
        }),
      ],
      tools(),
    );
    expect(score).toMatchObject({ status: 'fail', value: 0 });
  });

  test('texts too long to compare are an error, not minutes of work', async () => {
    const long = 'ab '.repeat(100_000);
    for (const name of ['levenshtein', 'rouge_l', 'bleu', 'chrf']) {
      const [score] = await scoreMetric(
        builtIn(name),
        [fromExample({ output: long, expected: long, value: 0, pass: false })],
        tools(),
      );
      expect(score).toMatchObject({
        status: 'error',
        reason: 'the answer and the expected text are too long to compare',
      });
    }
  });

  test('two long texts are compared by every similarity', async () => {
    const long = 'ab c '.repeat(8_000);
    for (const name of [
      'levenshtein',
      'token_f1',
      'rouge_1',
      'rouge_2',
      'rouge_l',
      'bleu',
      'chrf',
    ]) {
      const [score] = await scoreMetric(
        builtIn(name),
        [fromExample({ output: `${long}x`, expected: long, value: 0, pass: false })],
        tools(),
      );
      expect(score?.status).toBe('pass');
    }
  }, 20_000);
});
