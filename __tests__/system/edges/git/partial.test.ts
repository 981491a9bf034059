import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  bareOrigin,
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import { decode, messageOf, using } from './opened-repository.ts';

afterAll(removeTemporaryFolders);

let origin: FixtureRepository;
let base: string;
let head: string;

beforeAll(() => {
  const source = createRepository();
  const files = (text: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`prompts/${at}.yaml`, `${text} ${at}\n`]),
    );
  base = source.commit('base', { ...files('base'), 'beside/big.bin': 'not needed' });
  head = source.commit('head', files('head'));
  origin = bareOrigin(source);
  origin.git('config', 'uploadpack.allowFilter', 'true');
  origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
});

/** What `actions/checkout` makes of `filter: blob:none`. */
function partialClone(...options: string[]): FixtureRepository {
  const clone = createRepository();
  const directory = join(temporaryFolder(), 'clone');
  clone.git(
    'clone',
    '--quiet',
    '--filter=blob:none',
    '--template=',
    ...options,
    `file://${origin.directory}`,
    directory,
  );
  return createRepository({ directory });
}

/** Packs of evaldiff's own store: each fetch leaves one. */
function packs(temporary: string): number {
  const [store = ''] = readdirSync(temporary);
  const folder = join(temporary, store, 'store.git/objects/pack');
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.pack')).length
    : 0;
}

/** Objects that were brought into it, the borrowed ones aside. */
function broughtTo(temporary: string): number {
  const [store = ''] = readdirSync(temporary);
  const folder = join(temporary, store, 'store.git');
  rmSync(join(folder, 'objects/info/alternates'), { force: true });
  const counts = origin.git('--git-dir', folder, 'count-objects', '-v');
  return ['count', 'in-pack'].reduce(
    (sum, name) => sum + Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counts)?.[1] ?? NaN),
    0,
  );
}

describe('a clone without contents', () => {
  test('gets those that are read, all in one request, and no others', async () => {
    const clone = partialClone('--no-checkout');
    await using(clone.directory, async (opened, temporary) => {
      const tree = await opened.tree(base, 'prompts');
      expect(tree.files.size).toBe(30);
      expect(packs(temporary)).toBe(0);
      const texts = await Promise.all(
        ['7.yaml', '8.yaml', '7.yaml'].map(async (path) => decode(await tree.read(path))),
      );
      expect(texts).toEqual(['base 7\n', 'base 8\n', 'base 7\n']);
      expect(packs(temporary)).toBe(1);
      expect((await opened.changedFiles(base, head, 'prompts')).length).toBe(30);
      expect(packs(temporary)).toBe(2);
      expect(broughtTo(temporary)).toBe(60);
    });
    expect(clone.git('rev-list', '--objects', '--missing=print', base, '--')).toContain(
      `?${origin.git('rev-parse', `${base}:beside/big.bin`)}`,
    );
  });

  test('works at depth 1, with files of the work tree that the remote does not have', async () => {
    const clone = partialClone('--depth=1');
    clone.write({ 'prompts/0.yaml': 'edited\n', 'prompts/new.yaml': 'new\n' });
    await using(clone.directory, async (opened) => {
      const tree = await opened.worktree('prompts');
      expect(tree.files.size).toBe(31);
      expect(decode(await tree.read('new.yaml'))).toBe('new\n');
      expect((await opened.changedFiles(head, tree, 'prompts')).map(({ path }) => path)).toEqual([
        '0.yaml',
        'new.yaml',
      ]);
      expect((await opened.changedFiles(base, tree, 'prompts')).length).toBe(31);
      expect(decode(await (await opened.tree(base, 'prompts')).read('7.yaml'))).toBe('base 7\n');
    });
  });

  test('gets commits that are asked for at once in one request, and names the one there is not', async () => {
    const nowhere = 'deadbeef'.repeat(5);
    const remote = { url: `file://${origin.directory}`, settings: [], advice: '' };
    const both = (other: string): Promise<[number, (string | null)[]]> =>
      using(
        temporaryFolder('workspace'),
        async (opened, temporary) => {
          const asked = [
            opened.ensureCommit(base, { side: 'base' }),
            opened.ensureCommit(other, { side: 'head' }),
          ];
          const failures = (await Promise.allSettled(asked)).map((each) =>
            each.status === 'rejected' ? String(each.reason) : null,
          );
          return [packs(temporary), failures];
        },
        fixtureEnvironment(),
        remote,
      );
    expect(await both(head)).toEqual([1, [null, null]]);
    const [, failures] = await both(nowhere);
    expect(failures).toEqual([
      null,
      expect.stringContaining('The head commit deadbee could not be fetched: '),
    ]);
  });

  test('says so when the contents cannot be had', async () => {
    const clone = partialClone('--no-checkout');
    clone.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all.git');
    await using(clone.directory, async (opened) => {
      const tree = await opened.tree(base, 'prompts');
      expect(await messageOf(tree.read('7.yaml'))).toMatch(
        /^The contents of 1 files?, which this clone lacks, could not be fetched: /,
      );
    });
  });
});

