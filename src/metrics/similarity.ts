import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import type { Json } from '../types/plain.ts';
import { alternatives } from './answer.ts';
import { defineComparison } from './comparison.ts';
import {
  atLeast,
  measureError,
  passOrFail,
  reaches,
  type Measurement,
  type MetricDefinition,
  type MetricExample,
} from './definition.ts';
import { comparable, ignoreCase, normalisation } from './measures/normalise.ts';
import { rougeL, rougeN, sentenceBleu } from './measures/overlap.ts';
import { countNgrams, f1, overlap, squadWords } from './measures/words.ts';

/** Pairs of characters. With more, the quadratic comparison takes many seconds. */
const MAX_PAIRS = 2e10;

function compareTexts(
  output: string,
  expected: Json,
  compare: (texts: string[]) => Measurement,
): Measurement {
  const texts = alternatives(expected);
  const pairs = texts.reduce((sum, text) => sum + text.length * output.length, 0);
  return pairs > MAX_PAIRS
    ? measureError('the answer and the expected text are too long to compare')
    : compare(texts);
}

function best(
  output: string,
  expected: Json,
  needed: number,
  similarity: (text: string) => number,
): Measurement {
  return compareTexts(output, expected, (texts) =>
    atLeast(Math.max(...texts.map(similarity)), needed),
  );
}

const levenshtein = defineComparison({
  name: 'levenshtein',
  group: 'similarity',
  summary:
    'How much of the longer text is unchanged: 1 − edit distance ÷ length of the longer ' +
    'text. If a list is expected, its closest entry counts.',
  parameters: {
    ...normalisation,
    max_distance: z
      .int()
      .min(0)
      .optional()
      .describe('Largest number of edits that passes. If set, it replaces the limit of 0.8.'),
  },
  range: '0 to 1',
  passes: 'at 0.8 or more, or within `max_distance` edits if set',
  source: 'Levenshtein (1966), over UTF-16 units; scaled as in autoevals `Levenshtein`',
  example: { output: 'sitting', expected: 'kitten', value: 1 - 3 / 7, pass: false },
  measure: ({ output, expected, options }) =>
    compareTexts(output, expected, (texts) => {
      const found = texts.map((text) => {
        const { actual, wanted } = comparable(output, text, options);
        const longest = Math.max(actual.length, wanted.length);
        const edits = distance(actual, wanted);
        return { edits, similarity: longest === 0 ? 1 : 1 - edits / longest };
      });
      const similarity = Math.max(...found.map((text) => text.similarity));
      const fewest = Math.min(...found.map(({ edits }) => edits));
      const { max_distance } = options;
      const pass = max_distance === undefined ? reaches(similarity, 0.8) : fewest <= max_distance;
      const reason = `${fewest} edits, similarity ${similarity.toFixed(3)}`;
      return passOrFail(pass, reason, similarity);
    }),
});

const tokenF1 = defineComparison({
  name: 'token_f1',
  group: 'similarity',
  summary:
    'How many words the answer and the expected text share: the harmonic mean of precision ' +
    'and recall. Ignores case, English articles and punctuation, except in numbers and ' +
    'operators. If a list is expected, its best entry counts.',
  parameters: {},
  range: '0 to 1',
  passes: 'at 0.5 or more',
  source: 'SQuAD evaluation (Rajpurkar et al., 2016)',
  example: {
    output: 'The Eiffel Tower, in Paris',
    expected: 'Eiffel Tower',
    value: 2 / 3,
    pass: true,
  },
  measure: ({ output, expected }) =>
    best(output, expected, 0.5, (text) => {
      const words = squadWords(output);
      const wanted = squadWords(text);
      return f1(
        overlap(countNgrams(words, 1), countNgrams(wanted, 1)),
        words.length,
        wanted.length,
      );
    }),
});

const beta = {
  beta: z
    .number()
    .positive()
    .default(1)
    .describe('Weight of recall against precision in the F-measure.'),
};

function rouge(
  name: string,
  what: string,
  example: MetricExample,
  similarity: (candidate: string, reference: string, beta: number) => number,
): MetricDefinition {
  return defineComparison({
    name,
    group: 'similarity',
    summary:
      `${what} that the answer and the expected text share, as an F-measure. If a list is ` +
      'expected, its best entry counts.',
    parameters: beta,
    range: '0 to 1',
    passes: 'at 0.75 or more',
    source:
      "Lin (2004); equals Google's `rouge_score` without stemming on ASCII text; other scripts count too",
    example,
    measure: ({ output, expected, options }) =>
      best(output, expected, 0.75, (text) => similarity(output, text, options.beta)),
  });
}

const rougeExample = { expected: 'police killed the gunman', output: 'police kill the gunman' };

const rouges = [
  rouge(
    'rouge_1',
    'Words',
    { ...rougeExample, value: 0.75, pass: true },
    (candidate, reference, weight) => rougeN(candidate, reference, 1, weight),
  ),
  rouge(
    'rouge_2',
    'Pairs of adjacent words',
    { ...rougeExample, value: 1 / 3, pass: false },
    (candidate, reference, weight) => rougeN(candidate, reference, 2, weight),
  ),
  rouge(
    'rouge_l',
    'Words in the same order (longest common subsequence)',
    { ...rougeExample, value: 0.75, pass: true },
    rougeL,
  ),
];

const bleu = defineComparison({
  name: 'bleu',
  group: 'similarity',
  summary:
    'Precision of sequences of up to four words, with a penalty for short answers. A list is ' +
    'a set of reference texts for the same answer, as BLEU defines it.',
  parameters: {
    ignore_case: ignoreCase(false),
    words: z
      .enum(['13a', 'spaces'])
      .default('13a')
      .describe('How to split words: with the tokeniser 13a, or at spaces.'),
    smoothing: z
      .enum(['exp', 'floor'])
      .default('exp')
      .describe(
        'How a sequence length without any match counts: as a fraction of one match, which ' +
          'halves each time (exp), or as nearly 0 (floor, as in promptfoo).',
      ),
  },
  range: '0 to 1',
  passes: 'at 0.5 or more',
  source:
    'Papineni et al. (2002); sacreBLEU `sentence_bleu` ÷ 100: tokeniser 13a, exponential ' +
    'smoothing, effective order',
  example: {
    output: 'this is a fest',
    expected: 'this is a test',
    value: Math.sqrt(Math.sqrt(((((((3 / 4) * 2) / 3) * 1) / 2) * 1) / 2)),
    pass: true,
  },
  measure: ({ output, expected, options }) =>
    compareTexts(output, expected, (texts) => atLeast(sentenceBleu(output, texts, options), 0.5)),
});

export const similarityMetrics: readonly MetricDefinition[] = [
  levenshtein,
  tokenF1,
  ...rouges,
  bleu,
];
