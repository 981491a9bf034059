import { cut, cutNote, shorten, visible, visibleLine } from '../../../src/text/visible.ts';
import fc, { anyCharacter, forAll } from '../../fuzz.ts';

describe('visible', () => {
  test.each([
    ['a control character', 'a\u0000b\u001b[31m', 'a\\u{0}b\\u{1b}[31m'],
    ['a C1 control', 'a\u0085b', 'a\\u{85}b'],
    ['a bidirectional control', 'a\u202eb\u2066c\u061cd', 'a\\u{202e}b\\u{2066}c\\u{61c}d'],
    ['zero-width characters', 'a\u200bb\u200dc\ufeffd', 'a\\u{200b}b\\u{200d}c\\u{feff}d'],
    ['a word joiner and a soft hyphen', 'd\u2060e\u00adf', 'd\\u{2060}e\\u{ad}f'],
    ['tag characters', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a variation selector that carries data', 'a\u{e0101}b\ufe01c', 'a\\u{e0101}b\\u{fe01}c'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['a lone carriage return', 'a\rb', 'a\\u{d}b'],
    ['noncharacters', 'a\ufffeb', 'a\\u{fffe}b'],
  ])('shows %s as an escape', (_what, text, shown) => expect(visible(text)).toBe(shown));

  test('leaves line feeds, tabs, other scripts, accents and emoji unchanged', () => {
    const text = 'né\tŠ 漢字\nمرحبا ❤️ 😀 a\u00a0b e\u0301';
    expect(visible(text)).toBe(text);
  });

  test('removes the carriage return of a Windows line ending', () =>
    expect(visible('a\r\nb')).toBe('a\nb'));

  test('leaves no hidden character in any text, and is idempotent', () => {
    const hidden = /[[\p{Cs}\p{Default_Ignorable_Code_Point}]--[\u{fe0e}\u{fe0f}]]/v;
    forAll([fc.string({ unit: anyCharacter, maxLength: 200 })], (text) => {
      const shown = visible(text);
      expect(shown).not.toMatch(hidden);
      expect(shown.replace(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u);
      expect(visible(shown)).toBe(shown);
    });
  });
});

test('visibleLine also escapes line feeds and tabs', () =>
  expect(visibleLine('a\nb\tc')).toBe('a\\u{a}b\\u{9}c'));

describe('cut', () => {
  test.each([
    ['abcd', 5, 'abcd', 0],
    ['abcde', 5, 'abcde', 0],
    ['abcdef', 5, 'abcde', 1],
    ['😀😀😀', 2, '😀😀', 1],
    ['😀😀', 2, '😀😀', 0],
  ])('of %s to %d characters keeps %s and counts %d removed', (given, limit, text, left) => {
    expect(cut(given, limit)).toEqual({ text, left });
  });

  test('splits any text into a well-formed start and the count of removed characters', () => {
    const any = fc.string({ unit: 'grapheme', maxLength: 60 });
    forAll([any, fc.nat({ max: 70 })], (text, limit) => {
      const { text: start, left } = cut(text, limit);
      expect([start.isWellFormed(), text.startsWith(start)]).toEqual([true, true]);
      expect([...start].length + left).toBe([...text].length);
      expect([...start].length).toBeLessThanOrEqual(limit);
    });
  });
});

describe('shorten', () => {
  test('ends a shortened text with an ellipsis within the given length', () => {
    const shortened = [6, 5, 0].map((length) => shorten('abcdef', length));
    expect(shortened).toEqual(['abcdef', 'abcd…', '']);
  });

  test('never splits a surrogate pair at any length', () => {
    const text = 'a😀b😀😀c';
    for (let length = 0; length <= text.length; length += 1) {
      const short = shorten(text, length);
      expect(short.isWellFormed()).toBe(true);
      expect(short.length).toBeLessThanOrEqual(length);
    }
  });
});

test.each([
  [0, ''],
  [1, ' (1 more character)'],
  [4999500, ' (4,999,500 more characters)'],
])('cutNote of %d is "%s"', (count, note) => expect(cutNote(count)).toBe(note));
