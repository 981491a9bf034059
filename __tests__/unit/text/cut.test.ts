import { describe, expect, test } from '@jest/globals';
import { cut, cutNote, shorten } from '../../../src/text/visible.ts';
import fc from '../../fuzz.ts';

describe('cut', () => {
  test('keeps a text up to the limit and counts the characters left out of a longer one', () => {
    expect(cut('abcd', 5)).toEqual({ text: 'abcd', left: 0 });
    expect(cut('abcde', 5)).toEqual({ text: 'abcde', left: 0 });
    expect(cut('abcdef', 5)).toEqual({ text: 'abcde', left: 1 });
  });

  test('counts an emoji as one character and never splits it', () => {
    expect(cut('😀😀😀', 2)).toEqual({ text: '😀😀', left: 1 });
    expect(cut('😀😀', 2)).toEqual({ text: '😀😀', left: 0 });
  });

  test('splits any text into a well-formed start and a count of the rest', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.nat({ max: 70 }),
        (text, limit) => {
          const { text: start, left } = cut(text, limit);
          expect(start.isWellFormed()).toBe(true);
          expect(text.startsWith(start)).toBe(true);
          expect([...start].length + left).toBe([...text].length);
          expect([...start].length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

describe('shorten', () => {
  test('ends a shortened text with an ellipsis, within the length', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef');
    expect(shorten('abcdef', 5)).toBe('abcd…');
    expect(shorten('abc', 0)).toBe('');
  });

  test('never splits a surrogate pair, at any length', () => {
    const text = 'a😀b😀😀c';
    for (let length = 0; length <= text.length; length += 1) {
      const short = shorten(text, length);
      expect(short.isWellFormed()).toBe(true);
      expect(short.length).toBeLessThanOrEqual(length);
    }
  });
});

test('cutNote is empty for 0, and groups digits', () => {
  expect(cutNote(0)).toBe('');
  expect(cutNote(1)).toBe(' (1 more character)');
  expect(cutNote(4999500)).toBe(' (4,999,500 more characters)');
});
