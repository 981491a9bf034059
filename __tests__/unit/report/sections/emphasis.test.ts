import type { Piece } from '../../../../src/report/sections/document.ts';
import { emphasise, whole } from '../../../../src/report/sections/emphasis.ts';
import fc, { anyCharacter } from '../../../fuzz.ts';

const show = (pieces: Piece[]) =>
  pieces
    .map(({ kind, text }) =>
      kind === 'changed' ? `[${text}]` : kind === 'gap' ? `{${text}}` : text,
    )
    .join('');
const both = (base: string, head: string, gaps = true, characters = 500) => {
  const { base: left, head: right } = emphasise(base, head, { characters, gaps });
  return [show(left), show(right)];
};

describe('emphasise', () => {
  test('marks the words that differ and joins adjacent ones', () => {
    expect(both('The answer is 8.', 'The answer is 9.')).toEqual([
      'The answer is [8].',
      'The answer is [9].',
    ]);
    expect(both('we will send a new one today', 'we will not send one today')).toEqual([
      'we will send [a new ]one today',
      'we will [not ]send one today',
    ]);
    expect(both('a b one two three four five six', 'x y one two three four five six')).toEqual([
      '[a b] one two three four five six',
      '[x y] one two three four five six',
    ]);
  });

  test('compares Chinese and Japanese character by character', () =>
    expect(both('法国的首都是巴黎', '法国的首都是里昂')).toEqual([
      '法国的首都是[巴黎]',
      '法国的首都是[里昂]',
    ]));

  test('marks nothing if the answers are equal or almost completely different', () => {
    expect(both('same', 'same')).toEqual(['same', 'same']);
    expect(both('Canberra', 'I do not know that one, sorry')).toEqual([
      'Canberra',
      'I do not know that one, sorry',
    ]);
  });

  test('leaves out the middle of long equal passages at word boundaries, and counts it', () => {
    const long = 'word '.repeat(60);
    expect(both(`${long}yes`, `${long}no`)[0]).toBe(
      `${'word '.repeat(12).trimEnd()}{… 180 equal characters …}${'word '.repeat(12).trimStart()}[yes]`,
    );
    expect(both(`yes ${long}`, `no ${long}`)[1]).toMatch(
      /^\[no\] (word ){11}word\{… 2\d\d equal characters …\}$/,
    );
    expect(both(`${long}yes`, `${long}no`, false)[0]).toBe(`${long}[yes]`);
  });

  test('cuts each side and counts the rest, including text that was not compared', () => {
    expect(both('a b c d', 'a b c e', true, 3)).toEqual([
      'a b{(4 more characters)}',
      'a b{(4 more characters)}',
    ]);
    expect(both('x'.repeat(20_000), 'y', true, 5)[0]).toBe('xxxxx{(19,995 more characters)}');
    expect(both(`${'z '.repeat(10_000)}`, `${'z '.repeat(10_000)}a`, false, 6)[1]).toBe(
      'z z z {(19,995 more characters)}',
    );
  });

  test('stops comparing texts that differ everywhere', () => {
    const odd = Array.from({ length: 4_000 }, (_, index) => String(index * 7)).join(' ');
    const even = Array.from({ length: 4_000 }, (_, index) => String(index * 11)).join(' ');
    expect(both(odd, even, false, 20)[0]).toBe(show(whole(odd, 20)));
  });

  test('returns both texts unchanged if nothing was cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 60 }),
        fc.string({ unit: anyCharacter, maxLength: 60 }),
        (base, head) => {
          const { base: left, head: right } = emphasise(base, head, {
            characters: 1_000,
            gaps: false,
          });
          expect(left.map(({ text }) => text).join('')).toBe(base);
          expect(right.map(({ text }) => text).join('')).toBe(head);
        },
      ),
    );
  });
});
