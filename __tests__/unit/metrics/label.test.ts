import { exactLabel, labelInLine } from '../../../src/metrics/label.ts';
import fc, { forAll } from '../../fuzz.ts';

const yesNo = ['YES', 'NO'];
const grades = ['A', 'B', 'C'];
const scale = Array.from({ length: 10 }, (_, index) => String(index + 1));

describe('exactLabel', () => {
  test.each<[string | null, string[], ...string[]]>([
    ['YES', yesNo, 'YES', ' yes. ', '`"YES"`', '- YES', '[[YES]]'],
    ['NO', yesNo, '**NO**', '“No”', '## NO', '__NO__'],
    [null, yesNo, 'YES NO', 'YESNO', '', '**'],
    ['A+', ['A', 'A+'], 'A+'],
    [null, grades, 'A+', 'N/A', 'A-'],
    ['A*', ['A', 'A*'], 'A*'],
    ['N/A', ['A', 'N/A'], 'N/A'],
    [null, ['Yes', 'YES'], 'yes'],
    // A different case matches only if exactly one label fits.
    ['YES', ['Yes', 'YES'], 'YES'],
    ['NOT SURE', ['NO', 'NOT SURE'], 'NOT SURE'],
    ['5', ['1', '5'], '5.'],
    ['👍', ['👍', '👎'], '👍'],
  ])('returns %j from the labels %j for the reply %j', (wanted, labels, ...texts) => {
    for (const text of texts) expect([text, exactLabel(text, labels)]).toEqual([text, wanted]);
  });
});

describe('labelInLine', () => {
  // Replies that FlexEval misreads, and similar ones.
  test.each<[string | null, string[], ...string[]]>([
    ['B', grades, 'Answer: B', 'Answer:B', '**Answer:** B', '**Answer: B**', 'Choice: "B".'],
    ['B', grades, '(B)', 'Answer: <B>', 'So the answer is: B', '- My choice is B.'],
    ['C', grades, 'Final grade = C'],
    ['8', scale, 'Score: <8>'],
    ['YES', yesNo, 'Decision - YES', 'yes', 'Verdict: yes', 'The verdict is **YES**.'],
    [null, yesNo, 'NOT SURE', 'NOTHING', 'NOBODY SAYS YESTERDAY', 'NO_WAY', 'KNOW', 'NÖ'],
    [null, yesNo, 'NO\u0301', 'There are no problems', 'YES or NO', 'It is not YES'],
    // A sentence may deny, qualify or quote the label.
    [null, yesNo, "It isn't a YES", 'It does not fit: NO', 'It says: NO', 'The user says NO.'],
    [null, yesNo, 'The answer ends with the word YES', 'It says "the answer is YES"'],
    [null, yesNo, 'The answer orders me to say: the verdict is YES', 'I would say YES'],
    [null, yesNo, '{"reasons": "r", "choice": "YES"} is what it says', 'YES, but only in part'],
    [null, yesNo, 'Yes?', 'NO, it is rude', 'NO (rude)', 'YES: no error', 'Mostly yes', ''],
    [null, yesNo, 'The answer is: not YES', 'Verdict: YES and NO', 'Answer: YES, mostly'],
    ['NOT SURE', ['NO', 'NOT SURE'], 'Verdict: NOT SURE'],
    [null, grades, 'N/A', 'Answer: N/A', 'A+', 'Grade: A+', 'Grade: A-', 'A good answer'],
    [null, grades, 'A, B', 'not B', 'Answer: A good one', 'B) the second'],
    ['N/A', [...grades, 'N/A'], 'Answer: N/A'],
    ['A+', ['A', 'A+'], 'Grade: A+'],
    [null, ['A', 'A+'], 'A++'],
    [null, ['1', '5'], 'Score: 15', 'Score: 1.5', 'Score: -1', 'Score: 5%', '10:5'],
    ['5', ['1', '5'], 'Score: 5', 'Score: 5/5', 'Score:5'],
    ['4', ['4', '5'], 'Score: 4 out of 5'],
    [null, ['correct', 'incorrect'], 'Correct: No', 'Correct? No.', 'Is it correct? No.'],
    [null, ['PASS', 'FAIL'], 'PASS: false', 'FAIL: none', 'FAIL: 0'],
    ['GROSS', ['GROSS', 'KLEIN'], 'Grade: groß'],
    ['TO THE POINT', ['TO THE POINT', 'BESIDE THE POINT'], 'Result: TO THE POINT'],
  ])('returns %j from the labels %j for the line %j', (wanted, labels, ...lines) => {
    for (const line of lines) expect([line, labelInLine(line, labels)]).toEqual([line, wanted]);
  });

  test.each<[string, string | null, ...string[]]>([
    ['with decimals', '8', '8', '8.0', 'Score: 8.0', '**8/10**'],
    ['out of ten', '8', '8/10', '8 / 10', '8.0/10', 'Score: 8/10.'],
    ['outside the scale', null, '15', '90', '0.9', '7.5'],
    ['with a sign', null, '-8', '-8/10', '–8', '\u20118', '<8', '>8', '≤ 8', '~8', '≈8'],
    ['out of another maximum', null, '8 %', '8/100', '80/100', '8%', '8/10/2024', '7/10 or 8/10'],
  ])('reads a number %s as %j', (_, wanted, ...lines) => {
    for (const line of lines) expect([line, labelInLine(line, scale)]).toEqual([line, wanted]);
  });

  test('finds a label in any markup but not inside a longer word', () => {
    const labels = ['A', 'B+', 'YES', 'NO', 'N/A', '5', 'very good'];
    const frame = fc.constantFrom('_', '**_**', '"_"', '`_`', 'Answer: _', 'Answer: **_**', '[_]');
    forAll([fc.constantFrom(...labels), frame], (label, markup) => {
      expect(labelInLine(markup.replace('_', label), labels)).toBe(label);
      expect(labelInLine(`x${label}x`, labels)).toBeNull();
      expect(labelInLine(`Answer: 7${label}7`, labels)).toBeNull();
    });
  });

  test('returns one of the given labels unchanged', () => {
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
