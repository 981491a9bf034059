import { describe, expect, test } from '@jest/globals';
import { exactLabel, labelInLine } from '../../../src/metrics/label.ts';
import fc, { forAll } from '../../fuzz.ts';

const yesNo = ['YES', 'NO'];
const grades = ['A', 'B', 'C'];
const scale = Array.from({ length: 10 }, (_, index) => String(index + 1));

describe('exactLabel', () => {
  test.each<[string, string[], string | null]>([
    ['YES', yesNo, 'YES'],
    [' yes. ', yesNo, 'YES'],
    ['**NO**', yesNo, 'NO'],
    ['`"YES"`', yesNo, 'YES'],
    ['“No”', yesNo, 'NO'],
    ['- YES', yesNo, 'YES'],
    ['## NO', yesNo, 'NO'],
    ['[[YES]]', yesNo, 'YES'],
    ['__NO__', yesNo, 'NO'],
    ['YES NO', yesNo, null],
    ['YESNO', yesNo, null],
    ['', yesNo, null],
    ['**', yesNo, null],
    ['A+', ['A', 'A+'], 'A+'],
    ['A+', grades, null],
    ['A*', ['A', 'A*'], 'A*'],
    ['N/A', ['A', 'N/A'], 'N/A'],
    ['N/A', grades, null],
    ['A-', grades, null],
    ['yes', ['Yes', 'YES'], null],
    ['YES', ['Yes', 'YES'], 'YES'], // another case only where it fits one label
    ['NOT SURE', ['NO', 'NOT SURE'], 'NOT SURE'],
    ['5.', ['1', '5'], '5'],
    ['👍', ['👍', '👎'], '👍'],
  ])('%j among %j is %j', (text, labels, wanted) => expect(exactLabel(text, labels)).toBe(wanted));
});

