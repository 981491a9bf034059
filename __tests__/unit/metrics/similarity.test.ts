import * as jsRouge from 'js-rouge';
import {
  clippedMatches,
  commonSubsequence,
  rougeL,
  rougeN,
  sentenceBleu,
} from '../../../src/metrics/measures/overlap.ts';
import { mtevalWords, rougeWords, squadWords } from '../../../src/metrics/measures/words.ts';
import fc, { draws, forAll, forAllAsync } from '../../fuzz.ts';
import { scoredFor } from './samples.ts';

const bleu = (ignore_case: boolean) => ({ ignore_case, words: '13a', smoothing: 'exp' }) as const;
const split = (text: string) => text.split(' ');

/** Up to 90 words fill three 32-bit integers, so that carries between them are tested. */
const letter = fc.constantFrom('a', 'b', 'c', 'd');
const words = fc.oneof(
  fc.array(letter, { maxLength: 90 }),
  fc.array(letter, { minLength: 33, maxLength: 90 }),
);

describe('ROUGE', () => {
  // C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, sections 2 and 3.1:
  // the sentences S1 to S4.
  const S1 = 'police killed the gunman';
  test.each([
    ['police kill the gunman', 1 / 3, 0.75],
    ['the gunman kill police', 1 / 3, 0.5],
    ['the gunman police killed', 2 / 3, 0.5],
  ])("scores the paper's example %j with ROUGE-2 %d and ROUGE-L %d", (candidate, two, longest) => {
    expect(rougeN(candidate, S1, 2, 1)).toBeCloseTo(two, 12);
    expect(rougeL(candidate, S1, 1)).toBeCloseTo(longest, 12);
  });

  // Scores from google-research's rouge_scorer_test.py for one or two of three words.
  test.each([
    ['one', 1, 1 / 2, null],
    ['one two', 2, 2 / 3, 4 / 5],
    ['one three', 1, 4 / 5, 4 / 5],
  ])('scores %j against three words as rouge_score does', (candidate, n, gram, longest) => {
    expect(rougeN(candidate, 'one two three', n, 1)).toBeCloseTo(gram, 12);
    if (longest !== null) expect(rougeL(candidate, 'one two three', 1)).toBeCloseTo(longest, 12);
  });

  test("weights recall by β as in the paper's F-measure", () => {
    // Precision 1, recall 1/3: (1 + 4) · 1 · 1/3 ÷ (4 · 1 + 1/3)
    expect(rougeN('one', 'one two three', 1, 2)).toBeCloseTo(5 / 3 / (4 + 1 / 3), 12);
    expect(rougeL('one', 'one two three', 2)).toBeCloseTo(5 / 3 / (4 + 1 / 3), 12);
  });

  test('splits ASCII text as rouge_score does, and supports other scripts', () => {
    expect(rougeWords("It's 2-fold, snake_case!")).toEqual(split('it s 2 fold snake case'));
    expect(rougeWords('Übung 東京 мир')).toEqual(['übung', '東', '京', 'мир']);
    expect(rougeL('東京に行く', '東京へ行く', 1)).toBeCloseTo(4 / 5, 12);
  });

  test('clips repeated words to their count in the reference', () => {
    expect(rougeN('the the the the', 'the cat', 1, 1)).toBeCloseTo(1 / 3, 12);
  });

  test('gives 0 for an empty text and 1 for equal texts', () => {
    for (const n of [1, 2]) {
      expect([rougeN('', 'a b', n, 1), rougeN('a b', '', n, 1)]).toEqual([0, 0]);
      expect(rougeN('a b c', 'a b c', n, 1)).toBe(1);
    }
    expect([rougeL('', 'a', 1), rougeL('a', '', 1), rougeL('a b', 'A, b!', 1)]).toEqual([0, 0, 1]);
  });

  test('finds a common subsequence as long as the textbook algorithm does', () => {
    const table = (left: string[], right: string[]) => {
      let row = new Array<number>(right.length + 1).fill(0);
      for (const token of left)
        row = right.reduce(
          (next, wanted, j) => [
            ...next,
            token === wanted ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!),
          ],
          [0],
        );
      return row[right.length]!;
    };
    forAll([words, words], (left, right) =>
      expect(commonSubsequence(left, right)).toBe(table(left, right)),
    );
  });

  test('agrees with js-rouge on the ROUGE-L score of one sentence', () => {
    const options = { tokenizer: rougeWords, segmenter: (text: string) => [text] };
    forAll([words, words], (left, right) => {
      fc.pre(left.length > 0 && right.length > 0);
      const [a, b] = [left.join(' '), right.join(' ')];
      expect(rougeL(a, b, 1)).toBeCloseTo(jsRouge.l(a, b, options), 9);
    });
  });
});

