import { patchLines } from '../../../../src/edges/git/changes.ts';
import { createRepository, type FixtureFiles } from '../../../stand-ins/repository.ts';
import { added, changed, deleted, messageOf, renamed, using } from './opened-repository.ts';

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

async function changes(before: FixtureFiles, after: FixtureFiles, workingDirectory = '.') {
  const repository = createRepository();
  const base = repository.commit('base', before);
  const head = repository.commit('head', after);
  return using(repository.directory, (opened) => opened.changedFiles(base, head, workingDirectory));
}

describe('the list of changed files', () => {
  test('contains the line ranges that changed on head, and the lines next to removed ones', async () => {
    const before = numbered(1, 20);
    const after = before
      .replace('line 3\n', 'LINE 3\n')
      .replace('line 10\n', 'line 10\nnew\nnew\n')
      .replace('line 15\nline 16\n', '')
      .replace('line 20\n', 'line 20');
    const found = await changes({ 'a.yaml': before, 'same.yaml': 'same' }, { 'a.yaml': after });
    expect(found).toEqual([changed('a.yaml', [3, 3], [11, 12], [16, 17], [20, 20])]);
  });

  test('distinguishes new, deleted, renamed, edited and shortened files', async () => {
    const found = await changes(
      {
        'gone.yaml': numbered(1, 5),
        'old.yaml': numbered(10, 30),
        'was.yaml': numbered(40, 60),
        'less.yaml': 'a\nb\nc\n',
        'empty-later.yaml': 'x\n',
      },
      {
        'gone.yaml': null,
        'new.yaml': 'a\nb\n',
        'old.yaml': null,
        'moved/old.yaml': numbered(10, 30),
        'was.yaml': null,
        'is.yaml': `first\n${numbered(41, 60)}`,
        'less.yaml': 'a\nc\n',
        'empty-later.yaml': '',
      },
    );
    expect(found).toEqual([
      changed('empty-later.yaml', [1, 1]),
      deleted('gone.yaml'),
      renamed('was.yaml', 'is.yaml', [1, 1]),
      changed('less.yaml', [1, 2]),
      renamed('old.yaml', 'moved/old.yaml'),
      added('new.yaml', [1, 2]),
    ]);
  });

  test('has paths relative to the working directory, and shows a file moved into it as new', async () => {
    const before = {
      'project/a.yaml': 'a\n',
      'other/b.yaml': 'b\n',
      'outside.yaml': numbered(1, 30),
    };
    const after = {
      'project/a.yaml': 'A\n',
      'other/b.yaml': 'B\n',
      'outside.yaml': null,
      'project/inside.yaml': numbered(1, 30),
    };
    expect(await changes(before, after, 'project')).toEqual([
      changed('a.yaml', [1, 1]),
      added('inside.yaml', [1, 30]),
    ]);
    expect(await changes(before, after, 'missing')).toEqual([]);
  });

  test('shows all files as new if base lacks the folder, and as deleted if head lacks it', async () => {
    const project = { 'project/a.yaml': 'a\n' };
    expect(await changes({ x: 'x' }, project, 'project')).toEqual([added('a.yaml', [1, 1])]);
    for (const after of [null, { link: '/' }])
      expect(await changes(project, { project: after }, 'project')).toEqual([deleted('a.yaml')]);
  });

  test('lists symbolic links without lines; if a link becomes a file, all its lines are new', async () => {
    const found = await changes(
      { a: { link: 'x' }, b: 'text\n', c: { link: 'one' } },
      { a: 'one\ntwo\n', b: { link: 'x' }, c: { link: 'two' }, d: { link: 'new' } },
    );
    expect(found).toEqual([changed('a', [1, 2]), changed('b'), changed('c'), added('d')]);
  });

  test('includes changes of file modes and binary files, without lines', async () => {
    const found = await changes(
      { a: 'text\n', b: Uint8Array.of(0, 1, 2) },
      { a: { program: 'text\n' }, b: Uint8Array.of(0, 1, 3) },
    );
    expect(found).toEqual([changed('a'), changed('b')]);
  });

  test('is correct for names and contents that look like a patch', async () => {
    const forged =
      'diff --git a/x b/x\nindex 0000000..1111111 100644\n--- a/x\n+++ b/x\n@@ -1 +900,99 @@\n+x\n';
    const names = [
      'prompts/x\nindex 0..1\n@@ -1 +1,500 @@',
      'diff --git a/x b/x',
      '"a" b/"c',
      'a\tb',
      '\u001b[31m',
      'x\u202ey',
      ' -> ',
      '--output=pwned',
    ];
    const before = Object.fromEntries(names.map((name, at) => [name, `${at}\nkept\n`]));
    const after = Object.fromEntries(names.map((name, at) => [name, `${at}\n${forged}kept\n`]));
    const found = await changes(before, after);
    expect(found.map(({ path }) => path).sort()).toEqual([...names].sort());
    expect(new Set(found.map(({ lines }) => JSON.stringify(lines)))).toEqual(
      new Set(['[{"start":2,"end":7}]']),
    );
  });

  test("ignores the user's git configuration and attributes", async () => {
    const repository = createRepository();
    const base = repository.commit('base', {
      'a.yaml': numbered(1, 12),
      'old.yaml': numbered(50, 70),
    });
    const head = repository.commit('head', {
      'a.yaml': numbered(1, 12).replace('line 2\n', 'two\n').replace('line 5\n', 'five\n'),
      'old.yaml': null,
      'new.yaml': numbered(50, 70),
    });
    for (const [key, value] of [
      ['diff.context', '10'],
      ['diff.interHunkContext', '10'],
      ['diff.noprefix', 'true'],
      ['diff.mnemonicPrefix', 'true'],
      ['diff.renames', 'false'],
      ['diff.renameLimit', '1'],
      ['color.ui', 'always'],
      ['color.diff', 'always'],
      ['diff.algorithm', 'patience'],
      ['core.quotePath', 'false'],
      ['diff.relative', 'true'],
      ['diff.wordRegex', '.'],
      ['diff.colorMoved', 'zebra'],
      ['diff.suppressBlankEmpty', 'true'],
      ['core.abbrev', '4'],
    ] as const)
      repository.git('config', key, value);
    await using(repository.directory, async (opened) => {
      const expected = [changed('a.yaml', [2, 2], [5, 5]), renamed('old.yaml', 'new.yaml')];
      expect(await opened.changedFiles(base, head, '.')).toEqual(expected);
    });
  });

  test('detects four thousand renamed and edited files', async () => {
    const repository = createRepository();
    repository.commit('root');
    const commit = (folder: string, text: (at: number) => string) => {
      const file = (at: number) =>
        `M 100644 inline ${folder}/${at}.yaml\ndata <<END\n${text(at)}END\n`;
      const files = Array.from({ length: 4000 }, (_, at) => file(at)).join('');
      repository.gitInput(
        `commit refs/heads/main\ncommitter Ada <a@b> 1700000000 +0000\ndata 3\none\nfrom refs/heads/main^0\ndeleteall\n${files}\n`,
        'fast-import',
        '--quiet',
      );
      return repository.git('rev-parse', 'main');
    };
    const isEdited = (at: number) => at % 2 === 1;
    const base = commit('a', (at) => `number ${at}\nkept\n`);
    const head = commit('b', (at) => `number ${at}\nkept\n${isEdited(at) ? `more ${at}\n` : ''}`);
    const found = await using(repository.directory, (opened) =>
      opened.changedFiles(base, head, '.'),
    );
    const unedited = found.filter(
      ({ basePath, path }) =>
        path.startsWith('b/') &&
        basePath === path.replace('b/', 'a/') &&
        !isEdited(Number(/\d+/.exec(path)?.[0])),
    );
    expect(unedited).toHaveLength(2000);
    // Beyond git's limit, an edited rename appears as a new and a deleted file.
    const kept = found.filter(({ deleted }) => !deleted).map(({ path }) => path);
    expect(new Set(kept).size).toBe(4000);
  });

  test('rejects a folder outside the repository', async () => {
    const repository = createRepository();
    const base = repository.commit('base', { a: 'a' });
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.changedFiles(base, base, '../x'))).toMatch(
        /^\.\.\/x: is outside /,
      );
      expect(await opened.changedFiles(base, base, '.')).toEqual([]);
    });
  });
});

