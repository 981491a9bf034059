import { readEvaluation } from '../../../../src/features/conversations/evaluators.ts';

const CRITERIA = ['understanding', 'correctness', 'completeness'];
const read = (output: string) => readEvaluation(output, CRITERIA);

describe('evaluator reply in JSON', () => {
  test('contains a verdict per criterion, an analysis and a follow-up question', () => {
    expect(
      read(
        '{"analysis": "Fine. ", "understanding": "yes", "correctness": "No.", "completeness": "unknown", "follow_up": "And then?"}',
      ),
    ).toEqual({
      words: { understanding: 'yes', correctness: 'no', completeness: 'unknown' },
      missing: [],
      analysis: 'Fine.',
      follow_up: 'And then?',
    });
  });

  test('lists missing and invalid verdicts as missing', () => {
    expect(read('{"understanding": "yes", "completeness": 7}')).toMatchObject({
      words: { understanding: 'yes' },
      missing: ['correctness', 'completeness'],
    });
  });

  test.each(['', '  ', 'none', 'None.', 'N/A', '-', 'No follow-up needed.'])(
    'with %p as the follow-up question is read without one',
    (follow_up) => {
      expect(read(JSON.stringify({ understanding: 'yes', follow_up }))?.follow_up).toBeNull();
    },
  );

  test('keeps a follow-up question that only begins like a refusal', () => {
    expect(
      read(JSON.stringify({ understanding: 'no', follow_up: 'None of this runs, why?' }))
        ?.follow_up,
    ).toBe('None of this runs, why?');
  });
});

test.each([
  '',
  'I cannot judge this.',
  '### Understanding\nyes\n### Correctness\nno',
  '{"choice": "yes"}',
  '[1, 2]',
  '{"understanding": "maybe"}',
])('the reply %p is not an evaluation', (output) => {
  expect(read(output)).toBeNull();
});

test('a custom criterion may have any valid variable name', () => {
  expect(
    readEvaluation('{"Names sources": "yes", "is_polite": "no"}', ['names_sources', 'is_polite'])
      ?.words,
  ).toEqual({ names_sources: 'yes', is_polite: 'no' });
});

test('a hostile reply of one megabyte is read in linear time', () => {
  for (const part of ['### ', '- ', '1.', ' :', '= ', '{', '_', 'correctness\n', 'correctness: ']) {
    expect(read(part.repeat(1_000_000 / part.length))).toBeNull();
  }
  expect(
    read(JSON.stringify({ understanding: 'yes', follow_up: `${'-'.repeat(900_000)}x` }))?.follow_up,
  ).toHaveLength(900_001);
});
