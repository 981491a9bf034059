import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  bareOrigin,
  createRepository,
  removeTemporaryFolders,
  temporaryFolder,
} from '../../stand-ins/repository.ts';
import type { FixtureRepository } from '../../stand-ins/repository.ts';
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

/** Each fetch leaves one pack. */
const packs = (clone: FixtureRepository): number =>
  readdirSync(join(clone.directory, '.git/objects/pack')).filter((name) => name.endsWith('.pack'))
    .length;

describe('a clone without contents', () => {
  test('gets those of a folder in one request, and no others', async () => {
    const clone = partialClone('--no-checkout');
    const before = packs(clone);
    await using(clone.directory, async (opened) => {
      const tree = await opened.tree(base, 'prompts');
      expect(tree.files.size).toBe(30);
      expect(packs(clone)).toBe(before + 1);
      expect(decode(await tree.read('7.yaml'))).toBe('base 7\n');
      await opened.tree(base, 'prompts');
      expect(packs(clone)).toBe(before + 1);
      expect((await opened.changedFiles(base, head, 'prompts')).length).toBe(30);
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

  test('says so when the contents cannot be had', async () => {
    const clone = partialClone('--no-checkout');
    clone.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all.git');
    await using(clone.directory, async (opened) => {
      expect(await messageOf(opened.tree(base, 'prompts'))).toMatch(
        /^The contents of 30 files, which this partial clone lacks, could not be fetched: /,
      );
    });
  });
});
