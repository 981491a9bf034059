import { readGrade } from '../../../src/metrics/grade.ts';
import { metrics } from '../../../src/metrics/index.ts';
import { findKeywords } from '../../../src/metrics/keywords.ts';
import { labelInLine } from '../../../src/metrics/label.ts';
import { letters } from '../../fuzz.ts';
import { processorSeconds } from '../../stand-ins/processor-time.ts';
import { builtIn, fromExample, scored, scoredFor } from './samples.ts';

// CI uses texts of full length. A parser that takes quadratic time exceeds this limit there.
const SECONDS = 20;
const pieces = [
  ['{', '[', '<', '!', '`', '"', "'", '\\', '.', '*', '_', '（', '\u0301', '👍', '\ud800'],
  [' ', '\n', '-\n', '```', '&amp;', '{"a":', '[[', '{{', '{a', '- '],
  ['1', '1,', '1,000', 'a@', 'A', 'a ', 'YES ', 'N/A ', 'the ', 'I ', 'sorry '],
].flat();
const hostile = pieces.map((piece) => [
  JSON.stringify(piece),
  piece.repeat(Math.ceil(letters(100_000) / piece.length)),
]);

const plain = [...new Set(metrics.values())].filter(
  ({ name, needs }) => !needs.model && name !== 'passes_ast',
);

describe('hostile text of up to 100 kB', () => {
  test.each(hostile)('%s is scored by every metric in linear time', async (_, text) => {
    const thread = [{ role: 'assistant' as const, content: text }];
    const seconds = await processorSeconds(async () => {
      for (const { name, example } of plain) {
        const answer = fromExample({ ...example, output: text, thread });
        expect((await scored(builtIn(name, example.with), answer)).metric).toBe(name);
      }
    });
    expect(seconds).toBeLessThan(SECONDS);
  });

  test.each(hostile)(
    '%s is parsed by the readers of replies, labels and rubrics in linear time',
    async (_, text) => {
      const seconds = await processorSeconds(() => {
        for (const tail of ['', 'YES', '\nYES', '}', '\n```']) {
          for (const order of ['classify', 'cot_classify', 'classify_cot'] as const)
            readGrade(text + tail, ['YES', 'NO', 'A', 'N/A'], order);
          labelInLine(text + tail, ['YES', 'NO', 'A', '1', '.', 'I']);
        }
        expect(findKeywords(text).every(({ start, end }) => start < end)).toBe(true);
      });
      expect(seconds).toBeLessThan(SECONDS);
    },
  );

  test('with 20,000 JSON entries is compared in any order without comparing every pair', async () => {
    const many = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index })));
    const others = many.replaceAll('index', 'other');
    const given = { ignore_order: true, abs_tol: 0.1 };
    const seconds = await processorSeconds(async () => {
      expect(await scoredFor('json_match', many, others, given)).toMatchObject({
        status: 'fail',
        value: 0,
      });
    });
    expect(seconds).toBeLessThan(SECONDS);
  });

  test.each(['levenshtein', 'rouge_l', 'bleu'])(
    '%s returns an error for texts too long to compare',
    async (name) =>
      expect(await scoredFor(name, 'ab '.repeat(100_000), 'ab '.repeat(100_000))).toMatchObject({
        status: 'error',
        reason: 'the answer and the expected text are too long to compare',
      }),
  );

  test.each(['levenshtein', 'token_f1', 'rouge_1', 'rouge_2', 'rouge_l', 'bleu'])(
    '%s compares two texts of 40,000 characters',
    async (name) => {
      const long = 'ab c '.repeat(8_000);
      const seconds = await processorSeconds(async () => {
        expect((await scoredFor(name, `${long}x`, long)).status).toBe('pass');
      });
      expect(seconds).toBeLessThan(SECONDS);
    },
  );
});
