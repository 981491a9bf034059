import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesBelow } from '../../../../scripts/entries-below.ts';
import { writeFiles } from '../../../../src/edges/git/checkout.ts';
import type { TreeEntry } from '../../../../src/edges/git/listing.ts';
import { ODD_NAMES, createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import { craftedTree, messageOf, using } from './opened-repository.ts';

const listed = (folder: string) =>
  entriesBelow(folder)
    .filter(({ entry }) => !entry.isDirectory())
    .map(({ path }) => path);

describe('checking out into an empty folder', () => {
  test('writes every regular file byte for byte, but no links and no repository', async () => {
    const repository = createRepository();
    const head = repository.commit('one', {
      'app/answer.mjs': 'console.log(1)\r\n',
      'app/run': { program: '#!/bin/sh\n' },
      link: { link: '/etc/passwd' },
      dirlink: { link: '..' },
      '.gitattributes': '* text eol=crlf\n',
      'b.bin': Uint8Array.of(0, 255, 10),
    });
    const folder = join(temporaryFolder(), 'new', 'checkout');
    await using(repository.directory, (opened) => opened.checkout(head, folder));
    expect(listed(folder)).toEqual(['.gitattributes', 'app/answer.mjs', 'app/run', 'b.bin']);
    expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toBe('* text eol=crlf\n');
    expect([...readFileSync(join(folder, 'b.bin'))]).toEqual([0, 255, 10]);
    expect(lstatSync(join(folder, 'app/run')).mode & 0o111).not.toBe(0);
    expect(lstatSync(join(folder, 'app/answer.mjs')).mode & 0o111).toBe(0);
  });

  test('preserves unusual names and hundreds of folders', async () => {
    const repository = createRepository();
    const many = Array.from({ length: 400 }, (_, at) => `d${at % 40}/e${at % 7}/f${at}`);
    const names = [...ODD_NAMES, ...many].sort();
    const head = repository.commit('odd', Object.fromEntries(names.map((name) => [name, name])));
    const folder = join(temporaryFolder(), 'checkout');
    await using(repository.directory, (opened) => opened.checkout(head, folder));
    expect(listed(folder)).toEqual(names);
    for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe(name);
  });

  test('fails if the folder is not empty', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { a: 'a' });
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'mine'));
    await using(repository.directory, async (opened) => {
      await expect(opened.checkout(head, folder)).rejects.toThrow('is not empty');
    });
    expect(listed(folder)).toEqual([]);
    expect(existsSync(join(folder, 'mine'))).toBe(true);
  });

  test.each([
    '..',
    '../../escaped',
    '.git',
    '.GIT/hooks',
    'sub/.git/config',
    'a/./b',
    'git~1',
    '.git.',
    '.g\u200cit',
    '.git /x',
    '/etc/x',
    'a//b',
  ])('rejects a crafted tree with the name %j and writes nothing', async (path) => {
    const outer = temporaryFolder();
    const entries = ['fine', path].map((name): TreeEntry => {
      return { mode: '100644', id: '1'.repeat(40), bytes: Buffer.from(name), path: name };
    });
    const reader = { blob: () => Promise.resolve(Buffer.from('x')) };
    const writing = writeFiles(entries, reader, join(outer, 'in', 'here'));
    expect(await messageOf(writing)).toContain(
      'has a name that cannot be checked out; rename or remove it',
    );
    expect(listed(outer)).toEqual([]);
  });

  test('rejects a tree object whose paths leave the folder', async () => {
    const repository = createRepository();
    const id = repository.gitInput('escaped', 'hash-object', '-w', '--stdin');
    const inner = craftedTree(repository, [['100644', 'escaped', id]]);
    const outer = craftedTree(repository, [['40000', '..', inner]]);
    const head = repository.git('commit-tree', '-m', 'x', outer);
    const folder = join(temporaryFolder(), 'in');
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.checkout(head, folder))).toContain('../escaped: has a name');
      expect(existsSync(join(folder, '../escaped'))).toBe(false);
    });
  });

  test('removes everything if it fails halfway', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { a: 'a', 'sub/b': 'b', 'sub/c': 'c' });
    const id = repository.git('rev-parse', 'HEAD:sub/c');
    repository.write({ [`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`]: null });
    const folder = join(temporaryFolder(), 'in');
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.checkout(head, folder))).toContain(
        `sub/c: its content (object ${id.slice(0, 7)}) is missing from this clone`,
      );
    });
    expect(existsSync(folder)).toBe(false);
  });
});
