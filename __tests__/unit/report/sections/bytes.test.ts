import { bytes } from '../../../../src/report/sections/detail.ts';

import fc, { anyCharacter } from '../../../fuzz.ts';

test('the size of a text is its number of UTF-8 bytes, even with lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) =>
      expect(bytes(text)).toBe(new TextEncoder().encode(text).length),
    ),
  );
  for (const text of ['', 'plain', 'ünï → 😀', '\ud83d', '\udc00x', 'a\ud83d\ud83d\ude00'])
    expect(bytes(text)).toBe(new TextEncoder().encode(text).length);
});
