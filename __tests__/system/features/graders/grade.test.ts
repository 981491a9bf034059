import type { RepeatedRubricTest } from '../../../../src/features/graders/rubric-tests.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { gradeIn } from './graded.ts';

const RUBRICS = `polite:
  prompt: "Is it polite? {content}"
  choice_scores: { YES: 1, NO: 0 }
  examples:
    - { content: Hello there, expected: YES }
    - { content: Go away, expected: NO }
    - { content: Well then, expected: NO }
untested:
  prompt: "Is it short? {content}"
  choice_scores: { YES: 1, NO: 0 }
`;
const SETTINGS = `grader: judge
models:
  judge: { provider: openai, endpoint: local, model: judge-1 }
  other: { provider: openai, endpoint: local, model: judge-2 }
`;

const grade = (args: readonly string[], answer: Script, files: Record<string, string> = {}) =>
  gradeIn({ 'evaldiff.yaml': SETTINGS, 'rubrics/r.yaml': RUBRICS, ...files }, args, answer);

/**
 * A grader that is certain about the first two examples and changes its grade of the third every
 * third time.
 */
function wavering(): Script {
  let asked = 0;
  return ({ messages }) => {
    const text = messages.at(-1)?.content ?? '';
    const third = text.includes('Well then');
    if (third) asked += 1;
    return {
      text: JSON.stringify({
        reasons: 'So.',
        choice: text.includes('Hello') || (third && asked % 3 === 0) ? 'YES' : 'NO',
      }),
    };
  };
}

describe('evaldiff grade', () => {
  test('grades every example several times and reports consistency and agreement with people', async () => {
    const { code, out, models } = await grade(['polite', '--json'], wavering());
    expect([code, models.requests.length, models.refused]).toEqual([0, 9, []]);
    expect(
      models.requests.every(({ model, body }) => model === 'judge-1' && body['temperature'] === 0),
    ).toBe(true);
    const found = JSON.parse(out) as RepeatedRubricTest;
    expect(found).toMatchObject({
      rubric: 'polite',
      file: 'rubrics/r.yaml',
      graders: ['judge-1'],
      repeats: 3,
      agreement: {
        ...{ judged: 9, agreement: 8 / 9, base_rate: 1 / 3 },
        ...{ true_positive_rate: 1, true_negative_rate: 5 / 6 },
      },
      consistency: { share: expect.closeTo(8 / 9, 12), unanimous: 2, compared: 3 },
    });
    expect(found.examples.map(({ line, labels }) => [line, [...labels].sort()])).toEqual([
      [5, ['YES', 'YES', 'YES']],
      [6, ['NO', 'NO', 'NO']],
      [7, ['NO', 'NO', 'YES']],
    ]);
  });

  test("uses the graders of the rubric's metric unless the command line names one", async () => {
    const files = {
      'prompts/p.yaml':
        'name: p\nmodel: judge\nprompt: hi\ntests: { metrics: [{ rubric: polite, grader: { model: other, temperature: 0.5 } }], references: [{ id: a }] }\n',
    };
    const own = await grade(['polite', '--json', '--repeats', '1'], wavering(), files);
    expect([own.code, (JSON.parse(own.out) as RepeatedRubricTest).graders]).toEqual([
      0,
      ['judge-2'],
    ]);
    expect(own.models.requests.map(({ model, body }) => [model, body['temperature']])).toEqual(
      Array(3).fill(['judge-2', 0.5]),
    );
    const named = await grade(
      ['polite', 'grader.model=judge', '--json', '--repeats', '1'],
      wavering(),
      files,
    );
    expect((JSON.parse(named.out) as RepeatedRubricTest).graders).toEqual(['judge-1']);
    const alone = await grade(['polite', '--json', '--repeats', '1'], wavering(), {
      ...files,
      'evaldiff.yaml': SETTINGS.replace('grader: judge\n', ''),
    });
    expect([alone.code, (JSON.parse(alone.out) as RepeatedRubricTest).graders]).toEqual([
      0,
      ['judge-2'],
    ]);
  });

  test('prints the example with the most wrong grades first', async () => {
    const { out } = await grade(['polite'], wavering());
    expect(out).toContain('polite: 3 examples, graded 3 times by judge-1');
    expect(out).toContain(
      'agrees with the labels in 88.9 % of 9 grades: accepts 100.0 % (20.7 to 100.0 %) of the good,',
    );
    expect(out).toMatch(/rejects\s+83\.3 % \(\d+\.\d to \d+\.\d %\)\s+of\s+the\s+bad/);
    expect(out).toContain(
      'agrees with itself in 88.9 % of the grades: 2 of 3 examples got the same label every time',
    );
    expect(out.indexOf('✓ NO 2, ✗ YES 1')).toBeGreaterThan(0);
    expect(out.indexOf('Well then')).toBeLessThan(out.indexOf('Hello there'));
    expect(out.split('\n').every((line) => line.length <= 100)).toBe(true);
  });

  test('accepts a different grader on the command line, and omits consistency if there is only one repeat', async () => {
    const { out, models } = await grade(
      ['polite', 'grader.model=other', '--repeats', '1'],
      wavering(),
    );
    expect(models.requests.map(({ model }) => model)).toEqual(['judge-2', 'judge-2', 'judge-2']);
    expect(out).toContain('graded once by judge-2');
    expect(out).not.toContain('itself');
  });

  test('counts unreadable grades separately', async () => {
    const { out } = await grade(['polite', '--repeats', '2'], ({ messages }) => ({
      text: messages.at(-1)?.content.includes('Go away') === true ? 'perhaps' : 'NO',
    }));
    expect(out).toContain('✗ unread 2');
    expect(out).toContain('2 grades could not be read');
  });

  test.each([
    [
      'a rubric that is not there',
      ['polit'],
      {},
      'there is no rubric "polit"; did you mean "polite"?',
    ],
    [
      'a rubric without examples',
      ['untested'],
      {},
      'rubrics/r.yaml:8: the rubric "untested" has no labelled examples to test it; add some: examples: [{ content: "…", expected: "YES" }]',
    ],
    [
      'a project without a grader',
      ['polite'],
      { 'evaldiff.yaml': 'seed: 1\n' },
      'evaldiff.yaml: has no grader; set grader: { model: … }',
    ],
    [
      'repeats that are not number',
      ['polite', '--repeats', 'often'],
      {},
      '--repeats: must be a whole number from 1 to 100',
    ],
    [
      'more calls than are allowed',
      ['polite', '--max-calls', '8'],
      {},
      'this would make up to 9 model calls; the limit is 8 (--max-calls). Nothing was sent.',
    ],
    [
      'files with a mistake',
      ['polite'],
      { 'rubrics/bad.yaml': 'bad: { prompt: "{contents}", choice_scores: { A: 1 } }\n' },
      'rubrics/bad.yaml:1: {contents} is not a keyword',
    ],
  ])('makes no model calls because of %s and says what to fix', async (_, args, files, message) => {
    const { code, out, err, models } = await grade(args, wavering(), files);
    expect([code, out, models.requests.length]).toEqual([2, '', 0]);
    expect(err).toContain(message);
  });

  test('counts $0.05 a call against a cap if the grader has no known price', async () => {
    const { err, models } = await grade(['polite', '--max-cost', '0.3'], wavering());
    expect(err).toContain(
      'No price is known for "judge-1 (local)". evaldiff assumes $0.05 per call',
    );
    expect(models.requests).toHaveLength(6);
  });
});
