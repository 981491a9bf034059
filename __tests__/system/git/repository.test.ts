import { chmodSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openRepository } from '../../../src/git/repository.ts';
import {
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from '../../stand-ins/repository.ts';
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
    ).toMatch(/^git was not found on this machine.*install git 2\.30/);
  });

  test('a repository of another user is refused with the command that mends it', async () => {
    const { directory, commit } = createRepository();
    commit('one', { 'a.yaml': 'a' });
    const bin = temporaryFolder('bin');
    // git itself knows this variable for its own tests; evaldiff hands no such variable on, so a
    // wrapper sets it.
    writeFiles(bin, {
      git: {
        program: `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH='${process.env['PATH'] ?? ''}' exec git "$@"\n`,
      },
    });
    const environment = fixtureEnvironment({ PATH: bin });
    const message = await messageOf(
      openRepository(directory, { environment, temporaryFolder: temporaryFolder() }),
    );
    expect(message).toContain('belongs to another user');
    expect(message).toContain(
      `git config --global --add safe.directory "${realpathSync(directory)}`,
    );
  });

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
      expect(await messageOf(opened.tree(head, '../..'))).toMatch(
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
  ])('what differs is %s: committed is %s', async (_, expected, change) => {
    const repository = createRepository();
    const head = repository.commit('one', { 'deep/a.yaml': 'a', 'deep/z.yaml': 'z' });
    change(repository.directory);
    await using(repository.directory, async (opened) => {
      expect(await opened.isCommitted(await opened.worktree('deep'), head, 'deep')).toBe(expected);
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

  test('a bare repository has commits and no working tree', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'p/a.yaml': 'a' });
    const bare = join(temporaryFolder(), 'bare.git');
    repository.git('clone', '--quiet', '--bare', '--template=', '.', bare);
    await using(bare, async (opened) => {
      expect([...(await opened.tree(head, 'p')).files.keys()]).toEqual(['a.yaml']);
      expect(await messageOf(opened.worktree('.'))).toContain('bare repository');
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
