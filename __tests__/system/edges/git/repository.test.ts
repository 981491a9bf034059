import { chownSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../../../../src/edges/git/repository.ts';
import {
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
  writeFiles,
} from '../../../stand-ins/repository.ts';
import { changed, decode, gitAfter, messageOf, using } from './opened-repository.ts';

const options = () => ({ environment: fixtureEnvironment(), temporaryFolder: temporaryFolder() });

describe('opening a repository', () => {
  test('reports a folder that does not exist', async () => {
    const opening = openRepository('/nowhere/at/all', options());
    expect(await messageOf(opening)).toBe('/nowhere/at/all is not a folder');
  });

  test('says what to install if git is missing', async () => {
    const empty = temporaryFolder();
    const opening = openRepository(empty, { ...options(), environment: { PATH: empty } });
    expect(await messageOf(opening)).toMatch(
      /^git was not found on this machine.*install git 2\.31/,
    );
  });

  // Only root can change the owner of a file.
  (process.getuid?.() === 0 ? test : test.skip)(
    'a repository of another user is read, and its word on where to fetch from does not count',
    async () => {
      const repository = createRepository();
      const head = repository.commit('one', { 'a.yaml': 'a' });
      repository.git('remote', 'add', 'origin', 'https://attacker.example/x.git');
      chownSync(join(repository.directory, '.git'), 65_534, 65_534);
      await using(repository.directory, async (opened) => {
        expect(await opened.paths(head)).toEqual(['a.yaml']);
        expect(await messageOf(opened.ensureCommit('c0ffee00'.repeat(5)))).toMatch(
          /could not be fetched: .*\.git belongs to another user, so its remote is not used; run "git fetch" there\.$/,
        );
      });
    },
  );

  test('ignores variables that point git at another repository', async () => {
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
        expect(await opened.paths(head)).toEqual(['a.yaml']);
        expect(await opened.paths('worktree')).toEqual(['a.yaml']);
      },
      environment,
    );
  });

  test('starts git without model keys and action inputs', async () => {
    const repository = createRepository();
    const seen = join(temporaryFolder(), 'seen');
    const environment = fixtureEnvironment({
      PATH: gitAfter(`/usr/bin/env >> '${seen}'`),
      OPENAI_API_KEY: 'sk-secret',
      'INPUT_ANTHROPIC-API-KEY': 'sk-secret',
      GH_TOKEN: 'needed-by-a-helper',
    });
    await using(repository.directory, async () => undefined, environment);
    expect(readFileSync(seen, 'utf8')).not.toContain('sk-secret');
    expect(readFileSync(seen, 'utf8')).toContain('needed-by-a-helper');
  });

  test('treats a folder inside the repository as the root of its paths', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'a', 'deep/prompts/b.yaml': 'b' });
    await using(join(repository.directory, 'deep'), async (opened) => {
      expect(await opened.paths(head)).toEqual(['prompts/b.yaml']);
      expect(await opened.paths(head, 'prompts')).toEqual(['b.yaml']);
      expect(await opened.paths(head, '..')).toEqual(['a.yaml', 'deep/prompts/b.yaml']);
      expect(await messageOf(opened.tree(head, '../..'))).toMatch(
        /^\.\.\/\.\.: is outside \/.*Give a folder inside the repository\.$/,
      );
      const inside = join(repository.directory, 'deep/prompts');
      expect(await opened.paths(head, inside)).toEqual(['b.yaml']);
    });
  });

  test('works in a linked worktree', async () => {
    const repository = createRepository();
    const base = repository.commit('one', { 'a.yaml': 'a' });
    const linked = join(temporaryFolder(), 'linked');
    repository.git('worktree', 'add', '--quiet', '--detach', linked);
    writeFiles(linked, { 'b.yaml': 'text\n' });
    await using(linked, async (opened) => {
      const tree = await opened.worktree('.');
      expect(await opened.paths(tree)).toEqual(['a.yaml', 'b.yaml']);
      expect(await opened.changedPaths(base, tree)).toEqual(['b.yaml']);
    });
  });

  test.each([
    ['nothing', true, {}],
    ['a file of another folder', true, { 'other/b.yaml': 'b' }],
    ['an edit', false, { 'deep/a.yaml': 'edited' }],
    ['a new file', false, { 'deep/c.yaml': 'c' }],
    ['the permission to execute a file', false, { 'deep/a.yaml': { program: 'a' } }],
    ['a deleted file', false, { 'deep/a.yaml': null }],
    ['new files apart', true, { 'deep/out/a.json': '', 'deep/x/out/b.json': '' }],
    ['a new file beside one apart', false, { 'deep/out/a.json': '', 'deep/x/b.json': '' }],
    ['an edit apart', false, { 'deep/out.yaml': 'edited' }],
  ])('checks if all files are committed, after a change of %s: %s', async (_, expected, change) => {
    const repository = createRepository();
    const files = { 'deep/a.yaml': 'a', 'deep/out.yaml': '', 'deep/z.yaml': 'z' };
    const head = repository.commit('one', files);
    repository.write(change);
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('deep');
      const apart = (path: string) => /(^|\/)out[./]/.test(path);
      expect(await opened.isCommitted(tree, head, 'deep', apart)).toBe(expected);
    });
  });

  test('works in a SHA-256 repository', async () => {
    const repository = createRepository({ objectFormat: 'sha256' });
    const base = repository.commit('one', { 'a.yaml': 'a\n' });
    const head = repository.commit('two', { 'a.yaml': 'a\nb\n' });
    expect(head).toMatch(/^[0-9a-f]{64}$/);
    repository.write({ 'c.yaml': 'c\n' });
    await using(repository.directory, async (opened) => {
      expect(await opened.resolve(head)).toBe(head);
      expect(await opened.text(head, 'a.yaml')).toBe('a\nb\n');
      expect(await opened.changedFiles(base, head, '.')).toEqual([changed('a.yaml', [2, 2])]);
      const tree = await opened.worktree('.');
      expect(await opened.text(tree, 'c.yaml')).toBe('c\n');
      expect(await opened.changedPaths(head, tree)).toEqual(['c.yaml']);
    });
  });

  test('treats a folder that only looks like a repository as a plain folder and ignores its configuration', async () => {
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
      expect(await opened.text(base, 'prompts/a.yaml')).toBe('base\n');
      expect((await opened.worktree('.')).files.has('config')).toBe(true);
      expect(await messageOf(opened.ensureCommit('c0ffee00'.repeat(5)))).toContain('no remote');
    });
    expect(existsSync(canary)).toBe(false);
  });

  test('rejects a symbolic link inside a repository, but accepts one that leads to a repository', async () => {
    const repository = createRepository();
    repository.commit('one', { 'decoy/a.yaml': 'a', chat: { link: 'decoy' } });
    const opening = openRepository(join(repository.directory, 'chat'), options());
    expect(await messageOf(opening)).toBe(
      `chat is a symbolic link; evaldiff does not follow links inside a repository. Name the folder itself: ${realpathSync(join(repository.directory, 'decoy'))}`,
    );
    const outside = temporaryFolder('outside');
    writeFiles(outside, { way: { link: repository.directory } });
    await using(join(outside, 'way'), async (opened) => {
      expect(await opened.paths('worktree')).toEqual(['decoy/a.yaml']);
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
  ])("lists tracked paths if git's index is %s", async (_, commands) => {
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

  test('rejects reads after it was closed', async () => {
    const repository = createRepository();
    const head = repository.commit('one', { 'a.yaml': 'a' });
    const opened = await openRepository(repository.directory, options());
    const tree = await opened.tree(head, '.');
    const early = tree.read('a.yaml');
    await opened.close();
    expect(decode(await early)).toBe('a');
    await expect(tree.read('a.yaml')).rejects.toThrow('closed');
    await opened.close();
  });
});

describe('a folder without a repository', () => {
  test('contains only the files that exist now', async () => {
    const folder = temporaryFolder('plain');
    const ignored = { 'secret.log': 'text\n', '.gitignore': '*.log\n' };
    writeFiles(folder, { 'prompts/a.yaml': 'text\n', ...ignored });
    await using(folder, async (opened) => {
      expect(await opened.paths('worktree')).toEqual(['.gitignore', 'prompts/a.yaml']);
      const tree = await opened.worktree('prompts');
      expect(tree.commit).toBe('worktree');
      expect(await opened.text(tree, 'a.yaml')).toBe('text\n');
      expect(await messageOf(opened.resolve('main'))).toContain('is not a git repository');
      expect(await messageOf(opened.worktree('..'))).toContain('is outside');
    });
    expect(existsSync(join(folder, '.git'))).toBe(false);
  });
});
