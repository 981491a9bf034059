import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  bareOrigin,
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import { allowFilters, messageOf, remoteAt, using } from './opened-repository.ts';

const source = createRepository();
const files = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`prompts/${at}.yaml`, `${text} ${at}\n`]),
  );
const base = source.commit('base', { ...files('base'), 'beside/big.bin': 'not needed' });
const head = source.commit('head', files('head'));
const origin = allowFilters(bareOrigin(source));

function cloneOf({ directory: from, git }: FixtureRepository, ...options: string[]) {
  const directory = join(temporaryFolder(), 'clone');
  git('clone', '--quiet', '--template=', ...options, `file://${from}`, directory);
  return createRepository({ directory });
}

/** A clone as `actions/checkout` makes it with `filter: blob:none`. */
const partialClone = (option: string) => cloneOf(origin, '--filter=blob:none', option);

/** Number of packs in evaldiff's temporary repository. Each fetch adds one. */
function packs(temporary: string) {
  const [store = ''] = readdirSync(temporary);
  const folder = join(temporary, store, 'store.git/objects/pack');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).filter((name) => name.endsWith('.pack')).length;
}

/** Number of objects fetched into evaldiff's temporary repository, without borrowed ones. */
function broughtTo(temporary: string) {
  const [store = ''] = readdirSync(temporary);
  const folder = join(temporary, store, 'store.git');
  rmSync(join(folder, 'objects/info/alternates'), { force: true });
  const counts = origin.git('--git-dir', folder, 'count-objects', '-v');
  const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counts)?.[1]);
  return count('count') + count('in-pack');
}

describe('a clone without file contents', () => {
  test('fetches only the contents that are read, in one request', async () => {
    const clone = partialClone('--no-checkout');
    await using(clone.directory, async (opened, temporary) => {
      const tree = await opened.tree(base, 'prompts');
      expect(tree.files.size).toBe(30);
      expect(packs(temporary)).toBe(0);
      const texts = ['7.yaml', '8.yaml', '7.yaml'].map((path) => opened.text(tree, path));
      expect(await Promise.all(texts)).toEqual(['base 7\n', 'base 8\n', 'base 7\n']);
      expect(packs(temporary)).toBe(1);
      expect((await opened.changedFiles(base, head, 'prompts')).length).toBe(30);
      expect(packs(temporary)).toBe(2);
      expect(broughtTo(temporary)).toBe(60);
    });
    expect(clone.git('rev-list', '--objects', '--missing=print', base, '--')).toContain(
      `?${origin.git('rev-parse', `${base}:beside/big.bin`)}`,
    );
  });

  test('works at depth 1 and with uncommitted files, which the remote lacks', async () => {
    const clone = partialClone('--depth=1');
    clone.write({ 'prompts/0.yaml': 'edited\n', 'prompts/new.yaml': 'new\n' });
    await using(clone.directory, async (opened) => {
      const tree = await opened.worktree('prompts');
      expect(tree.files.size).toBe(31);
      expect(await opened.text(tree, 'new.yaml')).toBe('new\n');
      expect(await opened.changedPaths(head, tree, 'prompts')).toEqual(['0.yaml', 'new.yaml']);
      expect((await opened.changedFiles(base, tree, 'prompts')).length).toBe(31);
      expect(await opened.text(base, '7.yaml', 'prompts')).toBe('base 7\n');
    });
  });

  test('fetches all requested commits in one request, and names a missing one', async () => {
    const nowhere = 'deadbeef'.repeat(5);
    const both = (other: string): Promise<[number, (string | null)[]]> =>
      using(
        temporaryFolder('workspace'),
        async (opened, temporary) => {
          const [first, second] = await Promise.allSettled([
            opened.ensureCommit(base, { side: 'base' }),
            opened.ensureCommit(other, { side: 'head' }),
          ]);
          const failures = [first, second].map((each) =>
            each.status === 'rejected' ? String(each.reason) : null,
          );
          return [packs(temporary), failures];
        },
        fixtureEnvironment(),
        remoteAt(origin),
      );
    expect(await both(head)).toEqual([1, [null, null]]);
    const [, failures] = await both(nowhere);
    expect(failures).toEqual([
      null,
      expect.stringContaining('The head commit deadbee could not be fetched: '),
    ]);
  });

  test('reports contents that cannot be fetched', async () => {
    const clone = partialClone('--no-checkout');
    clone.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all.git');
    await using(clone.directory, async (opened) => {
      const tree = await opened.tree(base, 'prompts');
      expect(await messageOf(tree.read('7.yaml'))).toMatch(
        /^1 files or folders could not be fetched, and this clone does not have them: /,
      );
    });
  });
});

describe('reading one project of a monorepo', () => {
  const source = createRepository();
  const prompt = 'services/chat/prompts/a.yaml';
  const others = Array.from({ length: 3_000 }, (_, at) => [`src/${at % 50}/${at}.txt`, `${at}`]);
  const base = source.commit('base', {
    ...Object.fromEntries(others),
    [prompt]: 'base\n',
    'services/chat/docs/b.md': 'not read\n',
  });
  const head = source.commit('head', { [prompt]: 'head\n' });
  const monorepo = allowFilters(bareOrigin(source));

  /** Reads the project as a run does. Returns the number of fetched objects. */
  const readProject = (workspace: string) =>
    using(
      workspace,
      async (opened, temporary) => {
        const project = 'services/chat';
        expect(await opened.mergeBase(base, head)).toBe(base);
        for (const commit of [base, head]) {
          expect((await opened.folder(commit, project)).kind).toBe('folder');
          const text = await opened.text(commit, 'prompts/a.yaml', project);
          expect(text).toBe(commit === base ? 'base\n' : 'head\n');
        }
        expect(await opened.changedPaths(base, head, project)).toEqual(['prompts/a.yaml']);
        return broughtTo(temporary);
      },
      fixtureEnvironment(),
      remoteAt(monorepo),
    );

  test('fetches commits, their folder listings, and only the files that are read', async () => {
    // Two commits with 51 listings of other folders, and two contents, but not 3,000 other files.
    expect(await readProject(temporaryFolder('workspace'))).toBeLessThan(130);
  });

  test.each([
    ['--filter=blob:none', '--sparse'],
    ['--filter=tree:0', '--no-checkout'],
    ['--filter=blob:none', '--no-checkout', '--depth=1'],
  ])('adds no objects to a checkout made with %s %s', async (...options) => {
    const clone = cloneOf(monorepo, ...options);
    const before = clone.git('count-objects', '-v');
    expect(await readProject(clone.directory)).toBeLessThan(130);
    expect(clone.git('count-objects', '-v')).toBe(before);
  });
});
