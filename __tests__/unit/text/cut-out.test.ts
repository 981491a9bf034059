import { cutOut } from '../../../src/text/cut-out.ts';

describe('cutOut', () => {
  test.each([
    ['Returns within 30 days. Parcels go.', 'Parcels go.', 'Returns within 30 days. '],
    ['Answer briefly, in English.', 'Answer briefly.', ', in English'],
    ['Do not guess.', 'Do guess.', ' not'],
    ['Never say no. Never say yes.', 'Never say yes.', 'Never say no. '],
    ['Say it twice twice.', 'Say it twice.', ' twice'],
    // The result is null if a word changed, only spaces were removed, or text was added.
    ['It cannot be.', 'It can be.', null],
    ['unclear', 'clear', null],
    ['a  b', 'a b', null],
    ['Be brief and polite.', 'Be polite and warm.', null],
    ['Be polite.', 'Be very polite.', null],
    ['Be polite.', 'Be polite.', null],
    ['Be polite.', '', null],
    ['', 'Be polite.', null],
  ])('from %j to %j returns %j', (before, after, cut) => expect(cutOut(before, after)).toBe(cut));
});
