import { fitBytes, fitMarkdown } from '../../../../src/edges/github/check.ts';
import fc from '../../../fuzz.ts';

describe('fitBytes', () => {
  test('keeps a text of exactly the maximum length and never cuts within a character', () => {
    expect(fitBytes('aé', 3)).toBe('aé');
    expect(fitBytes('aé', 2)).toBe('a');
    expect(fitBytes('😀', 3)).toBe('');
    expect(fitBytes('', 0)).toBe('');
  });

  test('returns a prefix of the text that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, limit) => {
        const fitted = fitBytes(text, limit);
        expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(limit);
        expect(text.startsWith(fitted)).toBe(true);
      }),
    );
  });
});

describe('fitMarkdown', () => {
  test('adds a note as a separate paragraph', () => {
    expect(fitMarkdown('text', 'note', 100)).toBe('text\n\nnote');
    expect(fitMarkdown('text', '', 4)).toBe('text');
  });

  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

  test.each([
    ['a fence of backticks', ['```json', ...lines(50), '```'], /\n```\n\nThis summary is cut/],
    [
      'a longer fence of tildes with a shorter one inside',
      ['~~~~', '~~~', ...lines(50), '~~~~'],
      /\n~~~~\n\nThis summary is cut/,
    ],
  ])('closes %s that the cut leaves open', (_what, text, expected) => {
    const fitted = fitMarkdown(text.join('\n'), '', 300);
    expect(fitted).toMatch(expected);
    expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(300);
  });

  test.each([
    ['a fence that is closed before the cut', ['```', 'x', '```', ...lines(50)]],
    ['a line that only looks like a fence', ['```not` a fence', ...lines(50)]],
  ])('does not change %s', (_what, text) => {
    expect(fitMarkdown(text.join('\n'), '', 300)).toMatch(/line \d+\n\nThis summary is cut/);
  });

  test('cuts within a first line that is too long', () => {
    const fitted = fitMarkdown('é'.repeat(500), '', 300);
    expect(fitted).toMatch(/^é+\n\nThis summary is cut/);
    expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(300);
    expect(Buffer.byteLength(fitted)).toBeGreaterThan(297);
  });

  test('never exceeds the limit', () => {
    const line = fc.constantFrom('```', '````', '~~~', 'text', '', '   ```js', 'ünïcode', '```a`b');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 200 }),
        fc.integer({ min: 120, max: 600 }),
        (text, limit) => {
          expect(
            Buffer.byteLength(fitMarkdown(text.join('\n'), 'one note', limit)),
          ).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});
