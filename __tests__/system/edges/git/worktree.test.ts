import {
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  existsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openRepository } from '../../../../src/edges/git/repository.ts';
import {
  ODD_NAMES,
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import { decode, messageOf, using } from './opened-repository.ts';

afterAll(removeTemporaryFolders);

/**
 * Every file below `.git` with size and time: what must not change. (git renews the time of an
 * object that it meets again.)
 */
function innards(repository: FixtureRepository): string[] {
  return readdirSync(join(repository.directory, '.git'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map(
      (path) =>
        `${path} ${statSync(path).size} ${path.includes('/objects/') ? '' : statSync(path).mtimeMs}`,
    )
    .sort();
}

describe('the uncommitted files', () => {
  test('are tracked and untracked ones as they are on disk, without deleted and ignored ones', async () => {
    const repository = createRepository();
    const base = repository.commit('base', {
      'kept.yaml': 'kept\n',
      'edited.yaml': 'before\n',
      'staged.yaml': 'before\n',
      'deleted.yaml': 'x\n',
      'removed.yaml': 'x\n',
      'old-name.yaml': 'a\nb\nc\nd\n',
      '.gitignore': '*.log\nbuild/\n',
    });
    repository.write({
      'edited.yaml': 'before\nafter\n',
      'untracked/new.yaml': 'new\n',
      'deleted.yaml': null,
      'noise.log': 'x',
      'build/out.yaml': 'x',
      'staged.yaml': 'staged\n',
      'tracked.log': 'tracked though ignored\n',
    });
    repository.git('add', 'staged.yaml');
    repository.git('add', '--force', 'tracked.log');
    repository.git('rm', '--quiet', 'removed.yaml');
    repository.git('mv', 'old-name.yaml', 'new-name.yaml');
    repository.write({ 'staged.yaml': 'staged, then edited\n' });
    const status = repository.git('status', '--porcelain');
    const before = innards(repository);
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect(tree.commit).toBe('worktree');
      expect([...tree.files.keys()]).toEqual([
        '.gitignore',
        'edited.yaml',
        'kept.yaml',
        'new-name.yaml',
        'staged.yaml',
        'tracked.log',
        'untracked/new.yaml',
      ]);
      expect(tree.files.get('kept.yaml')).toEqual(
        (await opened.tree(base, '.')).files.get('kept.yaml'),
      );
      expect((await tree.read('edited.yaml')).length).toBe(13);
      expect(decode(await tree.read('staged.yaml'))).toBe('staged, then edited\n');
      expect(await opened.changedFiles(base, tree, '.')).toEqual([
        { path: 'deleted.yaml', basePath: 'deleted.yaml', lines: [], deleted: true },
        {
          path: 'edited.yaml',
          basePath: 'edited.yaml',
          lines: [{ start: 2, end: 2 }],
          deleted: false,
        },
        { path: 'new-name.yaml', basePath: 'old-name.yaml', lines: [], deleted: false },
        { path: 'removed.yaml', basePath: 'removed.yaml', lines: [], deleted: true },
        {
          path: 'staged.yaml',
          basePath: 'staged.yaml',
          lines: [{ start: 1, end: 1 }],
          deleted: false,
        },
        { path: 'tracked.log', basePath: null, lines: [{ start: 1, end: 1 }], deleted: false },
        {
          path: 'untracked/new.yaml',
          basePath: null,
          lines: [{ start: 1, end: 1 }],
          deleted: false,
        },
      ]);
    });
    expect(innards(repository)).toEqual(before);
    expect(repository.git('status', '--porcelain')).toBe(status);
  });

  test('are a snapshot: what changes on disk later does not show, a second snapshot sees it', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'one\n' });
    repository.write({ 'a.yaml': 'two\n', 'b.yaml': 'b\n' });
    await using(repository.directory, async (opened) => {
      const first = await opened.worktree('.');
      repository.write({ 'a.yaml': 'three\n', 'b.yaml': null });
      expect(decode(await first.read('a.yaml'))).toBe('two\n');
      expect(decode(await first.read('b.yaml'))).toBe('b\n');
      const [second, again] = await Promise.all([opened.worktree('.'), opened.worktree('.')]);
      expect([...second.files.keys()]).toEqual(['a.yaml']);
      expect(second.files).toEqual(again.files);
      expect(decode(await second.read('a.yaml'))).toBe('three\n');
      expect(
        (await opened.changedFiles(await opened.resolve('HEAD'), first, '.')).map(
          ({ path }) => path,
        ),
      ).toEqual(['a.yaml', 'b.yaml']);
      expect(
        (await opened.changedFiles(await opened.resolve('HEAD'), second, '.')).map(
          ({ path }) => path,
        ),
      ).toEqual(['a.yaml']);
    });
  });

  test('can be taken many times at once', async () => {
    const repository = createRepository();
    repository.commit('base', { 'one/a.yaml': 'a', 'two/b.yaml': 'b' });
    repository.write(
      Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [
          `${at % 2 === 0 ? 'one' : 'two'}/${at}.yaml`,
          `new ${at}`,
        ]),
      ),
    );
    await using(repository.directory, async (opened) => {
      const trees = await Promise.all(
        ['one', 'two', '.', 'one', 'two', '.'].map((folder) => opened.worktree(folder)),
      );
      expect(trees.map(({ files }) => files.size)).toEqual([101, 101, 202, 101, 101, 202]);
    });
  });

  test('show an edit of equal length within the time stamp of the index', async () => {
    const repository = createRepository();
    const [file, index] = [
      join(repository.directory, 'a.yaml'),
      join(repository.directory, '.git/index'),
    ];
    const moment = new Date(1_600_000_000_000);
    repository.git('config', 'core.trustctime', 'false');
    repository.write({ 'a.yaml': 'one\n' });
    utimesSync(file, moment, moment);
    repository.commit('base');
    // Same size, same time: only the index's own time, equal to the file's, tells git to look at
    // the content.
    writeFileSync(file, 'two\n');
    utimesSync(file, moment, moment);
    expect(repository.git('diff', '--name-only')).toBe('');
    utimesSync(index, moment, moment);
    await using(repository.directory, async (opened) => {
      expect(decode(await (await opened.worktree('.')).read('a.yaml'))).toBe('two\n');
    });
  });

  test("go through no filter of the user's own configuration", async () => {
    const repository = createRepository();
    const base = repository.commit('base', {
      '.gitattributes': '*.yaml filter=evil\n',
      'a.yaml': 'one\n',
    });
    repository.write({ 'a.yaml': 'two\n' });
    const global = join(temporaryFolder(), 'global');
    writeFileSync(
      global,
      `[filter "evil"]\n\tclean = touch ${global}-canary; cat\n\tsmudge = touch ${global}-canary; cat\n`,
    );
    await using(
      repository.directory,
      async (opened) => {
        const tree = await opened.worktree('.');
        expect(decode(await tree.read('a.yaml'))).toBe('two\n');
        expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
          'a.yaml',
        ]);
      },
      fixtureEnvironment({ GIT_CONFIG_GLOBAL: global }),
    );
    expect(existsSync(`${global}-canary`)).toBe(false);
  });

  test('keep odd names and twins apart', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    repository.write(Object.fromEntries(ODD_NAMES.map((name, at) => [name, `content ${at}`])));
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()].sort()).toEqual(['a.yaml', ...ODD_NAMES].sort());
      expect(
        await Promise.all(ODD_NAMES.map(async (name) => decode(await tree.read(name)))),
      ).toEqual(ODD_NAMES.map((_, at) => `content ${at}`));
      expect(
        (await opened.changedFiles(await opened.resolve('HEAD'), tree, '.'))
          .map(({ path }) => path)
          .sort(),
      ).toEqual([...ODD_NAMES].sort());
    });
    expect(existsSync(join(repository.directory, 'pwned'))).toBe(false);
  });

  test('are found in a repository whose own path holds line breaks, as git answers in lines', async () => {
    const repository = createRepository();
    const base = repository.commit('base', { 'p\nq/a.yaml': 'a\n', 'ignored.log': 'tracked\n' });
    const odd = join(temporaryFolder('odd'), 'two\nlines');
    renameSync(repository.directory, odd);
    writeFiles(odd, {
      'p\nq/a.yaml': 'changed\n',
      'p\nq/b.tmp': 'x',
      '.git/info/exclude': '*.tmp\n',
    });
    await using(join(odd, 'p\nq'), async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()]).toEqual(['a.yaml']);
      expect(decode(await tree.read('a.yaml'))).toBe('changed\n');
      expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
        'a.yaml',
      ]);
    });
  });

  test('of a working directory leave out everything beside it, even a merge conflict', async () => {
    const repository = createRepository();
    repository.commit('base', { 'project/a.yaml': 'a\n', 'conflict.txt': 'base\n' });
    repository.git('checkout', '--quiet', '-b', 'other');
    repository.commit('other', { 'conflict.txt': 'other\n' });
    repository.git('checkout', '--quiet', 'main');
    const base = repository.commit('main', { 'conflict.txt': 'main\n' });
    expect(() =>
      repository.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'merge', '--quiet', 'other'),
    ).toThrow('merge');
    repository.write({ 'project/b.yaml': 'b\n', 'beside.yaml': 'x\n' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('project');
      expect([...tree.files.keys()]).toEqual(['a.yaml', 'b.yaml']);
      expect((await opened.changedFiles(base, tree, 'project')).map(({ path }) => path)).toEqual([
        'b.yaml',
      ]);
      const all = await opened.worktree('.');
      expect(decode(await all.read('conflict.txt'))).toContain('<<<<<<<');
    });
    expect(repository.git('ls-files', '--unmerged')).not.toBe('');
  });

  test('follow a file that became a folder, a folder that became a file or a link, and links as links', async () => {
    const repository = createRepository();
    repository.commit('base', { file: 'x', 'folder/a.yaml': 'a', 'linked/a.yaml': 'a' });
    repository.write({ file: null, folder: null, linked: null });
    repository.write({
      'file/now/a.yaml': 'a',
      folder: 'file',
      linked: { link: '/etc' },
      passwd: { link: '/etc/passwd' },
      loop: { link: 'loop' },
    });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()]).toEqual(['file/now/a.yaml', 'folder']);
      expect([...tree.irregular.keys()]).toEqual(['linked', 'loop', 'passwd']);
      expect([...(await opened.worktree('linked')).files.keys()]).toEqual([]);
      expect([...(await opened.worktree('missing')).files.keys()]).toEqual([]);
      expect([...(await opened.worktree('file/now')).files.keys()]).toEqual(['a.yaml']);
    });
  });

  test('take nested repositories for submodules, also one without a commit', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    createRepository({ directory: join(repository.directory, 'nested') }).commit('one', {
      'n.yaml': 'n',
    });
    createRepository({ directory: join(repository.directory, 'unborn') }).write({ 'u.yaml': 'u' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()]).toEqual(['a.yaml']);
      expect(tree.irregular.get('nested')).toBe('submodule');
    });
  });

  test('have the line ends of commits where git would convert them', async () => {
    const repository = createRepository();
    const base = repository.commit('base', { 'a.yaml': 'one\ntwo\n' });
    repository.git('config', 'core.autocrlf', 'true');
    repository.write({ 'a.yaml': 'one\r\ntwo\r\n' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect(tree.files.get('a.yaml')).toEqual((await opened.tree(base, '.')).files.get('a.yaml'));
      expect(await opened.changedFiles(base, tree, '.')).toEqual([]);
    });
  });

  test('follow every source of ignore rules', async () => {
    const repository = createRepository();
    repository.commit('base', { 'sub/.gitignore': 'inner\n' });
    const global = join(temporaryFolder(), 'global');
    writeFileSync(`${global}-ignore`, 'by-user\n');
    writeFileSync(global, `[core]\n\texcludesFile = ${global}-ignore\n`);
    repository.write({
      '.git/info/exclude': 'by-clone\n',
      'by-user': 'x',
      'by-clone': 'x',
      'sub/inner': 'x',
      'sub/seen': 'x',
    });
    await using(
      repository.directory,
      async (opened) => {
        expect([...(await opened.worktree('.')).files.keys()]).toEqual([
          'sub/.gitignore',
          'sub/seen',
        ]);
      },
      fixtureEnvironment({ GIT_CONFIG_GLOBAL: global }),
    );
  });

  test('are there before the first commit, with a split index, and in a sparse checkout', async () => {
    const unborn = createRepository();
    unborn.write({ 'a.yaml': 'a' });
    await using(unborn.directory, async (opened) => {
      expect([...(await opened.worktree('.')).files.keys()]).toEqual(['a.yaml']);
    });
    const split = createRepository();
    split.commit('base', { 'a.yaml': 'a', 'b.yaml': 'b' });
    split.git('update-index', '--split-index');
    split.write({ 'b.yaml': 'B' });
    split.git('add', 'b.yaml');
    await using(split.directory, async (opened) => {
      expect(decode(await (await opened.worktree('.')).read('b.yaml'))).toBe('B');
    });
    const sparse = createRepository();
    const base = sparse.commit('base', { 'in/a.yaml': 'a', 'out/b.yaml': 'b' });
    sparse.git('sparse-checkout', 'set', '--sparse-index', 'in');
    sparse.write({ 'in/a.yaml': 'A' });
    expect(existsSync(join(sparse.directory, 'out/b.yaml'))).toBe(false);
    await using(sparse.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect([...tree.files.keys()]).toEqual(['in/a.yaml', 'out/b.yaml']);
      expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
        'in/a.yaml',
      ]);
    });
  });

  test('that cannot be read are named', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    // A file that nobody may read does not exist for root, whom tests may run as: git's own words
    // for it are played.
    const bin = temporaryFolder('bin');
    const refusal =
      'error: open("secret.yaml"): Permission denied\nerror: unable to index file \'secret.yaml\'\nfatal: adding files failed';
    writeFiles(bin, {
      git: {
        program: `#!/bin/sh\ncase " $* " in *" add "*) printf '%s\\n' '${refusal.replaceAll("'", "'\\''")}' >&2; exit 128;; esac\nPATH='${process.env['PATH'] ?? ''}' exec git "$@"\n`,
      },
    });
    await using(
      repository.directory,
      async (opened) => {
        expect(await messageOf(opened.worktree('.'))).toBe(
          'A file of the working tree could not be read: open("secret.yaml"): Permission denied. Make it readable, or ignore it with .gitignore.',
        );
      },
      fixtureEnvironment({ PATH: bin }),
    );
  });

  test('in another encoding than .gitattributes says are named, with what to do', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    repository.write({
      '.gitattributes': '*.txt working-tree-encoding=UTF-16\n',
      'b.txt': 'no byte order mark, and odd',
    });
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.worktree('.'))).toMatch(
        /^A file of the working tree is not in the encoding that \.gitattributes gives it: .*b\.txt.*\. Save it in that encoding, or change its working-tree-encoding\.$/,
      );
    });
  });

  test('may lie under a folder whose name needs quoting', async () => {
    const directory = join(temporaryFolder(), 'odd: "name"\n#x');
    const repository = createRepository({ directory });
    const base = repository.commit('base', { 'a.yaml': 'a' });
    repository.write({ 'b.yaml': 'b' });
    const temporary = join(temporaryFolder(), '"odd:temp"');
    mkdirSync(temporary);
    const opened = await openRepository(directory, {
      environment: fixtureEnvironment(),
      temporaryFolder: temporary,
    });
    const tree = await opened.worktree('.');
    expect(decode(await tree.read('a.yaml'))).toBe('a');
    expect(decode(await tree.read('b.yaml'))).toBe('b');
    expect((await opened.changedFiles(base, tree, '.')).map(({ path }) => path)).toEqual([
      'b.yaml',
    ]);
    await opened.close();
    expect(readdirSync(temporary)).toEqual([]);
  });
});
