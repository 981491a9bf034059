import {
  comparable,
  foldCase,
  normaliseText,
  type Normalisation,
} from '../../../../src/metrics/measures/normalise.ts';
import fc, { anyCharacter, draws, forAll } from '../../../fuzz.ts';

const plain = { ignore_case: true, trim: true, ignore_punctuation: true };

function areEqual(one: string, other: string, options: Normalisation = plain) {
  const { actual, wanted } = comparable(one, other, options);
  return actual === wanted;
}

describe('texts compared without case and punctuation', () => {
  type Pairs = [one: string, other: string][];
  test.each<[string, ...Pairs]>([
    [
      'sentence punctuation',
      ['hello, world', 'Hello world!'],
      ["won't", 'wont'],
      ['C++.', '“c++”'],
    ],
    ['brackets and points around a number', ['(3.14)', '3.14'], ['3.14.', '3.14'], ['...5', '5']],
    ['Markdown', ['**Paris**', 'paris'], ['#Paris', 'Paris']],
    ['hyphens and apostrophes', ['well - known', 'well known'], ['e-mail', 'email']],
    ['apostrophes beside a number', ["the 1990's", 'the 1990s']],
    ['units', ['$1.50', '1.50 €'], ['60%', '60']],
    ['digit group separators', ['1,024.50', '1024.50'], ['1\u202f024', "1'024"]],
    ['minus characters', ['−5', '-5'], ['$-50', '-$50']],
  ])('are equal despite different %s', (_, ...pairs) => {
    for (const [one, other] of pairs) {
      expect([one, areEqual(one, other)]).toEqual([one, true]);
      expect([one, areEqual(other, one)]).toEqual([one, true]);
    }
  });

  test.each<[string, ...Pairs]>([
    [
      'decimals',
      ['15', '1.5'],
      ['150', '1.50'],
      ['$150', '$1.50'],
      ['105', '10.5'],
      ['314', '3,14'],
    ],
    ['separators', ['1230', '12:30'], ['34', '3/4'], ['20240102', '2024-01-02'], ['123', '1.2.3']],
    ['the sign of a number', ['5', '-5'], ['5', '−5'], ['5', '+5'], ['5', '.5'], ['5', '-.5']],
    ['the sign of an amount', ['50', '-$50'], ['US$50', '-US$50'], ['USD 50', '-USD 50']],
    ['a symbol in a name', ['C++', 'C#'], ['C', 'C#'], ['A-', 'A'], ['A+', 'A-']],
    ['comparisons', ['a != b', 'a == b'], ['a != b', 'a = b'], ['a < b', 'a > b']],
    ['operators', ['x + y', 'x - y'], ['x^2', 'x2'], ['5 - 3', '5 + 3'], ['a && b', 'a || b']],
    ['punctuation alone', ['!', '?'], ['!', ''], ['!', 'Paris']],
  ])('are different if they differ in %s', (_, ...pairs) => {
    for (const [one, other] of pairs) {
      expect([one, areEqual(one, other)]).toEqual([one, false]);
      expect([one, areEqual(other, one)]).toEqual([one, false]);
    }
  });

  test('are equal if both are blank, but an empty answer does not equal an expected space', () => {
    expect([areEqual('', ' '), areEqual(' ', ' '), areEqual(' ', '')]).toEqual([false, true, true]);
  });

  test.each([
    ['STRASSE', 'straße'],
    ['ẞ', 'ss'],
    ['ΟΔΟΣ', 'οδος'],
    ['ﬁ', 'FI'],
    ['É', 'e\u0301'],
    ['K', 'k'], // the first K is the Kelvin sign
    ['I', 'ı'],
  ])('are equal if they differ only in case: %j and %j', (one, other) => {
    expect(foldCase(one.normalize('NFC'))).toBe(foldCase(other.normalize('NFC')));
  });
});

describe('comparison of any text', () => {
  const pieces = fc.constantFrom('1', '5', '.', ',', '-', '+', '−', '$', ' ', 'a', 'USD', '#', '/');
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(pieces, { maxLength: 12 }).map((found) => found.join('')),
  );
  const options = fc.record({
    ignore_case: fc.boolean(),
    trim: fc.boolean(),
    ignore_punctuation: fc.boolean(),
  });

  test('treats a text as equal to itself and to its decomposed Unicode form', () => {
    forAll(
      [text, options],
      (one, given) => {
        expect(areEqual(one, one, given)).toBe(true);
        expect(areEqual(one, one.normalize('NFD'), given)).toBe(true);
        expect(normaliseText(one, given).length).toBeLessThanOrEqual(3 * one.length);
      },
      { numRuns: draws(2_000) },
    );
  });

  test.each([
    ['one of its digits', /\d/g],
    ['the sign of a number', /[-+−](?=\$?\d)/g],
  ])('treats a text as different if %s is removed', (_, removed) => {
    forAll(
      [text, fc.nat(), options],
      (one, at, given) => {
        const found = [...one.matchAll(removed)];
        const { index } = found[at % found.length] ?? {};
        if (index !== undefined)
          expect(areEqual(one.slice(0, index) + one.slice(index + 1), one, given)).toBe(false);
      },
      { numRuns: draws(5_000) },
    );
  });
});
