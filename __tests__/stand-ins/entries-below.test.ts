import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesBelow, filePathsBelow } from '../../scripts/entries-below.ts';
import { createRepository, filesBelow, temporaryFolder } from './repository.ts';

/** Links, by path, that lead back or elsewhere. */
const LINKS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['to the folder that it is in', { 'a/link': '.' }],
  ['to a folder above it', { 'a/b/link': '../..' }],
  ['to itself', { link: 'link' }],
  ['to the root of the file system', { link: '/' }],
  ['to nothing', { 'a/link': 'missing' }],
  ['to a file', { link: 'a/file' }],
  ['to each other', { 'a/there': '../other', 'other/back': '../a' }],
];

/** A folder with one file and these links. */
function folderWith(links: Readonly<Record<string, string>>) {
  const folder = temporaryFolder('links');
  for (const path of ['a/b', 'other']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'a/file'), 'text');
  for (const [path, to] of Object.entries(links)) symlinkSync(to, join(folder, path));
  return folder;
}

describe('the entries below a folder', () => {
  test.each(LINKS)('include a link %s once, without what it leads to', (_where, links) => {
    const folder = folderWith(links);
    const folders = ['a', 'a/b', 'other'];
    expect(entriesBelow(folder).map(({ path }) => path)).toEqual(
      [...folders, 'a/file', ...Object.keys(links)].sort(),
    );
    expect(filePathsBelow(folder)).toEqual(['a/file']);
    expect(filesBelow(folder)).toEqual({ 'a/file': 'text' });
  });

  test.each(LINKS)(
    'give two repositories with a link %s the same first commit',
    (_where, links) => {
      const [first, second] = [1, 2].map(() => {
        const directory = folderWith(links);
        return createRepository({ directory }).commit('one');
      });
      expect(first).toBe(second);
    },
  );
});
