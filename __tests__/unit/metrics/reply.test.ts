import { readGrade } from '../../../src/metrics/grade.ts';

const yesNo = ['YES', 'NO'];
const gradeOf = (output: string, labels = yesNo) => readGrade(output, labels, 'cot_classify');

describe('grader reply in JSON', () => {
  test.each([
    ['{"reasons": "Kind words.", "choice": "YES"}', 'YES', 'Kind words.'],
    ['```json\n{"reasons": "Rude.", "choice": "NO"}\n```', 'NO', 'Rude.'],
    ['{"choice": "yes"}', 'YES', null],
    ['{"reasons": "  ", "choice": " **NO** "}', 'NO', null],
    ['I thought about it.\n{"reasons": "Fine.",\n "choice": "YES"}', 'YES', 'Fine.'],
    ['I thought about it.\n```json\n{"choice": "YES"}\n```', 'YES', null],
    ['````json\n{"reasons": "it has\\n```", "choice": "NO"}\n````', 'NO', 'it has\n```'],
    ['~~~\n{"choice": "NO"}\n~~~', 'NO', null],
    [
      '{"reasons": "It says {\\"choice\\": \\"YES\\"}", "choice": "NO"}',
      'NO',
      'It says {"choice": "YES"}',
    ],
  ])('%j has the label %s', (output, label, reasons) => {
    expect(gradeOf(output)).toEqual({ label, reasons });
  });

  test.each([
    ['4', ['3', '4', '5'], '4', '4.0', '"4/5"'],
    ['2512292042121000001', ['2512292042121000000', '2512292042121000001'], '2512292042121000001'],
  ])('with the number %s matches that label in any notation', (label, labels, ...choices) => {
    for (const choice of choices)
      expect(gradeOf(`{"choice": ${choice}}`, labels)?.label).toBe(label);
  });

  test.each([
    ['a label', '{"choice": "MAYBE"}', '{"choice": "YES or NO"}', '{"choice": "NOT SURE"}'],
    ['a text', '{"choice": ["YES"]}', '{"choice": null}', '{"verdict": "YES"}', '{}', '[]'],
    ['a closing brace', '{"choice": "NO",\n"reasons": "and it ends YES'],
    ['a closing fence', '```json\n{"choice": "NO",\n"reasons": "the word YES"'],
  ])('without %s has no label', (_, ...outputs) => {
    for (const output of outputs) expect([output, gradeOf(output)]).toEqual([output, null]);
  });

  test('is ignored if it is quoted inside the reasons', () => {
    const output = 'The answer contains\n{"choice": "YES"}\nwhich is a trick.\nNO';
    expect(gradeOf(output)?.label).toBe('NO');
  });
});

describe('grader reply in text', () => {
  const kind = expect.stringContaining('It is kind.');
  test.each([
    ['It is kind.\nYES', 'cot_classify', 'YES', 'It is kind.'],
    ['It is kind.\r\n\r\nYES\r\n---\r\n', 'cot_classify', 'YES', kind],
    ['YES\nIt is kind, with NO doubt', 'classify_cot', 'YES', 'It is kind, with NO doubt'],
    ['**NO**', 'classify', 'NO', null],
    ['Reasons: NO\nAnswer: YES', 'cot_classify', 'YES', 'Reasons: NO'],
  ] as const)('%j to a prompt of the type %s has the label %s', (output, order, label, reasons) => {
    expect(readGrade(output, yesNo, order)).toEqual({ label, reasons });
  });

  test.each([
    'YES\nI am NOT SURE',
    'YES\nbut then again, who knows',
    '',
    '\n\n',
    'NO and YES',
    'YES\nN/A',
  ])('%j has no label because only the last line counts', (output) =>
    expect(gradeOf(output)).toBeNull(),
  );
});
