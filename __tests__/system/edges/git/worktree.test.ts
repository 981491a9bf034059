import { mkdirSync, renameSync, statSync, utimesSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filePathsBelow } from '../../../../scripts/entries-below.ts';
import {
  ODD_NAMES,
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
  writeFiles,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import {
  added,
  changed,
  decode,
  deleted,
  gitAfter,
  messageOf,
  renamed,
  using,
  type Opened,
} from './opened-repository.ts';

/**
 * Every file below `.git` with size and time, none of which may change. Git itself may update the
 * time of an object that it writes again, so object times are left out.
 */
function innards({ directory }: FixtureRepository) {
  const describe = (path: string) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${path.includes('/objects/') ? '' : mtimeMs}`;
  };
  const own = join(directory, '.git');
  return filePathsBelow(own).map((path) => describe(join(own, path)));
}

describe('the snapshot of uncommitted files', () => {
  test('has tracked and untracked files as on disk, without deleted and ignored ones', async () => {
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
      expect(await opened.paths(tree)).toEqual([
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
      expect(await opened.text(tree, 'staged.yaml')).toBe('staged, then edited\n');
      expect(await opened.changedFiles(base, tree, '.')).toEqual([
        deleted('deleted.yaml'),
        changed('edited.yaml', [2, 2]),
        renamed('old-name.yaml', 'new-name.yaml'),
        deleted('removed.yaml'),
        changed('staged.yaml', [1, 1]),
        added('tracked.log', [1, 1]),
        added('untracked/new.yaml', [1, 1]),
      ]);
    });
    expect(innards(repository)).toEqual(before);
    expect(repository.git('status', '--porcelain')).toBe(status);
  });

  test('does not contain later changes, but a second snapshot does', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'one\n' });
    repository.write({ 'a.yaml': 'two\n', 'b.yaml': 'b\n' });
    await using(repository.directory, async (opened) => {
      const first = await opened.worktree('.');
      repository.write({ 'a.yaml': 'three\n', 'b.yaml': null });
      expect(await opened.text(first, 'a.yaml')).toBe('two\n');
      expect(await opened.text(first, 'b.yaml')).toBe('b\n');
      const [second, again] = await Promise.all([opened.worktree('.'), opened.worktree('.')]);
      expect([...second.files.keys()]).toEqual(['a.yaml']);
      expect(second.files).toEqual(again.files);
      expect(await opened.text(second, 'a.yaml')).toBe('three\n');
      expect(await opened.changedPaths(await opened.resolve('HEAD'), first)).toEqual([
        'a.yaml',
        'b.yaml',
      ]);
      expect(await opened.changedPaths(await opened.resolve('HEAD'), second)).toEqual(['a.yaml']);
    });
  });

  test('can be taken concurrently', async () => {
    const repository = createRepository();
    repository.commit('base', { 'one/a.yaml': 'a', 'two/b.yaml': 'b' });
    for (let at = 0; at < 100; at += 1)
      repository.write({ [`one/${at}.yaml`]: `new ${at}`, [`two/${at}.yaml`]: `new ${at}` });
    await using(repository.directory, async (opened) => {
      const trees = await Promise.all(
        ['one', 'two', '.', 'one', 'two', '.'].map((folder) => opened.worktree(folder)),
      );
      expect(trees.map(({ files }) => files.size)).toEqual([101, 101, 202, 101, 101, 202]);
    });
  });

  test("contains an edit that changes neither the file's length nor its time stamp", async () => {
    const repository = createRepository();
    const file = join(repository.directory, 'a.yaml');
    const moment = new Date(1_600_000_000_000);
    repository.git('config', 'core.trustctime', 'false');
    repository.write({ 'a.yaml': 'one\n' });
    utimesSync(file, moment, moment);
    repository.commit('base');
    // Size and time are the same. Git reads the content only because the index has the same time as
    // the file.
    writeFileSync(file, 'two\n');
    utimesSync(file, moment, moment);
    expect(repository.git('diff', '--name-only')).toBe('');
    utimesSync(join(repository.directory, '.git/index'), moment, moment);
    await using(repository.directory, async (opened) => {
      expect(decode(await (await opened.worktree('.')).read('a.yaml'))).toBe('two\n');
    });
  });

  test("applies no filter of the user's configuration", async () => {
    const repository = createRepository();
    const files = { '.gitattributes': '*.yaml filter=evil\n', 'a.yaml': 'one\n' };
    const base = repository.commit('base', files);
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
        expect(await opened.text(tree, 'a.yaml')).toBe('two\n');
        expect(await opened.changedPaths(base, tree)).toEqual(['a.yaml']);
      },
      fixtureEnvironment({ GIT_CONFIG_GLOBAL: global }),
    );
    expect(existsSync(`${global}-canary`)).toBe(false);
  });

  test('preserves unusual names and distinguishes similar ones', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    repository.write(Object.fromEntries(ODD_NAMES.map((name, at) => [name, `content ${at}`])));
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect((await opened.paths(tree)).sort()).toEqual(['a.yaml', ...ODD_NAMES].sort());
      for (const [at, name] of ODD_NAMES.entries())
        expect(await opened.text(tree, name)).toBe(`content ${at}`);
      const changed = await opened.changedPaths(await opened.resolve('HEAD'), tree);
      expect(changed.sort()).toEqual([...ODD_NAMES].sort());
    });
    expect(existsSync(join(repository.directory, 'pwned'))).toBe(false);
  });

  test('works in a repository whose path contains line breaks', async () => {
    const repository = createRepository();
    const base = repository.commit('base', { 'p\nq/a.yaml': 'a\n', 'ignored.log': 'tracked\n' });
    const odd = join(temporaryFolder('odd'), 'two\nlines');
    renameSync(repository.directory, odd);
    const ignored = { 'p\nq/b.tmp': 'x', '.git/info/exclude': '*.tmp\n' };
    writeFiles(odd, { 'p\nq/a.yaml': 'changed\n', ...ignored });
    await using(join(odd, 'p\nq'), async (opened) => {
      const tree = await opened.worktree('.');
      expect(await opened.paths(tree)).toEqual(['a.yaml']);
      expect(await opened.text(tree, 'a.yaml')).toBe('changed\n');
      expect(await opened.changedPaths(base, tree)).toEqual(['a.yaml']);
    });
  });

  test('ignores everything outside the working directory, even a merge conflict', async () => {
    const repository = createRepository();
    repository.commit('base', { 'project/a.yaml': 'a\n', 'conflict.txt': 'base\n' });
    repository.git('checkout', '--quiet', '-b', 'other');
    repository.commit('other', { 'conflict.txt': 'other\n' });
    repository.git('checkout', '--quiet', 'main');
    const base = repository.commit('main', { 'conflict.txt': 'main\n' });
    expect(() => repository.git('merge', '--quiet', 'other')).toThrow('merge');
    repository.write({ 'project/b.yaml': 'b\n', 'beside.yaml': 'x\n' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('project');
      expect(await opened.paths(tree)).toEqual(['a.yaml', 'b.yaml']);
      expect(await opened.changedPaths(base, tree, 'project')).toEqual(['b.yaml']);
      const all = await opened.worktree('.');
      expect(await opened.text(all, 'conflict.txt')).toContain('<<<<<<<');
    });
    expect(repository.git('ls-files', '--unmerged')).not.toBe('');
  });

  test('handles files that became folders, and folders that became files or links', async () => {
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
      expect(await opened.paths(tree)).toEqual(['file/now/a.yaml', 'folder']);
      expect([...tree.irregular.keys()]).toEqual(['linked', 'loop', 'passwd']);
      expect(await opened.paths('worktree', 'linked')).toEqual([]);
      expect(await opened.paths('worktree', 'missing')).toEqual([]);
      expect(await opened.paths('worktree', 'file/now')).toEqual(['a.yaml']);
    });
  });

  test('treats nested repositories as submodules, even without a commit', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    createRepository({ directory: join(repository.directory, 'nested') }).commit('one', {
      'n.yaml': 'n',
    });
    createRepository({ directory: join(repository.directory, 'unborn') }).write({ 'u.yaml': 'u' });
    await using(repository.directory, async (opened) => {
      const tree = await opened.worktree('.');
      expect(await opened.paths(tree)).toEqual(['a.yaml']);
      expect(tree.irregular.get('nested')).toBe('submodule');
    });
  });

  test('has the line endings of a commit if git would convert them', async () => {
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

  test('obeys every source of ignore rules', async () => {
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
        expect(await opened.paths('worktree')).toEqual(['sub/.gitignore', 'sub/seen']);
      },
      fixtureEnvironment({ GIT_CONFIG_GLOBAL: global }),
    );
  });

  test('works before the first commit, with a split index and in a sparse checkout', async () => {
    const unborn = createRepository();
    unborn.write({ 'a.yaml': 'a' });
    await using(unborn.directory, async (opened) => {
      expect(await opened.paths('worktree')).toEqual(['a.yaml']);
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
      expect(await opened.paths(tree)).toEqual(['in/a.yaml', 'out/b.yaml']);
      expect(await opened.changedPaths(base, tree)).toEqual(['in/a.yaml']);
    });
  });

  test('fails with an error that names the files that cannot be read', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    // Tests may run as root, who can read every file. So a fake git prints the message.
    const refusal =
      'error: open("secret.yaml"): Permission denied\nerror: unable to index file secret.yaml\nfatal: adding files failed';
    const PATH = gitAfter(
      `case " $* " in *" add "*) printf '%s\\n' '${refusal}' >&2; exit 128;; esac`,
    );
    const reading = using(
      repository.directory,
      (opened) => messageOf(opened.worktree('.')),
      fixtureEnvironment({ PATH }),
    );
    expect(await reading).toBe(
      'A file of the working tree could not be read: open("secret.yaml"): Permission denied. Make it readable in the encoding that .gitattributes gives it, or ignore it with .gitignore.',
    );
  });

  test("fails with advice if a file's encoding differs from .gitattributes", async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    repository.write({
      '.gitattributes': '*.txt working-tree-encoding=UTF-16\n',
      'b.txt': 'no byte order mark, and odd',
    });
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.worktree('.'))).toMatch(
        /^A file of the working tree could not be read: .*b\.txt.*\. Make it readable in the encoding that \.gitattributes gives it, or ignore it with \.gitignore\.$/,
      );
    });
  });

  test('works below a folder whose name needs quoting', async () => {
    const directory = join(temporaryFolder(), 'odd: "name"\n#x');
    const repository = createRepository({ directory });
    const base = repository.commit('base', { 'a.yaml': 'a' });
    repository.write({ 'b.yaml': 'b' });
    const temporary = join(temporaryFolder(), '"odd:temp"');
    mkdirSync(temporary);
    const work = async (opened: Opened) => {
      const tree = await opened.worktree('.');
      expect(await opened.text(tree, 'a.yaml')).toBe('a');
      expect(await opened.text(tree, 'b.yaml')).toBe('b');
      expect(await opened.changedPaths(base, tree)).toEqual(['b.yaml']);
    };
    await using(directory, work, fixtureEnvironment(), undefined, temporary);
  });
});