describe('labelInLine', () => {
  // FlexEval's traps F43 and their neighbours.
  test.each<[string, string[], string | null]>([
    ['Answer: B', grades, 'B'],
    ['Answer:B', grades, 'B'],
    ['**Answer:** B', grades, 'B'],
    ['**Answer: B**', grades, 'B'],
    ['Final grade = C', grades, 'C'],
    ['Choice: "B".', grades, 'B'],
    ['I choose B.', grades, 'B'],
    ['(B)', grades, 'B'],
    ['Answer: <B>', grades, 'B'],
    ['Score: <8>', scale, '8'],
    ['B) the second', grades, 'B'],
    ['Decision - YES', yesNo, 'YES'],
    ['NOT SURE', yesNo, null],
    ['I am NOT SURE', ['NO', 'NOT SURE'], 'NOT SURE'],
    ['N/A', grades, null],
    ['Answer: N/A', [...grades, 'N/A'], 'N/A'],
    ['Answer: N/A', grades, null],
    ['A+', grades, null],
    ['Grade: A+', grades, null],
    ['Grade: A+', ['A', 'A+'], 'A+'],
    ['Grade: A-', grades, null],
    ['A++', ['A', 'A+'], null],
    ['Score: 15', ['1', '5'], null],
    ['Score: 5', ['1', '5'], '5'],
    ['Score: 5/5', ['1', '5'], '5'],
    ['Score: 1.5', ['1', '5'], null],
    ['Score: -1', ['1', '5'], null],
    ['Score: 5%', ['1', '5'], null],
    ['Score: 4 out of 5', ['4', '5'], '4'],
    ['Score:5', ['1', '5'], '5'],
    ['10:5', ['1', '5'], null],
    ['yes', yesNo, 'YES'],
    ['Verdict: yes', yesNo, 'YES'],
    ['The verdict is No!', yesNo, 'NO'],
    ['NOTHING', yesNo, null],
    ['NOBODY SAYS YESTERDAY', yesNo, null],
    ['NO_WAY', yesNo, null],
    ['KNOW', yesNo, null],
    ['NÖ', yesNo, null],
    ['NO\u0301', yesNo, null],
    ['A good answer', grades, null],
    ['This is a good answer.', grades, null],
    ['There are no problems', yesNo, null],
    ['There are no problems', ['yes', 'no'], null],
    ['There are no problems: yes', ['yes', 'no'], null],
    ['YES or NO', yesNo, null],
    ['A, B', grades, null],
    ['not B', grades, null],
    ['It is not YES', yesNo, null],
    ["It isn't a YES", yesNo, null],
    ['It does not fit: NO', yesNo, null], // a colon alone announces nothing
    ['It says: NO', yesNo, null],
    ['The user says NO.', yesNo, null],
    ['The answer ends with the word YES', yesNo, null],
    ['It says "the answer is YES"', yesNo, null],
    ['The answer orders me to say: the verdict is YES', yesNo, null],
    ['{"reasons": "r", "choice": "YES"} is what it says', yesNo, null],
    ['YES, but only in part', yesNo, null],
    ['Correct: No', ['correct', 'incorrect'], null],
    ['Correct? No.', ['correct', 'incorrect'], null],
    ['Is it correct? No.', ['correct', 'incorrect'], null],
    ['PASS: false', ['PASS', 'FAIL'], null],
    ['FAIL: none', ['PASS', 'FAIL'], null],
    ['FAIL: 0', ['PASS', 'FAIL'], null],
    ['NO: the text is rude', yesNo, 'NO'],
    ['YES: no error', yesNo, 'YES'],
    ['NO: none of them is rude', yesNo, 'NO'],
    ['Yes?', yesNo, null],
    ['NO; however, it is polite', yesNo, null],
    ['It is polite, so the answer is YES.', yesNo, 'YES'],
    ['It is kind. Verdict: **YES**. No doubt.', yesNo, 'YES'],
    ['My final verdict: NO', yesNo, 'NO'],
    ['**Answer:** B', grades, 'B'],
    ['Answer: A good one', grades, null],
    ['I\u2019d go with B', grades, 'B'],
    ['Grade: groß', ['GROSS', 'KLEIN'], 'GROSS'],
    ['The answer is neither polite nor kind, so: NO', yesNo, 'NO'],
    ['YES, not bad', yesNo, 'YES'],
    ['YES YES YES', yesNo, 'YES'],
    ['The answer orders me to say YES. It is rude', yesNo, null],
    ['It says "YES" of itself', yesNo, null],
    ['Score: 5 out of 5', ['4', '5'], '5'],
    ['NO, it is rude', yesNo, 'NO'],
    ['**NO** (rude)', yesNo, 'NO'],
    ['', yesNo, null],
    ['no label here', grades, null],
    ['very good', ['good', 'very good'], 'very good'],
    ['It is very good', ['good', 'very good'], 'very good'],
    ['Result: TO THE POINT', ['TO THE POINT', 'BESIDE THE POINT'], 'TO THE POINT'],
  ])('%j among %j is %j', (line, labels, wanted) => expect(labelInLine(line, labels)).toBe(wanted));

  test.each<[string, string | null, ...string[]]>([
    ['as a number', '8', '8', '8.0', 'Score: 8.0', '**8/10**'],
    ['of ten', '8', '8/10', '8 / 10', '8.0/10', 'Score: 8/10.'],
    ['beside the scale', null, '15', '90', '0.9', '7.5'],
    ['with a sign', null, '-8', '-8/10', '–8', '\u20118', '<8', '>8', '≤ 8', '~8', '≈8'],
    ['of another whole', null, '8 %', '8/100', '80/100', '8%', '8/10/2024', '7/10 or 8/10'],
  ])('reads a mark %s as %j', (_, wanted, ...lines) => {
    for (const line of lines) expect([line, labelInLine(line, scale)]).toEqual([line, wanted]);
  });

  test('finds a label in any markup, and never inside a longer word', () => {
    const labels = ['A', 'B+', 'YES', 'NO', 'N/A', '5', 'very good'];
    const frame = fc.constantFrom('_', '**_**', '"_"', '`_`', 'Answer: _', 'Answer: **_**', '[_]');
    forAll([fc.constantFrom(...labels), frame], (label, markup) => {
      expect(labelInLine(markup.replace('_', label), labels)).toBe(label);
      expect(labelInLine(`x${label}x`, labels)).toBeNull();
      expect(labelInLine(`Answer: 7${label}7`, labels)).toBeNull();
    });
  });

  test('returns one of the given labels, unchanged', () => {
    const labels = ['A', 'A+', 'YES', 'NO', 'NOT SURE', '1', '5'];
    const piece = fc.oneof(
      fc.constantFrom('A', 'A+', 'yes', 'NO', 'NOT SURE', '5', '1', 'not', 'x'),
      fc.constantFrom(' ', ':', '.', '/', '+', '*', '"'),
    );
    forAll([fc.array(piece, { maxLength: 12 })], (pieces) => {
      const found = labelInLine(pieces.join(''), labels);
      if (found !== null) expect(labels).toContain(found);
    });
  });
});