describe('the patch parser', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40));
  const ids = [`${a}..${b}`, `${a}..${c}`] as const;
  const patch = [
    'diff --git a/x b/x',
    `index ${ids[0]} 100644`,
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1,2 @@ diff --git',
    `-${'long '.repeat(4000)}`,
    `+${'@@ -1 +9 @@ '.repeat(4000)}`,
    '+second',
    '\\ No newline at end of file',
    '@@ -9,2 +10,0 @@',
    '-gone',
    '-gone',
    'diff --git a/y b/y',
    'old mode 100644',
    'new mode 100755',
    'diff --git a/z b/z',
    `index ${ids[1]} 100644`,
    '@@ -0,0 +5 @@',
    '+x',
    '',
  ].join('\n');

  test('has the changed lines of each pair of contents', () => {
    expect(Object.fromEntries(patchLines(Buffer.from(patch)))).toEqual({
      [ids[0]]: [
        { start: 1, end: 2 },
        { start: 10, end: 11 },
      ],
      [ids[1]]: [{ start: 5, end: 5 }],
    });
  });

  test('rejects malformed input', () => {
    const feed = (text: string) => () => patchLines(Buffer.from(text));
    expect(feed('@@ -1 +1 @@\n')).toThrow('hunk without a file');
    expect(feed('index abc..def 100644\n')).toThrow('without object ids');
    expect(feed(`diff --git a b\nindex ${ids[0]}\n@@ what @@\n`)).toThrow('cannot be read');
  });
});
