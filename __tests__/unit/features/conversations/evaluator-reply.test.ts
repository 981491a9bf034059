import { readEvaluation } from '../../../../src/features/conversations/evaluator-reply.ts';

const CRITERIA = ['understanding', 'correctness', 'completeness'];
const read = (output: string) => readEvaluation(output, CRITERIA);
const words = (output: string) => {
  const found = read(output);
  return found === null ? null : Object.values(found.words).join(' ');
};

const HEADINGS = `### Step-by-step analysis
The answer is about sorting.
It uses the wrong key.

### Follow-up question
What about names that start with a capital?

### Understanding
Yes

### Correctness
No

### Completeness
Yes`;

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

  test.each([
    [
      'in a fence',
      '```json\n{"understanding": "yes", "correctness": "yes", "completeness": "no"}\n```',
    ],
    [
      'after a remark',
      'Here it is:\n{"understanding": "yes", "correctness": "yes", "completeness": "no"}',
    ],
    ['with true and false', '{"understanding": true, "correctness": true, "completeness": false}'],
    [
      'with other spellings of the keys',
      '{"Understanding": "YES", "CORRECTNESS": "Yes.", "Completeness ": "**no**"}',
    ],
  ])('is read even %s', (_, output) => {
    expect(words(output)).toBe('yes yes no');
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

describe('evaluator reply with headings', () => {
  test('contains a verdict per criterion, an analysis and a follow-up question', () => {
    expect(read(HEADINGS)).toEqual({
      words: { understanding: 'yes', correctness: 'no', completeness: 'yes' },
      missing: [],
      analysis: 'The answer is about sorting.\nIt uses the wrong key.',
      follow_up: 'What about names that start with a capital?',
    });
  });

  test.each([
    ['with two hashes', HEADINGS.replaceAll('###', '##')],
    ['in another order', HEADINGS.split('\n\n').reverse().join('\n\n')],
    ['with full stops', HEADINGS.replaceAll('Yes', 'Yes.').replace('\nNo', '\nNo.')],
    ['in bold', HEADINGS.replaceAll(/### (.*)/g, '**$1**').replaceAll('Yes', '**Yes**')],
    ['with colons', HEADINGS.replaceAll(/### (.*)/g, '$1:')],
    ['on one line each', 'Understanding: yes\n**Correctness:** No\n3. Completeness - Yes.'],
    ['with numbers', HEADINGS.replaceAll(/### (.*)/g, '### 1. $1')],
    ['with Windows line endings', HEADINGS.replaceAll('\n', '\r\n')],
  ])('is read even %s', (_, output) => {
    expect(words(output)).toBe('yes no yes');
  });

  test('is not read from prose that mentions a criterion', () => {
    expect(
      read(
        'Correctness: the code would not run.\nThe understanding is fine and completeness is another matter.',
      ),
    ).toBeNull();
  });

  test("ignores analysis under a criterion's heading", () => {
    expect(words(`**Correctness**\nIt would not run.\n\n${HEADINGS}`)).toBe('yes no yes');
  });

  test('has no verdict on a criterion with contradictory words', () => {
    expect(read(`${HEADINGS}\n\n### Correctness\nYes`)).toMatchObject({
      words: { understanding: 'yes', completeness: 'yes' },
      missing: ['correctness'],
    });
  });

  test.each(['partially', 'Not really.', 'in part, yes'])(
    'has no verdict on a criterion that is first %j and then yes',
    (first) => {
      const output = `${HEADINGS}\ncompleteness: ${first}`;
      expect(read(output)?.missing).toEqual(['completeness']);
      expect(read(`Completeness: ${first}\n\n${HEADINGS}`)?.missing).toEqual(['completeness']);
    },
  );

  test('has no verdict on a criterion if it says "Yes and no"', () => {
    expect(read(HEADINGS.replace('\nNo', '\nYes and no'))?.missing).toEqual(['correctness']);
  });
});

test.each([
  '',
  'I cannot judge this.',
  '{"choice": "yes"}',
  '[1, 2]',
  '{"understanding": "maybe"}',
])('the reply %p is not an evaluation', (output) => {
  expect(read(output)).toBeNull();
});

test('a custom criterion may have any valid variable name', () => {
  expect(
    readEvaluation('### Names sources\nyes\n### is_polite\nno', ['names_sources', 'is_polite'])
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
