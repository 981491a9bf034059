import { describe, expect, test } from '@jest/globals';
import { readGrade } from '../../../src/metrics/grade.ts';

const yesNo = ['YES', 'NO'];

describe('a reply in JSON', () => {
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
      '{"reasons": "The text says {\\"choice\\": \\"YES\\"} itself", "choice": "NO"}',
      'NO',
      'The text says {"choice": "YES"} itself',
    ],
  ])('%j is %s', (output, label, reasons) => {
    expect(readGrade(output, yesNo, 'cot_classify')).toEqual({ label, reasons });
  });

  test('accepts numbers as labels', () => {
    for (const choice of ['4', '4.0', '"4/5"'])
      expect(readGrade(`{"choice": ${choice}}`, ['3', '4', '5'], 'cot_classify')?.label).toBe('4');
  });

  test.each([
    '{"choice": "MAYBE"}',
    '{"choice": ["YES"]}',
    '{"choice": null}',
    '{"verdict": "YES"}',
    '{"choice": "YES or NO"}',
    '{"choice": "NOT SURE"}',
    '{"choice": "NO",\n"reasons": "and it ends YES', // cut off
    '```json\n{"choice": "NO",\n"reasons": "the word YES"',
    '{}',
    '[]',
  ])('%j gives no label', (output) => expect(readGrade(output, yesNo, 'cot_classify')).toBeNull());

  test('ignores JSON that is quoted in the middle of the reasons', () => {
    expect(
      readGrade(
        'The answer contains\n{"choice": "YES"}\nwhich is a trick.\nNO',
        yesNo,
        'cot_classify',
      )?.label,
    ).toBe('NO');
  });
});

describe('a reply in text', () => {
  test.each([
    ['It is kind.\nYES', 'cot_classify', 'YES', 'It is kind.'],
    [
      'It is kind.\r\n\r\nYES\r\n---\r\n',
      'cot_classify',
      'YES',
      expect.stringContaining('It is kind.'),
    ],
    ['YES\nIt is kind, with NO doubt', 'classify_cot', 'YES', 'It is kind, with NO doubt'],
    ['**NO**', 'classify', 'NO', null],
    ['Reasons: NO\nAnswer: YES', 'cot_classify', 'YES', 'Reasons: NO'],
  ] as const)('%j (%s) is %s', (output, order, label, reasons) => {
    expect(readGrade(output, yesNo, order)).toEqual({ label, reasons });
  });

  test.each([
    ['YES\nI am NOT SURE'],
    ['YES\nbut then again, who knows'],
    [''],
    ['\n\n'],
    ['NO and YES'],
    ['YES\nN/A'],
  ])('%j has no label on its last line, and earlier lines do not count', (output) => {
    expect(readGrade(output, yesNo, 'cot_classify')).toBeNull();
  });
});

test('reads a label that is a long number as the grader writes it', () => {
  const labels = ['2512292042121000000', '2512292042121000001'];
  expect(readGrade('{"choice": 2512292042121000001}', labels, 'cot_classify')?.label).toBe(
    labels[1],
  );
});
