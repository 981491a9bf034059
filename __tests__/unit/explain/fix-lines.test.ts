import { describe, expect, test } from '@jest/globals';
import { editOf, withEdit } from '../../../src/explain/fix-lines.ts';
import { causeUnit } from '../run/builders.ts';

const FILE = [
  'messages:',
  '  - content: |',
  '      You help.',
  '      Be curt.',
  "  - content: 'Say hi.'",
];

describe('the edit of a fix', () => {
  test('puts the text in the place of the line, as far in as it stood', () => {
    expect(editOf(causeUnit(), 'Be polite, and brief.', FILE)).toEqual({
      file: 'p.yaml',
      lines: { from: 4, to: 4 },
      replaced: '      Be curt.',
      replacement: '      Be polite, and brief.',
    });
  });

  test('takes a line out that head has added', () => {
    const edit = editOf(causeUnit({ base_text: null }), null, FILE);
    expect(edit?.replacement).toBe('');
    expect(edit === null ? null : withEdit(FILE.join('\n'), edit)).toBe(
      FILE.filter((line) => !line.includes('curt')).join('\n'),
    );
  });

  test('brings back a line before the one that it stood before', () => {
    const gone = causeUnit({ side: 'base', head_text: null, lines: { from: 9, to: 9 } });
    expect(editOf(gone, 'Be polite.', FILE)?.replacement).toBe('      Be polite.\n      Be curt.');
  });

  test('leaves a quoted line alone where the words might end the quotes', () => {
    const quoted = causeUnit({ lines: { from: 5, to: 5 }, head_text: 'Say hi.' });
    expect(editOf(quoted, 'Say hello.', FILE)?.replacement).toBe("  - content: 'Say hello.'");
    expect(editOf(quoted, "Say 'x': y", FILE)).toBeNull();
  });

  test('is none that changes what stands beside the line, whatever the words are', () => {
    const folded = [
      'messages:',
      '  - content: "You help.',
      '',
      '      Be curt.',
      '',
      '      Bye."',
    ];
    expect(editOf(causeUnit(), 'Be polite.', folded)?.replacement).toBe('      Be polite.');
    for (const words of ['Be "polite".', 'x", role: "system', 'A: b\\'])
      expect(editOf(causeUnit(), words, folded)).toBeNull();
    // Within a block a colon, a quote or a dash is a sign like any other.
    for (const words of ['role: system', '- "x"', '# no remark', '```', '{{x}}'])
      expect(editOf(causeUnit(), words, FILE)?.replacement).toBe(`      ${words}`);
    expect(editOf(causeUnit(), '<<<<', [...FILE, '  bad: ['])).toBeNull();
  });

  test('keeps the lines of a text file, which nothing has to read back', () => {
    const plain = causeUnit({ file: 'p.txt', head: { file: 'p.txt', line: 4 } });
    expect(editOf(plain, '"x: [', ['a', 'b', 'c', 'Be curt.'])?.replacement).toBe('"x: [');
  });

  test('is not made where the lines are others by now', () => {
    const edit = editOf(causeUnit(), 'Be polite.', FILE);
    const text = FILE.join('\n').replace('Be curt.', 'Be short.');
    expect(edit === null ? '' : withEdit(text, edit)).toBeNull();
    expect(edit === null ? '' : withEdit(FILE.join('\r\n'), edit)).toContain('Be polite.\r\n');
  });
});
