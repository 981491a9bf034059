import { readYaml } from '../../../src/documents/yaml.ts';
import type { Prompt } from '../../../src/kernel/suite/suite.ts';
import type { ChangeUnit } from '../../../src/trials/change-unit.ts';
import { editOf, isWhatRan, withEdit } from '../../../src/trials/fix-edit.ts';
import type { Json } from '../../../src/types/plain.ts';
import { draws } from '../../fuzz.ts';
import { causeUnit, prompt } from '../app/run/builders.ts';
import { plantedChange, type Style } from './planted-changes.ts';

const FILE = [
  'messages:',
  '  - content: |',
  '      You help.',
  '      Be curt.',
  "  - content: 'Say hi.'",
];

/** The prompt in a file; null if it is not valid. */
function promptIn(file: string) {
  const read = readYaml('p.yaml', file);
  if (!read.ok) return null;
  const { messages } = read.value.value as { messages: { content: Json }[] };
  return prompt({
    messages: messages.map(({ content }, i) => ({
      role: 'user',
      content: String(content),
      place: read.value.placeOf(['messages', i]),
    })),
  });
}

const filled = (own: Prompt, put: (content: string) => string): Prompt => ({
  ...own,
  messages: own.messages.map((message) => ({ ...message, content: put(message.content) })),
});

/**
 * The edit that replaces a unit's text; null if the edited file would not read back as that text.
 */
function edit(unit: ChangeUnit, text: string | null, file: readonly string[] = FILE) {
  const head = promptIn(file.join('\n'));
  if (head === null) throw new TypeError('the file is a prompt');
  const own = unit.head_text;
  const wanted = filled(head, (content) =>
    own === null
      ? content.replace('Be curt.', `${text ?? ''}\nBe curt.`)
      : text === null
        ? content.replace(`${own}\n`, '')
        : content.replace(own, () => text),
  );
  const made = editOf(unit, text, { head, wanted }, file);
  const after = made === null ? null : promptIn(withEdit(file.join('\n'), made) ?? '');
  return after !== null && isWhatRan(after, wanted, head) ? made : null;
}

describe('edit of a file that applies a fix', () => {
  test('replaces the line and keeps its indentation', () =>
    expect(edit(causeUnit(), 'Be polite, and brief.')).toEqual({
      file: 'p.yaml',
      lines: { from: 4, to: 4 },
      replaced: '      Be curt.',
      replacement: '      Be polite, and brief.',
    }));

  test('removes a line that head added', () => {
    const made = edit(causeUnit({ base_text: null }), null);
    expect(made?.replacement).toBe('');
    expect(made === null ? null : withEdit(FILE.join('\n'), made)).toBe(
      FILE.filter((line) => !line.includes('curt')).join('\n'),
    );
  });

  test('restores a removed line at its old position', () => {
    const gone = causeUnit({ side: 'base', head_text: null, lines: { from: 9, to: 9 } });
    expect(edit(gone, 'Be polite.')?.replacement).toBe('      Be polite.\n      Be curt.');
  });

  test('is not made if the new words could close the quotes around the line', () => {
    const quoted = causeUnit({ lines: { from: 5, to: 5 }, head_text: 'Say hi.' });
    expect(edit(quoted, 'Say hello.')?.replacement).toBe("  - content: 'Say hello.'");
    expect(edit(quoted, "Say 'x': y")).toBeNull();
  });

  test('is not made if it would change anything except the line', () => {
    const folded = [
      'messages:',
      '  - content: "You help.',
      '',
      '      Be curt.',
      '',
      '      Bye."',
    ];
    expect(edit(causeUnit(), 'Be polite.', folded)?.replacement).toBe('      Be polite.');
    for (const words of ['Be "polite".', 'x", role: "system', 'A: b\\'])
      expect(edit(causeUnit(), words, folded)).toBeNull();
    // In a YAML block, colons, quotes and dashes need no escaping.
    for (const words of ['role: system', '- "x"', '# no remark', '```', '{{x}}'])
      expect(edit(causeUnit(), words)?.replacement).toBe(`      ${words}`);
  });

  test('is not made if the edited prompt would differ from the tested one, even by a space', () => {
    const head = prompt({ messages: [{ role: 'user', content: 'One', place: FILE_PLACE }] });
    const other = filled(head, (content) => `${content}\n`);
    expect(isWhatRan(head, head, head)).toBe(true);
    expect(isWhatRan(other, head, head)).toBe(false);
    expect(isWhatRan({ ...head, parameters: { temperature: 1 } }, head, head)).toBe(false);
  });

  test.each<Style>(['|', '|-', 'txt'])(
    'restores exactly the tested prompt for any change, in style %s',
    (style) => {
      let [units, without] = [0, 0];
      for (let round = 0; round < draws(500); round += 1) {
        const planted = plantedChange(`edits ${round}`, style);
        const { head } = planted;
        for (const [i, unit] of planted.units.entries()) {
          const wanted = filled(head.prompt, () => planted.without(i));
          const made = editOf(unit, unit.base_text, { head: head.prompt, wanted }, head.file);
          const text = made === null ? null : withEdit(head.file.join('\n'), made);
          const after =
            text === null
              ? null
              : style === 'txt'
                ? filled(head.prompt, () => text.replace(/\n$/, ''))
                : filled(head.prompt, () => promptIn(text)?.messages[0]?.content ?? '');
          units += 1;
          if (after === null || !isWhatRan(after, wanted, head.prompt)) without += 1;
          else expect(after.messages[0]?.content).toBe(planted.without(i));
        }
      }
      // No edit exists for a moved line, or for a blank line at the end of a text.
      expect(without / units).toBeLessThan(0.05);
    },
  );

  test('is not made if the lines have changed since', () => {
    const made = edit(causeUnit(), 'Be polite.');
    const text = FILE.join('\n').replace('Be curt.', 'Be short.');
    expect(made === null ? '' : withEdit(text, made)).toBeNull();
    expect(made === null ? '' : withEdit(FILE.join('\r\n'), made)).toContain('Be polite.\r\n');
  });
});

const FILE_PLACE = { file: 'p.yaml', line: 2 };
