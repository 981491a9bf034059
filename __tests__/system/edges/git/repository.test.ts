import { chmodSync, chownSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openRepository } from '../../../../src/edges/git/repository.ts';
import {
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from '../../../stand-ins/repository.ts';
import { decode, messageOf, using } from './opened-repository.ts';

afterAll(removeTemporaryFolders);

describe('opening a repository', () => {
  test('a folder that does not exist is named', async () => {
    expect(
      await messageOf(
        openRepository('/nowhere/at/all', {
          environment: fixtureEnvironment(),
          temporaryFolder: temporaryFolder(),
        }),
      ),
    ).toBe('/nowhere/at/all is not a folder');
  });

  test('a machine without git is told what to install', async () => {
    const empty = temporaryFolder();
    expect(
      await messageOf(
        openRepository(empty, { environment: { PATH: empty }, temporaryFolder: empty }),
      ),
    ).toMatch(/^git was not found on this machine.*install git 2\.31/);
  });

  // Only root can give a file away.
  (process.getuid?.() === 0 ? test : test.skip)(
    'a repository of another user is read, and its word on where to fetch from does not count',
    async () => {
      const repository = createRepository();
      const head = repository.commit('one', { 'a.yaml': 'a' });
      repository.git('remote', 'add', 'origin', 'https://attacker.example/x.git');
      chownSync(join(repository.directory, '.git'), 65_534, 65_534);
      await using(repository.directory, async (opened) => {
        expect([...(await opened.tree(head, '.')).files.keys()]).toEqual(['a.yaml']);
        expect(await messageOf(opened.ensureCommit('c0ffee00'.repeat(5)))).toMatch(
          /could not be fetched: .*\.git belongs to another user, so its remote is not used; run "git fetch" there\.$/,
        );
      });
    },
  );

  test('variables that point git at another repository are not followed', async () => {
    const other = createRepository();
    other.commit('other', { 'other.yaml': 'other' });
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'a' });
    const environment = fixtureEnvironment({
      GIT_DIR: join(other.directory, '.git'),
      GIT_WORK_TREE: other.directory,
      GIT_INDEX_FILE: join(other.directory, '.git/index'),
      GIT_OBJECT_DIRECTORY: join(other.directory, '.git/objects'),
      GIT_EXTERNAL_DIFF: 'false',
      GIT_EXEC_PATH: '/nowhere',
    });
    await using(
      repository.directory,
      async (opened) => {
        expect(await opened.resolve('HEAD')).toBe(head);
        expect([...(await opened.tree(head, '.')).files.keys()]).toEqual(['a.yaml']);
        expect([...(await opened.worktree('.')).files.keys()]).toEqual(['a.yaml']);
      },
      environment,
    );
  });

  test('git is started without model keys and action inputs', async () => {
    const repository = createRepository();
    const bin = temporaryFolder('bin');
    const seen = join(temporaryFolder(), 'seen');
    writeFiles(bin, {
      git: {
        program: `#!/bin/sh\n/usr/bin/env >> '${seen}'\nPATH='${process.env['PATH'] ?? ''}' exec git "$@"\n`,
      },
    });
    const environment = fixtureEnvironment({
      PATH: bin,
      OPENAI_API_KEY: 'sk-secret',
      'INPUT_ANTHROPIC-API-KEY': 'sk-secret',
      GH_TOKEN: 'needed-by-a-helper',
    });
    await using(repository.directory, async () => undefined, environment);
    expect(readFileSync(seen, 'utf8')).not.toContain('sk-secret');
    expect(readFileSync(seen, 'utf8')).toContain('needed-by-a-helper');
  });

  test('a folder inside the repository is the root of its own paths', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'a', 'deep/prompts/b.yaml': 'b' });
    await using(join(repository.directory, 'deep'), async (opened) => {
      expect([...(await opened.tree(head, '.')).files.keys()]).toEqual(['prompts/b.yaml']);
      expect([...(await opened.tree(head, 'prompts')).files.keys()]).toEqual(['b.yaml']);
      expect([...(await opened.tree(head, '..')).files.keys()]).toEqual([
        'a.yaml',
        'deep/prompts/b.yaml',
      ]);
      expect(await messageOf(opened.tree(head, '../../..'))).toMatch(
        /^\.\.\/\.\.: is outside \/.*Give a folder inside the repository\.$/,
      );
      expect([
        ...(await opened.tree(head, join(repository.directory, 'deep/prompts'))).files.keys(),
      ]).toEqual(['b.yaml']);
    });
  });

  test('a linked worktree is read like any other', async () => {
    const repository = createRepository();
    const base = repository.commit('one', { 'a.yaml': 'a' });
    const linked = join(temporaryFolder(), 'linked');
    repository.git('worktree', 'add', '--quiet', '--detach', linked);
    writeFiles(linked, { 'b.yaml': 'text\n' });
    await using(linked, async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()]).toEqual(['a.yaml', 'b.yaml']);
      expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
        'b.yaml',
      ]);
    });
  });

  test.each([
    ['nothing', true, (): void => undefined],
    ['a file of another folder', true, (root: string) => writeFiles(root, { 'other/b.yaml': 'b' })],
    ['an edit', false, (root: string) => writeFiles(root, { 'deep/a.yaml': 'edited' })],
    ['a new file', false, (root: string) => writeFiles(root, { 'deep/c.yaml': 'c' })],
    [
      'the right to execute a file',
      false,
      (root: string) => chmodSync(join(root, 'deep/a.yaml'), 0o755),
    ],
    ['a file less', false, (root: string) => rmSync(join(root, 'deep/a.yaml'))],
    [
      'new files apart',
      true,
      (root: string) => writeFiles(root, { 'deep/out/a.json': '', 'deep/x/out/b.json': '' }),
    ],
    [
      'a new file beside one apart',
      false,
      (root: string) => writeFiles(root, { 'deep/out/a.json': '', 'deep/x/b.json': '' }),
    ],
    ['an edit apart', false, (root: string) => writeFiles(root, { 'deep/out.yaml': 'edited' })],
  ])('what differs is %s: committed is %s', async (_, expected, change) => {
    const repository = createRepository();
    const head = repository.commit('one', {
      'deep/a.yaml': 'a',
      'deep/out.yaml': '',
      'deep/z.yaml': 'z',
    });
    change(repository.directory);
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('deep');
      const apart = (path: string): boolean => /(^|\/)out[./]/.test(path);
      expect(await opened.isCommitted(tree, head, 'deep', apart)).toBe(expected);
    });
  });

  test('a SHA-256 repository works the same', async () => {
    const repository = createRepository({ objectFormat: 'sha256' });
    const base = repository.commit('one', { 'a.yaml': 'a\n' });
    const head = repository.commit('two', { 'a.yaml': 'a\nb\n' });
    expect(head).toMatch(/^[0-9a-f]{64}$/);
    repository.write({ 'c.yaml': 'c\n' });
    await using(repository.directory, async (opened) => {
      expect(await opened.resolve(head)).toBe(head);
      expect(decode(await (await opened.tree(head, '.')).read('a.yaml'))).toBe('a\nb\n');
      expect(await opened.changedFiles(base, head, '.')).toEqual([
        { path: 'a.yaml', basePath: 'a.yaml', lines: [{ start: 2, end: 2 }], deleted: false },
      ]);
      const tree = await opened.worktree('.');
      expect(decode(await tree.read('c.yaml'))).toBe('c\n');
      expect((await opened.changedFiles(head, tree, '.')).map(({ path }) => path)).toEqual([
        'c.yaml',
      ]);
    });
  });

  test('a folder that merely looks like a repository is a folder, and its configuration is not obeyed', async () => {
    const repository = createRepository();
    const canary = join(temporaryFolder(), 'canary');
    const base = repository.commit('base', { 'chat/prompts/a.yaml': 'base\n' });
    const evil = `sh -c 'touch ${canary}'`;
    const head = repository.commit('head', {
      'chat/prompts/a.yaml': 'head\n',
      'chat/HEAD': 'ref: refs/heads/main\n',
      'chat/config': `[core]\n\tworktree = ../..\n\tfsmonitor = ${evil}\n[remote "origin"]\n\turl = .\n\tuploadpack = ${evil}\n`,
      'chat/objects/keep': '',
      'chat/refs/keep': '',
    });
    await using(join(repository.directory, 'chat'), async (opened) => {
      expect(opened.workTree).toEqual({ root: realpathSync(repository.directory), below: 'chat' });
      expect(await opened.resolve('HEAD')).toBe(head);
      expect(decode(await (await opened.tree(base, '.')).read('prompts/a.yaml'))).toBe('base\n');
      expect((await opened.worktree('.')).files.has('config')).toBe(true);
      expect(await messageOf(opened.ensureCommit('c0ffee00'.repeat(5)))).toContain('no remote');
    });
    expect(existsSync(canary)).toBe(false);
  });

  test('a link inside a repository is refused by name, one that leads to a repository is not', async () => {
    const repository = createRepository();
    repository.commit('one', { 'decoy/a.yaml': 'a', chat: { link: 'decoy' } });
    expect(
      await messageOf(
        openRepository(join(repository.directory, 'chat'), {
          environment: fixtureEnvironment(),
          temporaryFolder: temporaryFolder(),
        }),
      ),
    ).toBe(
      `chat is a symbolic link; evaldiff follows none inside a repository. Name the folder itself: ${realpathSync(join(repository.directory, 'decoy'))}`,
    );
    const outside = temporaryFolder('outside');
    writeFiles(outside, { way: { link: repository.directory } });
    await using(join(outside, 'way'), async (opened) => {
      expect([...(await opened.worktree('.')).files.keys()]).toEqual(['decoy/a.yaml']);
    });
  });

  test('names that only the checkout knows are found there: its reflog and upstream branches', async () => {
    const repository = createRepository();
    const first = repository.commit('one', { 'a.yaml': 'a' });
    const second = repository.commit('two', { 'a.yaml': 'b' });
    repository.git('branch', '--quiet', 'other', first);
    repository.git('branch', '--quiet', '--set-upstream-to=other');
    await using(repository.directory, async (opened) => {
      expect(await opened.resolve('@{upstream}')).toBe(first);
      expect(await opened.resolve('main@{1}')).toBe(first);
      expect(await opened.resolve('main@{0}~1')).toBe(first);
      expect(await opened.resolve('main@{0}')).toBe(second);
    });
  });

  test.each([
    ['as git writes it', []],
    ['of version 4, which shortens names', [['update-index', '--index-version', '4']]],
    ['split in two', [['update-index', '--split-index']]],
    [
      'with folders in the place of their files',
      [
        ['update-index', '--refresh'],
        ['sparse-checkout', 'init', '--cone', '--sparse-index'],
        ['sparse-checkout', 'set', 'prompts'],
      ],
    ],
  ])('what git tracks at a path is told from an index %s', async (_, commands) => {
    const repository = createRepository();
    repository.commit('one', {
      'prompts/a.yaml': 'a',
      'reports/june/one.html': 'one',
      'reports/june/two.html': 'two',
      'ünï/a.yaml': 'a',
    });
    for (const command of commands) repository.git(...command);
    await using(repository.directory, async ({ tracked, workTree: { root } }) => {
      const at = async (path: string) => [path, await tracked(join(root, path))];
      expect(await Promise.all(['reports/june', 'report', 'out', 'ünï'].map(at))).toEqual([
        ['reports/june', ['reports/june/one.html', 'reports/june/two.html']],
        ['report', []],
        ['out', []],
        ['ünï', ['ünï/a.yaml']],
      ]);
      expect(await tracked(join(root, 'reports/june/two.html'))).toEqual(['reports/june/two.html']);
    });
  });

  test('after closing nothing is read any more', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'a' });
    const opened = await openRepository(repository.directory, {
      environment: fixtureEnvironment(),
      temporaryFolder: temporaryFolder(),
    });
    const tree = await opened.tree(head, '.');
    const early = tree.read('a.yaml');
    await opened.close();
    expect(decode(await early)).toBe('a');
    await expect(tree.read('a.yaml')).rejects.toThrow('closed');
    await opened.close();
  });
});

describe('a folder without a repository', () => {
  test('has its present files and nothing to compare with', async () => {
    const folder = temporaryFolder('plain');
    writeFiles(folder, { 'prompts/a.yaml': 'text\n' });
    writeFiles(folder, { 'secret.log': 'text\n' });
    writeFiles(folder, { '.gitignore': '*.log\n' });
    await using(folder, async (opened) => {
      expect([...(await opened.worktree('.')).files.keys()]).toEqual([
        '.gitignore',
        'prompts/a.yaml',
      ]);
      const tree = await opened.worktree('prompts');
      expect(tree.commit).toBe('worktree');
      expect(decode(await tree.read('a.yaml'))).toBe('text\n');
      expect(await messageOf(opened.resolve('main'))).toContain('is not a git repository');
      expect(await messageOf(opened.worktree('..'))).toContain('is outside');
    });
    expect(existsSync(join(folder, '.git'))).toBe(false);
  });
});
