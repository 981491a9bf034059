import { describe, expect, test } from '@jest/globals';
import { withFilesOf } from '../../../src/trust/arrange.ts';
import type { SourceTree } from '../../../src/types/repository.ts';

function tree(commit: string, files: Record<string, string>, links: string[] = []): SourceTree {
  return {
    commit,
    files: new Map(Object.entries(files).map(([path, text]) => [path, { id: text }])),
    irregular: new Map(links.map((path) => [path, 'symbolic link'])),
    read: async (path) => new TextEncoder().encode(`${commit} ${files[path] ?? 'nothing'}`),
  };
}
const text = async (from: SourceTree, path: string) =>
  new TextDecoder().decode(await from.read(path));
const SETTINGS = ['evaldiff.yaml', 'llmeval.yaml'];

describe("head with base's settings", () => {
  test('reads the settings from base and everything else from head', async () => {
    const { tree: mixed, unused } = withFilesOf(
      tree('base', { 'evaldiff.yaml': 'strict', 'a.yaml': 'old' }),
      tree('head', { 'evaldiff.yaml': 'lax', 'a.yaml': 'new' }),
      SETTINGS,
    );
    expect([mixed.commit, await text(mixed, 'evaldiff.yaml'), await text(mixed, 'a.yaml')]).toEqual(
      ['head', 'base strict', 'head new'],
    );
    expect(unused).toEqual(['evaldiff.yaml']);
  });

  test('has none where base has none, whatever head adds', () => {
    const { tree: mixed, unused } = withFilesOf(
      tree('base', {}),
      tree('head', { 'evaldiff.yaml': 'lax' }, ['llmeval.yaml']),
      SETTINGS,
    );
    expect([[...mixed.files.keys()], [...mixed.irregular.keys()]]).toEqual([[], []]);
    expect(unused).toEqual(SETTINGS);
    expect(
      withFilesOf(null, tree('head', { 'evaldiff.yaml': 'lax' }), SETTINGS).tree.files.size,
    ).toBe(0);
  });

  test('keeps settings that head removes or turns into a link', async () => {
    const { tree: mixed, unused } = withFilesOf(
      tree('base', { 'evaldiff.yaml': 'strict' }),
      tree('head', {}, ['evaldiff.yaml']),
      SETTINGS,
    );
    expect([
      mixed.files.has('evaldiff.yaml'),
      mixed.irregular.size,
      await text(mixed, 'evaldiff.yaml'),
    ]).toEqual([true, 0, 'base strict']);
    expect(unused).toEqual(['evaldiff.yaml']);
  });

  test('says nothing of settings that did not change', () => {
    expect(
      withFilesOf(
        tree('base', { 'evaldiff.yaml': 'same' }),
        tree('head', { 'evaldiff.yaml': 'same' }),
        SETTINGS,
      ).unused,
    ).toEqual([]);
  });
});