describe('BLEU', () => {
  // K. Papineni et al., "BLEU", 2002, section 2.1: the candidates on the military guide and on "the
  // the the".
  const references = [
    'It is a guide to action that ensures that the military will forever heed Party commands',
    'It is the guiding principle which guarantees the military forces always being under the command of the Party',
    'It is the practical guide for the army always to heed the directions of the party',
  ];
  const first =
    'It is a guide to action which ensures that the military always obeys the commands of the party';
  const second =
    'It is to insure the troops forever hearing the activity guidebook that party direct';
  const cats = ['the cat is on the mat', 'there is a cat on the mat'];

  test.each([
    [first, references, 1, 17, 18],
    [first, references, 2, 10, 17],
    [second, references, 1, 8, 14],
    [second, references, 2, 1, 13],
    ['the the the the the the the', cats, 1, 2, 7],
  ])("reproduces the paper's n-gram precision of %j", (candidate, of, n, correct, total) => {
    expect(clippedMatches(split(candidate), of.map(split), n)).toEqual({ correct, total });
  });

  test("matches sacreBLEU's published score for a sentence in which some n-gram lengths have no match", () => {
    // sacreBLEU, test/test_sentence_bleu.py (its issue 98): exp smoothing, 13a, effective order:
    // 8.493.
    const candidate = 'Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;';
    const reference = 'producţia de zahăr brut se exprimă în zahăr alb;';
    expect(sentenceBleu(candidate, [reference], bleu(false)) * 100).toBeCloseTo(8.493, 3);
    // The same file, issue 141: texts without common words score 0 despite smoothing.
    expect(sentenceBleu('this is a cat', ['okay thanks'], bleu(false))).toBe(0);
  });

  test('applies a brevity penalty to short answers and uses only n-gram lengths that they contain', () => {
    // sacreBLEU, test/test_bleu.py: "test" against "a test" is exp(1 − 2/1).
    expect(sentenceBleu('test', ['a test'], bleu(false))).toBeCloseTo(Math.exp(-1), 12);
    expect(sentenceBleu('a test', ['a test'], bleu(false))).toBeCloseTo(1, 12);
    expect(sentenceBleu('this is a test', ['this is a test'], bleu(false))).toBeCloseTo(1, 12);
  });

  test('is case-sensitive unless ignore_case is set', () => {
    expect(sentenceBleu('A TEST', ['a test'], bleu(false))).toBe(0);
    expect(sentenceBleu('A TEST', ['a test'], bleu(true))).toBeCloseTo(1, 12);
  });

  test.each([
    ["Don't pay $1,000.50, (ever)!", "Don't pay $ 1,000.50 , ( ever ) !"],
    ['1990-2000 &quot;A&amp;B&quot; 5.', '1990 - 2000 " A & B " 5 .'],
    ['well-known\nline', 'well-known line'],
  ])('splits words as mteval-v13a does: %j', (text, wanted) => {
    expect(mtevalWords(text)).toEqual(split(wanted));
  });

  test('gives an empty answer the score 0', () =>
    expect(sentenceBleu('', ['a'], bleu(false))).toBe(0));
});

describe('Levenshtein', () => {
  // Textbook pairs.
  test.each([
    ['kitten', 'sitting', 3],
    ['flaw', 'lawn', 2],
    ['saturday', 'sunday', 3],
    ['', 'abc', 3],
    ['same', 'same', 0],
  ])('turns %s into %s with %d edits', async (left, right, edits) => {
    const similarity = 1 - edits / Math.max(left.length, right.length);
    expect(await scoredFor('levenshtein', left, right, { max_distance: edits })).toMatchObject({
      status: 'pass',
      value: expect.closeTo(similarity, 12),
    });
    if (edits === 0) return;
    const tight = await scoredFor('levenshtein', left, right, { max_distance: edits - 1 });
    expect(tight.status).toBe('fail');
  });

  test('gives two empty texts the score 1', async () =>
    expect(await scoredFor('levenshtein', '', '')).toMatchObject({ status: 'pass', value: 1 }));
});

describe('token_f1', () => {
  // Computed by hand according to SQuAD's evaluation script.
  test.each([
    ['The cat!', 'a cat', 1],
    ['cat sat', 'cat', 2 / 3],
    ['dog', 'cat', 0],
    // SQuAD's script reduces these to empty texts and treats two empty texts as different.
    ['the', 'an', 0],
    ['the', 'The!', 1],
    ['!', '?', 0],
    ['', '', 1],
    // SQuAD's script would read 1.5 as 15.
    ['15', '1.5', 0],
    ['-5', '5', 0],
    ['It is 1.5.', 'it is 1.5', 1],
    ['', 'cat', 0],
    ['cat cat', 'cat', 2 / 3],
  ])('scores %j against %j with %d', async (output, expected, wanted) => {
    expect((await scoredFor('token_f1', output, expected)).value).toBeCloseTo(wanted, 12);
  });

  test('ignores case, punctuation and articles', () => {
    expect(squadWords('The  U.S. — an “idea”')).toEqual(['us', 'idea']);
  });
});

describe('similarity metrics', () => {
  const names = ['levenshtein', 'token_f1', 'rouge_1', 'rouge_2', 'rouge_l', 'bleu'];
  test.each(names)('%s is 0 to 1 and uses the best of several expected texts', async (uses) => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '.', '👍'), maxLength: 30 });

    await forAllAsync(
      [text, text, text],
      async (output, one, other) => {
        const value = async (expected: string | string[]) =>
          Number((await scoredFor(uses, output, expected)).value);
        const [first, second] = [await value(one), await value(other)];
        const both = await value([one, other]);
        for (const found of [first, second, both]) {
          expect(found).toBeGreaterThanOrEqual(0);
          expect(found).toBeLessThanOrEqual(1 + 1e-12);
        }
        if (uses !== 'bleu') expect(both).toBeCloseTo(Math.max(first, second), 12);
      },
      { numRuns: draws(60) },
    );
  });

  test.each(names)('%s is 1 for equal texts and an error without expected texts', async (uses) => {
    const text = 'some plain words here';
    expect(await scoredFor(uses, text, text)).toMatchObject({
      status: 'pass',
      value: expect.closeTo(1, 12),
    });
    expect((await scoredFor(uses, 'x', [])).status).toBe('error');
  });
});
