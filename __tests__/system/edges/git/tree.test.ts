import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { treePathText } from '../../../../src/edges/git/listing.ts';
import { folderPrefix, splitNul } from '../../../../src/edges/git/tree.ts';
import { UserError } from '../../../../src/errors.ts';
import {
  ODD_NAMES,
  createRepository,
  removeTemporaryFolders,
  temporaryFolder,
} from '../../../stand-ins/repository.ts';
import { decode, messageOf, using } from './opened-repository.ts';

afterAll(removeTemporaryFolders);

describe('a tree', () => {
  test('lists regular files with their ids below the working directory, and reads their exact bytes', async () => {
    const repository = createRepository();
    const bytes = Uint8Array.from([0, 255, 10, 13, 10, 0]);
    const head = repository.commit('one', {
      'a.yaml': 'outside',
      'project/b.bin': bytes,
      'project/run.sh': { program: '#!/bin/sh\n' },
      'project/deep/c.yaml': '',
      'project2/d.yaml': 'd',
    });
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, 'project');
      expect(tree.commit).toBe(head);
      const lengths = [...tree.files.keys()].map(
        async (path) => [path, (await tree.read(path)).length] as const,
      );
      expect(await Promise.all(lengths)).toEqual([
        ['b.bin', 6],
        ['deep/c.yaml', 0],
        ['run.sh', 10],
      ]);
      expect(tree.files.get('b.bin')?.id).toBe(repository.git('rev-parse', 'HEAD:project/b.bin'));
      expect(Buffer.from(await tree.read('b.bin'))).toEqual(Buffer.from(bytes));
      expect((await tree.read('deep/c.yaml')).length).toBe(0);
      for (const same of ['./project', 'project/', 'x/../project', 'project/.']) {
        expect((await opened.tree(head, same)).files.size).toBe(3);
      }
    });
  });

  test('keeps nothing of a file above the limit, and tells its size', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'abcdef', 'b.yaml': 'abcdef\n' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, '.');
      const [fits, large, whole] = await Promise.allSettled([
        tree.read('a.yaml', 6),
        tree.read('b.yaml', 6),
        tree.read('b.yaml'),
      ]);
      expect(fits).toMatchObject({ status: 'fulfilled', value: Buffer.from('abcdef') });
      expect(whole).toMatchObject({ status: 'fulfilled', value: Buffer.from('abcdef\n') });
      expect(large.status === 'rejected' && (await messageOf(Promise.reject(large.reason)))).toBe(
        'b.yaml: is 7 bytes; the limit is 6',
      );
    });
  });

  test('keeps links and submodules apart and gives no content of theirs', async () => {
    const repository = createRepository();
    repository.write({
      'prompts/a.yaml': 'a',
      'prompts/evil.yaml': { link: '../.git/config' },
      'prompts/env.yaml': { link: '/proc/self/environ' },
      'prompts/tests/root': { link: '/' },
      'prompts/dir': { link: 'tests' },
    });
    repository.git('add', '--all');
    repository.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${'1'.repeat(40)},prompts/module`,
    );
    repository.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'one');
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(await opened.resolve('HEAD'), '.');
      expect([...tree.files.keys()]).toEqual(['prompts/a.yaml']);
      expect(Object.fromEntries(tree.irregular)).toEqual({
        'prompts/evil.yaml': 'symbolic link',
        'prompts/env.yaml': 'symbolic link',
        'prompts/tests/root': 'symbolic link',
        'prompts/dir': 'symbolic link',
        'prompts/module': 'submodule',
      });
      expect(await messageOf(tree.read('prompts/evil.yaml'))).toBe(
        'prompts/evil.yaml: is a symbolic link; only regular files are read',
      );
      expect(await messageOf(tree.read('prompts/module'))).toBe(
        'prompts/module: is a submodule; only regular files are read',
      );
      expect(await messageOf(tree.read('prompts/dir/root'))).toContain('does not exist at');
    });
  });

  test('of a working directory that is a link, a file, or missing has no files', async () => {
    const repository = createRepository();
    const head = repository.commit('one', {
      file: 'x',
      link: { link: 'real' },
      'real/a.yaml': 'a',
    });
    await using(repository.directory, async (opened) => {
      for (const folder of ['link', 'file', 'missing', 'link/sub', 'file/sub', 'real/a.yaml']) {
        expect([...(await opened.tree(head, folder)).files.keys()]).toEqual([]);
      }
      expect(await opened.folder(head, 'link')).toEqual({ kind: 'symbolic link', at: 'link' });
      expect(await opened.folder(head, 'link/sub')).toEqual({ kind: 'symbolic link', at: 'link' });
      expect(await opened.folder(head, 'real/a.yaml')).toEqual({ kind: 'file', at: 'real/a.yaml' });
      expect(await opened.folder(head, 'real/sub')).toEqual({ kind: 'missing', at: 'real/sub' });
      expect((await opened.tree(head, 'real')).files.size).toBe(1);
    });
  });

  test('gives odd names exactly, and each its own content', async () => {
    const repository = createRepository();
    const head = repository.commit(
      'odd',
      Object.fromEntries(ODD_NAMES.map((name, at) => [name, `content ${at}`])),
    );
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, '.');
      expect([...tree.files.keys()].sort()).toEqual([...ODD_NAMES].sort());
      expect(
        await Promise.all(ODD_NAMES.map(async (name) => decode(await tree.read(name)))),
      ).toEqual(ODD_NAMES.map((_, at) => `content ${at}`));
      expect([...(await opened.tree(head, '-x')).files.keys()]).toEqual(['y.yaml']);
    });
  });

  test.each([
    '../a.yaml',
    '/etc/passwd',
    '//etc/passwd',
    'C:\\a.yaml',
    'c:/a.yaml',
    'https://example.com/a.yaml',
    'pkg://a',
    'prompts\\a.yaml',
    'prompts/%2e%2e/a.yaml',
    'prompts/../prompts/a.yaml',
    './prompts/a.yaml',
    'prompts//a.yaml',
    'prompts/a.yaml\0',
    'prompts',
    '',
    '.git/config',
    'HEAD:prompts/a.yaml',
    'PROMPTS/A.YAML',
    '__proto__',
    'constructor',
  ])('reads nothing for %j, which is not a listed path', async (path) => {
    const repository = createRepository();
    const head = repository.commit('one', { 'prompts/a.yaml': 'a' });
    await using(repository.directory, async (opened) => {
      expect(await messageOf((await opened.tree(head, '.')).read(path))).toContain(
        `does not exist at ${head.slice(0, 7)}`,
      );
    });
  });

  test('runs no filter and no diff driver that attributes and configuration name', async () => {
    const repository = createRepository();
    const base = repository.commit('one', {
      'a.yaml': 'one\n',
      '.gitattributes': '*.yaml filter=evil diff=evil merge=evil text eol=crlf ident\n',
    });
    const head = repository.commit('two', { 'a.yaml': 'two $Id$\n' });
    for (const [key, value] of [
      ['filter.evil.smudge', 'touch canary'],
      ['filter.evil.clean', 'touch canary'],
      ['filter.evil.required', 'false'],
      ['diff.evil.textconv', 'touch canary; cat'],
      ['diff.evil.command', 'touch canary'],
      ['diff.external', 'touch canary'],
      ['core.fsmonitor', 'touch canary'],
      ['core.pager', 'touch canary'],
    ] as const)
      repository.git('config', key, value);
    for (const hook of [
      'post-index-change',
      'pre-commit',
      'post-checkout',
      'reference-transaction',
      'fsmonitor-watchman',
    ]) {
      repository.write({ [`.git/hooks/${hook}`]: { program: '#!/bin/sh\ntouch canary\n' } });
    }
    repository.write({ 'a.yaml': 'three\n' });
    await using(repository.directory, async (opened) => {
      expect(decode(await (await opened.tree(head, '.')).read('a.yaml'))).toBe('two $Id$\n');
      expect((await opened.changedFiles(base, head, '.')).map(({ path }) => path)).toEqual([
        'a.yaml',
      ]);
      const tree = await opened.worktree('.');
      expect(decode(await tree.read('a.yaml'))).toBe('three\n');
      expect([...tree.files.keys()]).toEqual(['.gitattributes', 'a.yaml']);
      expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
        'a.yaml',
      ]);
      await opened.checkout(head, join(temporaryFolder(), 'out'));
    });
    expect(existsSync(join(repository.directory, 'canary'))).toBe(false);
    // The trap is armed: plain git walks into it.
    repository.git('add', 'a.yaml');
    expect(existsSync(join(repository.directory, 'canary'))).toBe(true);
  });

  test('of ten thousand files is listed and read whole', async () => {
    const repository = createRepository();
    const blobs = Array.from(
      { length: 10_000 },
      (_, at) => `blob\nmark :${at + 1}\ndata <<END\nfile ${at}\nEND\n`,
    ).join('');
    const files = Array.from(
      { length: 10_000 },
      (_, at) => `M 100644 :${at + 1} prompts/${at % 50}/${at}.yaml\n`,
    ).join('');
    repository.gitInput(
      `${blobs}commit refs/heads/main\ncommitter Ada <a@b> 1700000000 +0000\ndata 3\none\n${files}\n`,
      'fast-import',
      '--quiet',
    );
    const head = repository.git('rev-parse', 'main');
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, 'prompts');
      expect(tree.files.size).toBe(10_000);
      const contents = await Promise.all(
        [...tree.files.keys()].map(async (path) => [path, decode(await tree.read(path))] as const),
      );
      expect(
        contents.filter(
          ([path, text]) => text !== `file ${/\/(\d+)\.yaml$/.exec(path)?.[1] ?? ''}\n`,
        ),
      ).toEqual([]);
    });
  });
});

describe('names and folders', () => {
  test('bytes that are not UTF-8 are shown, not lost', () => {
    expect(treePathText(Buffer.from([0x61, 0xff, 0xc3]))).toBe('a\\xff\\xc3');
    expect(treePathText(Buffer.from('\ufeffä'))).toBe('\ufeffä');
  });

  test('two names that are not UTF-8 stay two files', async () => {
    const repository = createRepository();
    const ids = ['one', 'two'].map((text) =>
      repository.gitInput(text, 'hash-object', '-w', '--stdin'),
    );
    const listing = Buffer.concat(
      [
        [0xfe, ids[0]!],
        [0xff, ids[1]!],
      ].map(([byte, id]) =>
        Buffer.concat([Buffer.from(`100644 blob ${id}\ta`), Buffer.of(Number(byte)), Buffer.of(0)]),
      ),
    );
    const tree = repository.gitInput(listing, 'mktree', '-z');
    const head = repository.git(
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit-tree',
      '-m',
      'x',
      tree,
    );
    await using(repository.directory, async (opened) => {
      const opensAs = await opened.tree(head, '.');
      expect([...opensAs.files.keys()]).toEqual(['a\\xfe', 'a\\xff']);
      expect(decode(await opensAs.read('a\\xff'))).toBe('two');
    });
  });

  test('a -z answer is cut at NUL bytes only', () => {
    expect(splitNul(Buffer.from('a\nb\0c\0')).map(String)).toEqual(['a\nb', 'c']);
    expect(splitNul(Buffer.alloc(0))).toEqual([]);
  });

  test.each(['..', '../x', 'a/../..', '../../r/x', '/etc', 'a\0b'])(
    '%j is outside the repository',
    (folder) => {
      expect(() => folderPrefix('', folder, '/r')).toThrow(UserError);
      expect(() => folderPrefix('', folder, '/r')).toThrow('is outside /r');
    },
  );

  test.each([
    ['', '.', ''],
    ['', '', ''],
    ['sub/', '.', 'sub'],
    ['sub/', '..', ''],
    ['', 'a//b/', 'a/b'],
    ['sub/', '../other', 'other'],
    ['', '...', '...'],
  ])('from %j, %j is %j', (start, folder, prefix) => {
    expect(folderPrefix(start, folder, '/r')).toBe(prefix);
  });
});
