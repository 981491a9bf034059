import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { splitNul } from '../../../../src/edges/git/command.ts';
import { treePathText } from '../../../../src/edges/git/listing.ts';
import { folderPrefix } from '../../../../src/edges/git/tree.ts';
import { UserError } from '../../../../src/errors.ts';
import { ODD_NAMES, createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import { messageOf, using } from './opened-repository.ts';

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
      expect(await opened.paths(tree)).toEqual(['b.bin', 'deep/c.yaml', 'run.sh']);
      expect(tree.files.get('b.bin')?.id).toBe(repository.git('rev-parse', 'HEAD:project/b.bin'));
      expect(Buffer.from(await tree.read('b.bin'))).toEqual(Buffer.from(bytes));
      expect((await tree.read('deep/c.yaml')).length).toBe(0);
      expect((await tree.read('run.sh')).length).toBe(10);
      for (const same of ['./project', 'project/', 'x/../project', 'project/.']) {
        expect((await opened.tree(head, same)).files.size).toBe(3);
      }
    });
  });

  test('drops the content of a file above the limit and reports its size', async () => {
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

  test('lists links and submodules separately and without content', async () => {
    const repository = createRepository();
    repository.write({
      'prompts/a.yaml': 'a',
      'prompts/evil.yaml': { link: '../.git/config' },
      'prompts/env.yaml': { link: '/proc/self/environ' },
      'prompts/tests/root': { link: '/' },
      'prompts/dir': { link: 'tests' },
    });
    repository.git('add', '--all');
    const module = `160000,${'1'.repeat(40)},prompts/module`;
    repository.git('update-index', '--add', '--cacheinfo', module);
    repository.git('commit', '--quiet', '-m', 'one');
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(await opened.resolve('HEAD'), '.');
      expect(await opened.paths(tree)).toEqual(['prompts/a.yaml']);
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

  test('has no files if the working directory is a link, a file or missing', async () => {
    const repository = createRepository();
    const files = { file: 'x', link: { link: 'real' }, 'real/a.yaml': 'a' };
    const head = repository.commit('one', files);
    await using(repository.directory, async (opened) => {
      for (const folder of ['link', 'file', 'missing', 'link/sub', 'file/sub', 'real/a.yaml'])
        expect(await opened.paths(head, folder)).toEqual([]);
      for (const [path, kind, at] of [
        ['link', 'symbolic link', 'link'],
        ['link/sub', 'symbolic link', 'link'],
        ['real/a.yaml', 'file', 'real/a.yaml'],
        ['real/sub', 'missing', 'real/sub'],
      ] as const)
        expect(await opened.folder(head, path)).toEqual({ kind, at });
      expect((await opened.tree(head, 'real')).files.size).toBe(1);
    });
  });

  test('preserves unusual names, each with its own content', async () => {
    const repository = createRepository();
    const contents = Object.fromEntries(ODD_NAMES.map((name, at) => [name, `content ${at}`]));
    const head = repository.commit('odd', contents);
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, '.');
      expect((await opened.paths(tree)).sort()).toEqual([...ODD_NAMES].sort());
      for (const name of ODD_NAMES) expect(await opened.text(tree, name)).toBe(contents[name]);
      expect(await opened.paths(head, '-x')).toEqual(['y.yaml']);
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
  ])('reads nothing for %j, which is not in the listing', async (path) => {
    const repository = createRepository();
    const head = repository.commit('one', { 'prompts/a.yaml': 'a' });
    await using(repository.directory, async (opened) => {
      expect(await messageOf((await opened.tree(head, '.')).read(path))).toContain(
        `does not exist at ${head.slice(0, 7)}`,
      );
    });
  });

  test('is read without running filters or diff drivers from attributes and configuration', async () => {
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
    const hook = { program: '#!/bin/sh\ntouch canary\n' };
    repository.write({
      '.git/hooks/post-index-change': hook,
      '.git/hooks/pre-commit': hook,
      '.git/hooks/post-checkout': hook,
      '.git/hooks/reference-transaction': hook,
      '.git/hooks/fsmonitor-watchman': hook,
      'a.yaml': 'three\n',
    });
    await using(repository.directory, async (opened) => {
      expect(await opened.text(head, 'a.yaml')).toBe('two $Id$\n');
      expect(await opened.changedPaths(base, head)).toEqual(['a.yaml']);
      const tree = await opened.worktree('.');
      expect(await opened.text(tree, 'a.yaml')).toBe('three\n');
      expect(await opened.paths(tree)).toEqual(['.gitattributes', 'a.yaml']);
      expect(await opened.changedPaths(base, tree)).toEqual(['a.yaml']);
      await opened.checkout(head, join(temporaryFolder(), 'out'));
    });
    expect(existsSync(join(repository.directory, 'canary'))).toBe(false);
    // Shows that the trap works: git itself follows it.
    repository.git('add', 'a.yaml');
    expect(existsSync(join(repository.directory, 'canary'))).toBe(true);
  });

  test('lists and reads ten thousand files', async () => {
    const repository = createRepository();
    const all = Array.from({ length: 10_000 }, (_, at) => at);
    const blobs = all.map((at) => `blob\nmark :${at + 1}\ndata <<END\nfile ${at}\nEND\n`);
    const files = all.map((at) => `M 100644 :${at + 1} prompts/${at % 50}/${at}.yaml\n`);
    repository.gitInput(
      `${blobs.join('')}commit refs/heads/main\ncommitter Ada <a@b> 1700000000 +0000\ndata 3\none\n${files.join('')}\n`,
      'fast-import',
      '--quiet',
    );
    const head = repository.git('rev-parse', 'main');
    await using(repository.directory, async (opened) => {
      const tree = await opened.tree(head, 'prompts');
      expect(tree.files.size).toBe(10_000);
      const texts = all.map((at) => opened.text(tree, `${at % 50}/${at}.yaml`));
      expect(await Promise.all(texts)).toEqual(all.map((at) => `file ${at}\n`));
    });
  });
});

describe('path names', () => {
  test('show bytes that are not UTF-8 as hexadecimal escapes', () => {
    expect(treePathText(Buffer.from([0x61, 0xff, 0xc3]))).toBe('a\\xff\\xc3');
    expect(treePathText(Buffer.from('\ufeffä'))).toBe('\ufeffä');
  });

  test('distinguish two files whose names are not UTF-8', async () => {
    const repository = createRepository();
    const store = (text: string) => repository.gitInput(text, 'hash-object', '-w', '--stdin');
    const listing = `100644 blob ${store('one')}\ta\xfe\x00100644 blob ${store('two')}\ta\xff\0`;
    const tree = repository.gitInput(Buffer.from(listing, 'latin1'), 'mktree', '-z');
    const head = repository.git('commit-tree', '-m', 'x', tree);
    await using(repository.directory, async (opened) => {
      expect(await opened.paths(head)).toEqual(['a\\xfe', 'a\\xff']);
      expect(await opened.text(head, 'a\\xff')).toBe('two');
    });
  });

  test('are split at NUL bytes only', () => {
    expect(splitNul(Buffer.from('a\nb\0c\0')).map(String)).toEqual(['a\nb', 'c']);
    expect(splitNul(Buffer.alloc(0))).toEqual([]);
  });

  test.each(['..', '../x', 'a/../..', '../../r/x', '/etc', 'a\0b'])(
    'outside the repository are rejected: %j',
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
  ])('in the folder %j resolve %j to the prefix %j', (start, folder, prefix) => {
    expect(folderPrefix(start, folder, '/r')).toBe(prefix);
  });
});
