import { UserError } from '../../../../src/errors.ts';
import { canarySpotter } from '../../../../src/features/agents/workspace/canary.ts';
import {
  digestFiles,
  readWorkspaceFiles,
  staysInside,
  type WorkspaceFiles,
} from '../../../../src/features/agents/workspace/files.ts';
import { findWalls } from '../../../../src/features/agents/workspace/walls.ts';
import type { SourceTree } from '../../../../src/types/repository.ts';

interface Given {
  files?: Record<string, string>;
  programs?: Record<string, string>;
  links?: Record<string, string>;
}

function treeOf({ files = {}, programs = {}, links = {} }: Given): SourceTree {
  const all = { ...files, ...programs };
  const ids = Object.keys(all).map((path) => [
    path,
    path in programs ? { id: path, executable: true } : { id: path },
  ]);
  return {
    commit: 'worktree',
    files: new Map(ids as [string, { id: string; executable?: true }][]),
    irregular: new Map(Object.keys(links).map((path) => [path, 'symbolic link'])),
    read: async (path) => Buffer.from(all[path] ?? ''),
    readLink: async (path) => links[path] ?? '',
  };
}

const read = (given: Given, own: { from?: string; with?: string[]; hide?: string[] } = {}) =>
  readWorkspaceFiles(treeOf(given), { from: '', with: [], hide: [], ...own });

const bodyOf = (files: WorkspaceFiles, path: string) =>
  Buffer.from(files.get(path)?.body ?? '').toString();

const SHOP = {
  files: {
    'fixtures/shop/a.txt': 'a',
    'fixtures/shop/AGENTS.md': 'of the shop',
    'AGENTS.md': 'of the project',
    'skills/notes/SKILL.md': 's',
    'skills/notes/.hidden': 'h',
    'evals/notes.yaml': 'e',
    'evals/.answers/notes.json': '42',
  },
};

describe('the files of a workspace', () => {
  test.each([
    ['all files without rules', {}, Object.keys(SHOP.files).sort()],
    ['the folder of `from`', { from: 'fixtures/shop' }, ['AGENTS.md', 'a.txt']],
    [
      'the paths of `with` on top of it, from the project',
      { from: 'fixtures/shop', with: ['AGENTS.md', 'skills/**'] },
      ['AGENTS.md', 'a.txt', 'skills/notes/.hidden', 'skills/notes/SKILL.md'],
    ],
    [
      'nothing that `hide` names, hidden files included',
      { hide: ['evals/**', 'fixtures', 'skills/*/SKILL.md'] },
      ['AGENTS.md', 'skills/notes/.hidden'],
    ],
    [
      'nothing that `hide` names even if `with` does',
      { from: 'fixtures/shop', with: ['evals/**'], hide: ['evals'] },
      ['AGENTS.md', 'a.txt'],
    ],
  ])('are %s', async (_, own, expected) => {
    expect([...(await read(SHOP, own)).keys()].sort()).toEqual(expected);
  });

  test('come from `with` and not from `from` if both contain the same path', async () => {
    const files = await read(SHOP, { from: 'fixtures/shop', with: ['AGENTS.md'] });
    expect(bodyOf(files, 'AGENTS.md')).toBe('of the project');
  });

  test('keep the modes of programs and the targets of links', async () => {
    const given = { files: { a: 'x' }, programs: { run: 'x' }, links: { to: 'a' } };
    const files = await read(given);
    expect([...files].map(([path, { mode }]) => [path, mode])).toEqual([
      ['a', '100644'],
      ['run', '100755'],
      ['to', '120000'],
    ]);
    expect(bodyOf(files, 'to')).toBe('a');
  });

  test('never include a .git folder', async () => {
    const files = await read({ files: { 'sub/.GIT/config': 'x', 'sub/a': 'x' } });
    expect([...files.keys()]).toEqual(['sub/a']);
  });

  test('are rejected with a list of all links that leave the workspace and all paths below a link', async () => {
    const given = {
      files: { 'shop/a': 'x', 'docs/guide/b': 'y' },
      links: { 'shop/out': '../../etc/passwd', 'shop/root': '/', 'shop/docs': 'elsewhere' },
    };
    const error = await read(given, { from: 'shop', with: ['docs/**'] }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof UserError))
      throw new TypeError('no error of the user', { cause: error });
    const files = error.problems.map(({ place }) => place?.file);
    expect(files.sort()).toEqual(['docs/guide/b', 'shop/out', 'shop/root']);
    expect(error.message).toContain(
      'shop/out: is a symbolic link that leaves the workspace. Make it relative',
    );
    expect(error.message).toContain('docs/guide/b: would be below docs, which is');
  });

  test('are rejected before all are read if together they exceed the size limit', async () => {
    const files = Object.fromEntries([...Array(40).keys()].map((at) => [`f${at}`, '']));
    const body = new Uint8Array(30_000_000);
    const tree = { ...treeOf({ files }), read: async () => body };
    await expect(readWorkspaceFiles(tree, { from: '', with: [], hide: [] })).rejects.toThrow(
      "The agent's workspace is larger than 1000.0 MB. Choose a smaller folder with `from`",
    );
  });

  test('have equal hashes only if paths, modes, links and contents are equal', async () => {
    const digest = async (given: Given) => digestFiles(await read(given));
    const base = await digest({ files: { a: 'x', b: 'y' } });
    expect(await digest({ files: { b: 'y', a: 'x' } })).toBe(base);
    const others: Given[] = [
      { files: { a: 'x', c: 'y' } },
      { files: { a: 'x', b: 'z' } },
      { files: { b: 'y' }, programs: { a: 'x' } },
      { files: { b: 'y' }, links: { a: 'x' } },
    ];
    const digests = await Promise.all(others.map(digest));
    expect(new Set([base, ...digests]).size).toBe(5);
  });
});

