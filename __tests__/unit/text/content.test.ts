import { partsOfText, partsText } from '../../../src/text/content.ts';
import type { FilePart } from '../../../src/types/media.ts';

const CAT: FilePart = {
  type: 'image',
  path: 'photos/cat.png',
  media_type: 'image/png',
  id: '3f2a1bc0000000000000000000000000000000ff',
  bytes: 84_000,
};
const PHOTO = { type: 'image' as const, path: '{photo}' };
const words = (text: string) => ({ type: 'text' as const, text });

describe('partsOfText', () => {
  test.each([
    ['a file between texts', [words('Look:\n'), CAT, words('Is it a cat?')]],
    ['two files', [CAT, PHOTO, words('Which one is the cat?')]],
    ['a file alone', [PHOTO]],
  ])('restores the parts that partsText wrote: %s', (_, parts) => {
    expect(partsOfText(partsText(parts), [CAT, PHOTO])).toEqual(parts);
  });

  test('keeps a line as text if it names an unknown file', () => {
    expect(partsOfText('[image other.png]\nWhat is it?', [CAT])).toEqual([
      words('[image other.png]\nWhat is it?'),
    ]);
  });
});
