import { join } from 'node:path';
import { gitEnvironment } from '../../src/edges/git/command.ts';
import { listTree, type TreeSource } from '../../src/edges/git/listing.ts';
import { InternalError } from '../../src/errors.ts';
import {
  bareOrigin,
  createRepository,
  fixtureEnvironment,
  shallowCheckout,
  temporaryFolder,
  type FixtureFiles,
  type FixtureRepository,
} from '../stand-ins/repository.ts';
import {
  allowFilters,
  changed,
  craftedTree,
  messageOf,
  remoteAt,
  using,
} from '../system/edges/git/opened-repository.ts';

const commitOf = (repository: FixtureRepository, tree: string) =>
  repository.git('commit-tree', '-m', 'x', tree);

describe('changed symbolic links and submodules', () => {
  const link = (to: string) => ({ link: to });
  const kinds: [string, FixtureFiles, FixtureFiles, string[]][] = [
    ['a new link', {}, { 'docs/link': link('a.md') }, ['docs/link']],
    ['a removed link', { 'docs/link': link('a.md') }, { 'docs/link': null }, ['docs/link']],
    ['a retargeted link', { latest: link('v1') }, { latest: link('v2') }, ['latest']],
    ['a link that becomes a file', { a: link('one') }, { a: 'text\n' }, ['a']],
    ['a file that becomes a link', { a: 'text\n' }, { a: link('one') }, ['a']],
    ['a link with the text of the file before', { a: 'one' }, { a: link('one') }, ['a']],
    ['a link that becomes a folder', { a: link('b') }, { a: null, 'a/x': 'x\n' }, ['a', 'a/x']],
    ['a folder that becomes a link', { 'a/x': 'x\n' }, { a: link('b') }, ['a', 'a/x']],
    ['links in a new folder', {}, { 'n/a': link('x'), 'n/b': 'b\n' }, ['n/a', 'n/b']],
  ];
  const shapes: [string, (origin: FixtureRepository) => string][] = [
    ['no checkout', () => temporaryFolder('workspace')],
    ['head alone', (origin) => shallowCheckout(origin, 'refs/heads/topic').directory],
    ['a merge at depth 1', (origin) => shallowCheckout(origin, 'refs/pull/1/merge').directory],
    ['a full clone', (of) => shallowCheckout(of, 'refs/heads/topic', { depth: null }).directory],
  ];

  const rows = kinds.flatMap(([kind, ...files]) =>
    shapes.map(([shape, workspace]) => ({ kind, shape, files, workspace })),
  );
  test.each(rows)('are listed: $kind, in a workspace with $shape', async ({ files, workspace }) => {
    const [before, after, paths] = files;
    const source = createRepository();
    const base = source.commit('base', { 'kept.yaml': 'kept\n', ...before });
    source.git('switch', '--quiet', '--create', 'topic');
    const head = source.commit('head', after);
    source.git('switch', '--quiet', 'main');
    source.git('merge', '--quiet', '--no-ff', 'topic');
    const merge = source.git('rev-parse', 'HEAD');
    const origin = allowFilters(bareOrigin(source));
    origin.git('update-ref', 'refs/pull/1/merge', merge);
    const found = using(
      workspace(origin),
      (opened) => opened.changedPaths(base, head),
      fixtureEnvironment(),
      remoteAt(origin),
    );
    expect((await found).sort()).toEqual(paths);
  });

  test('a submodule with a new commit is listed, and its commit is not fetched', async () => {
    const source = createRepository();
    const at = (id: string) => {
      source.git('update-index', '--add', '--cacheinfo', `160000,${id.repeat(40)},lib`);
      return commitOf(source, source.git('write-tree'));
    };
    const [base, head] = [at('1'), at('2')];
    const found = await using(source.directory, (opened) => opened.changedFiles(base, head, '.'));
    expect(found).toEqual([changed('lib')]);
  });

  test('content that no remote has causes an error that names the missing object', async () => {
    const source = createRepository();
    const base = source.commit('base', { a: 'one\n' });
    const missing = '5'.repeat(40);
    const head = commitOf(source, craftedTree(source, [['120000', 'a', missing]]));
    await using(source.directory, async (opened) => {
      expect(await messageOf(opened.changedFiles(base, head, '.'))).toBe(
        'The content of a changed file (object 5555555) is missing from this clone; run "git fetch" or clone again',
      );
    });
  });
});

describe('a malicious tree', () => {
  const source = createRepository();
  const blob = source.gitInput('x\n', 'hash-object', '-w', '--stdin');
  const folder = craftedTree(source, [['100644', 'math.yaml', blob]]);
  const file = (name: string) => ['100644', name, blob] as const;

  test.each([
    [
      'two files',
      [file('math.yaml'), file('math.yaml')],
      'math.yaml" in this repository has a name twice',
    ],
    [
      'a file and a link',
      [file('a'), ['120000', 'a', blob]],
      'a" in this repository has a name twice',
    ],
    [
      'a file and a folder',
      [file('a'), ['40000', 'a', folder]],
      'a" in this repository has a name twice',
    ],
    [
      'a submodule and a file',
      [['160000', 'a', blob], file('a')],
      'a" in this repository has a name twice',
    ],
    ['a slash', [file('a/b')], 'a/b" in this repository has a name twice or a name with a slash'],
  ] as const)('with %s of the same name is rejected', async (_, entries, words) => {
    const tree = craftedTree(source, entries);
    const nested = craftedTree(source, [['40000', 'docs', tree]]);
    await using(source.directory, async (opened) => {
      for (const root of [tree, nested])
        expect(await messageOf(opened.tree(commitOf(source, root), '.'))).toContain(words);
    });
  });

  test('with a billion files is rejected', async () => {
    let tree = craftedTree(source, [file('leaf')]);
    for (let level = 0; level < 9; level += 1)
      tree = craftedTree(
        source,
        Array.from({ length: 10 }, (_, at) => ['40000', String(at), tree]),
      );
    const head = craftedTree(source, [['40000', 'docs', tree]]);
    await using(source.directory, async (opened) => {
      expect(await messageOf(opened.tree(commitOf(source, head), '.'))).toMatch(
        /^The project's folder has more than 500,000 entries, .*\(working-directory, --directory\)/,
      );
    });
    expect(await messageOf(listTree(treesOf(source), head, 1_000))).toContain(
      'has more than 1,000 entries',
    );
  });
});

function treesOf({ directory }: FixtureRepository): TreeSource {
  const environment = gitEnvironment(fixtureEnvironment());
  const place = { gitDir: join(directory, '.git'), directory, environment, settings: [] };
  return { place, fetchTrees: () => Promise.reject(new InternalError('nothing is missing')) };
}