describe('a monorepo of which a project is read', () => {
  const many = 3_000;
  let monorepo: FixtureRepository;
  let commits: { base: string; head: string };

  beforeAll(() => {
    const source = createRepository();
    source.commitMany(1, () => ({ path: 'README.md', text: 'x' }));
    const files = Array.from({ length: many }, (_, at) => {
      const text = `source ${at}`;
      return `M 100644 inline src/${at % 50}/${at}.txt\ndata ${text.length}\n${text}\n`;
    });
    source.gitInput(
      `commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n${files.join('')}`,
      'fast-import',
      '--quiet',
    );
    source.git('reset', '--quiet', '--hard');
    const base = source.commit('base', {
      'services/chat/prompts/a.yaml': 'base\n',
      'services/chat/docs/b.md': 'not read\n',
    });
    const head = source.commit('head', { 'services/chat/prompts/a.yaml': 'head\n' });
    commits = { base, head };
    monorepo = bareOrigin(source);
    monorepo.git('config', 'uploadpack.allowFilter', 'true');
    monorepo.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  });

  /** Reads the project as a run does; objects that this brought. */
  const readProject = (workspace: string): Promise<number> =>
    using(
      workspace,
      async (opened, temporary) => {
        const { base, head } = commits;
        expect(await opened.mergeBase(base, head)).toBe(base);
        for (const [commit, text] of [
          [base, 'base\n'],
          [head, 'head\n'],
        ] as const) {
          expect((await opened.folder(commit, 'services/chat')).kind).toBe('folder');
          const tree = await opened.tree(commit, 'services/chat');
          expect(decode(await tree.read('prompts/a.yaml'))).toBe(text);
        }
        const changed = await opened.changedFiles(base, head, 'services/chat');
        expect(changed.map(({ path }) => path)).toEqual(['prompts/a.yaml']);
        return broughtTo(temporary);
      },
      fixtureEnvironment(),
      { url: `file://${monorepo.directory}`, settings: [], advice: '' },
    );

  test('without a checkout brings commits, the way to the project, and what is read', async () => {
    // Commits, trees on the way, the project's trees, and two contents: not the 3,000 others.
    expect(await readProject(temporaryFolder('workspace'))).toBeLessThan(20);
  });

  test.each([
    ['--filter=blob:none', '--sparse'],
    ['--filter=tree:0', '--no-checkout'],
    ['--filter=blob:none', '--no-checkout', '--depth=1'],
  ])('checked out with %s %s stays as it is', async (...options) => {
    const directory = join(temporaryFolder(), 'clone');
    monorepo.git(
      'clone',
      '--quiet',
      '--template=',
      ...options,
      `file://${monorepo.directory}`,
      directory,
    );
    const clone = createRepository({ directory });
    const counted = (): string => clone.git('count-objects', '-v');
    const before = counted();
    expect(await readProject(directory)).toBeLessThan(20);
    expect(counted()).toBe(before);
  });
});