describe('a link of a workspace', () => {
  test.each([
    ['a', 'b', true],
    ['deep/a', '../b', true],
    ['deep/a', './../deep/b', true],
    ['a', '../b', false],
    ['deep/a', '../../b', false],
    ['a', 'b/../../c', false],
    ['a', '/etc/passwd', false],
    ['a', '..', false],
    ['a', '', false],
    ['a', '.git/config', false],
    ['sub/a', '../.GIT', false],
    ['a', 'git~1/config', false],
    ['a', '.git /config', false],
    ['a', '.git./config', false],
    ['a', '.g\u200cit/config', false],
    ['a', '.gitignore', true],
    ['a', 'shallow', true],
    ['a', 'shallow/b', true],
    // `deep/er/shallow` is a link to the root, so two steps up leave the workspace.
    ['a', 'deep/er/shallow/../b', false],
    ['a', 'deep/er/shallow/b', true],
    ['a', 'circle', false],
    ['deep/er/a', 'shallow/deep/../b', true],
  ])('at %s to %j stays inside the workspace: %s', (path, target, expected) => {
    const links: Record<string, string> = {
      'deep/er/shallow': '../..',
      shallow: 'deep/er',
      circle: 'circle',
      [path]: target,
    };
    expect(staysInside(path, (at) => links[at] ?? null)).toBe(expected);
  });
});

describe("the fake API key in an agent's environment", () => {
  const canary = 'sk-canary-7f3a9c21d8e64b05';

  test.each([
    ['itself', canary],
    ['its base64', Buffer.from(`x${canary}y`).toString('base64')],
    ['its hex digits', Buffer.from(canary).toString('hex')],
    ['bytes around it', new Uint8Array([255, ...Buffer.from(canary), 0])],
  ])('is detected when it appears as %s', (_, content) => {
    expect(canarySpotter(canary)(content)).toBe(true);
  });

  test('is not detected in other text, or if there is no fake key', () => {
    expect(canarySpotter(canary)('sk-canary')).toBe(false);
    expect(canarySpotter(null)('anything')).toBe(false);
  });
});

describe('sandboxes for agents', () => {
  test.each(['darwin', 'win32'] as const)(
    'are unavailable on %s, and the message suggests a fix',
    async (platform) => {
      const walls = await findWalls(['root'], platform);
      expect(walls).toEqual({
        refused: expect.stringMatching(
          /^Agents run in a sandbox .+\(this system is not Linux\)\. Run it on Linux \(on Windows: WSL 2; on macOS: /,
        ),
      });
    },
  );
});
