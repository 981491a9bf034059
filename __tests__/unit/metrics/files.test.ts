import { createHash } from 'node:crypto';
import { metrics } from '../../../src/metrics/index.ts';
import type { Part } from '../../../src/types/answer.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, scored } from './samples.ts';

type Given = Record<string, Json>;
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const file = (path: string, diff = ''): Part => ({ type: 'file', path, diff });
const image = (content: string): Part => ({
  type: 'image',
  media_type: 'image/png',
  digest: sha256(content),
  bytes: content.length,
  data: null,
});
const scoreFiles = (parts: Part[], expected: Json, given: Given = {}) =>
  scored(builtIn('file_match', given), sample('', { expected, completion: { parts } }));

describe('file_match', () => {
  const notes = file('notes.md', '# Notes\n\nOne\n');
  const noteLines = { path: 'notes.md', content: '# Notes\n\nOne\n' };
  const cat = image('cat');
  const wantsCat = { image: sha256('cat') };
  test.each<[string, Part[], Json, Given, number]>([
    ['one path', [notes], 'notes.md', {}, 1],
    ['its content', [notes], noteLines, {}, 1],
    ['a digest in capitals', [cat], { image: sha256('cat').toUpperCase() }, {}, 1],
    ['text beside files', [{ type: 'text', text: 'Done.' }, notes], [noteLines], {}, 1],
    ['no file, as expected', [{ type: 'text', text: 'Done.' }], [], {}, 1],
    ['files in any order', [cat, file('b'), file('a')], ['a', 'b', wantsCat], {}, 1],
    ['a missing file', [notes], ['notes.md', 'a'], {}, 2 / 3],
    ['different content', [notes], { ...noteLines, content: '' }, {}, 0],
    ['one file too many', [notes, file('log')], [noteLines], {}, 2 / 3],
    [
      'extra files and ignore_extra',
      [notes, cat, file('log')],
      [noteLines],
      { ignore_extra: true },
      1,
    ],
    ['a different image', [image('dog')], [wantsCat], {}, 0],
    ['an image inside a file', [file('cat', 'cat')], [wantsCat], {}, 0],
  ])('scores an answer with %s', async (_, parts, expected, given, value) => {
    expect(await scoreFiles(parts, expected, given)).toMatchObject({
      status: value === 1 ? 'pass' : 'fail',
      value: expect.closeTo(value, 12),
    });
  });

  test.each<[Part[], Json, string]>([
    [[], ['a.md'], 'a.md missing'],
    [[notes, file('log')], ['a.md'], 'a.md missing; notes.md not expected; log not expected'],
    [[], { image: sha256('cat') }, 'image 77af778b51ab… missing'],
    [[image('dog')], [], 'image cd6357efdd96… not expected'],
    [
      [notes],
      { ...noteLines, content: '# Notes\n\nTwo\n' },
      'notes.md: line 3 is "One", not "Two"',
    ],
    [
      [notes],
      { ...noteLines, content: '# Notes\n\nOne\nTwo' },
      'notes.md: line 4 is "", not "Two"',
    ],
    [[notes], { ...noteLines, content: '# Notes' }, 'notes.md: 3 lines more, from line 2 on'],
    [[file('a', '1')], { path: 'a', content: '1\n2' }, 'a: line 2 is missing, not "2"'],
    [[], ['a', 'b', 'c', 'd', 'e', 'f'], 'a missing; b missing; c missing; d missing; 2 more'],
  ])('for the files %j (expected: %j) gives the reason: %s', async (parts, expected, reason) => {
    expect(await scoreFiles(parts, expected)).toMatchObject({ status: 'fail', reason });
  });

  test.each<Json>([
    3,
    null,
    [null],
    {},
    { content: 'a' },
    { path: 'a', sha256: sha256('a') },
    { image: sha256('cat'), path: 'cat.png' },
    { path: 'a', contents: 'typo' },
  ])('rejects the expected value %j', (value) => {
    expect(metrics.get('file_match')?.problems({ value })).toEqual([
      expect.stringMatching(/^with\.value must contain paths, maps with path and content, or/),
    ]);
  });
});
