import { mergeTexts } from '../../../src/trials/merged-text.ts';
import { linePlaces } from '../../../src/trials/unit-places.ts';
import { draws } from '../../fuzz.ts';
import { plantedChange, type Style } from './planted-changes.ts';

const ends = (file: readonly string[], start: number, text: string) =>
  linePlaces(file, start, text).map(({ from }) => from);

describe('linePlaces', () => {
  const FILE = ['messages:', '  - role: system', '    content: |', '      One.', '', '      Two.'];

  test('covers blank lines and the line after the last one', () => {
    expect(ends([...FILE, '  - role: user', ''], 2, 'One.\n\nTwo.\n')).toEqual([4, 5, 6, 7, 7]);
    expect(ends([...FILE, '  - role: user', ''], 2, 'One.\n\nTwo.')).toEqual([4, 5, 6, 7]);
    // The file has no line after its last one.
    expect(ends([...FILE, ''], 2, 'One.\n\nTwo.')).toEqual([4, 5, 6, 6]);
  });

  test('returns 0 (unknown) for a line that the file writes with escapes', () =>
    expect(ends(['- content: "Say \\"hi\\"."', ''], 1, 'Say "hi".')[0]).toBe(0));

  test('finds the right value although another value begins with the same line', () => {
    const file = ['a: |', '  Be brief.', '  One.', 'b: |', '  Be brief.', '  Two.', ''];
    expect(ends(file, 1, 'Be brief.\nTwo.')).toEqual([5, 6, 6]);
  });
});

describe('a changed line of a prompt', () => {
  test.each<Style>(['|', '|-', 'txt'])(
    'is reported at its file and line, in YAML style %s',
    (style) => {
      for (let round = 0; round < draws(500); round += 1) {
        const { base, head, merged, units } = plantedChange(`places ${round}`, style);
        const first = style === 'txt' ? 1 : 5;
        const last = style === 'txt' ? head.file.length - 1 : head.file.length - 3;
        for (const [i, { side, lines, head: remark, base_text, head_text }] of units.entries()) {
          const written = (side === 'head' ? head : base).file.slice(lines.from - 1, lines.to);
          const said = ((side === 'head' ? head_text : base_text) ?? '').split('\n');
          expect(written[0]?.trim()).toBe(said[0]);
          expect(written.at(-1)?.trim()).toBe(said.at(-1));
          expect(remark.line).toBe(
            side === 'head'
              ? lines.from
              : Math.min(first + (merged.units[i]?.anchor ?? 0), style === 'txt' ? last : last + 1),
          );
        }
      }
    },
  );

  test('is a separate part of the change if it is blank or only its indentation changed, with no other change nearby', () => {
    const lines = ['One.', 'Two.', 'Three.', '', 'Examples:', '  Five.', 'Six.', 'Seven.'];
    const head = ['Other.', 'Two.', 'Three.', 'Examples:', 'Five.', 'Six.', 'Seven.'];
    const { units } = mergeTexts(lines.join('\n'), head.join('\n'), 'lines');
    expect(units).toMatchObject([
      { base: { text: 'One.' }, head: { text: 'Other.' } },
      { base: { text: '', from: 3 }, head: null, anchor: 3 },
      { base: { text: '  Five.', from: 5 }, head: { text: 'Five.', from: 4 } },
    ]);
  });
});
