import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bareOrigin, createRepository, shallowCheckout } from '../../../stand-ins/repository.ts';
import { messageOf, using, type Opened } from './opened-repository.ts';

const repository = createRepository();
const base = repository.commit('base', { 'a.yaml': 'base\n' });
const head = repository.commit('head', { 'a.yaml': 'head\n' });
repository.git('tag', 'light', base);
repository.git('tag', '-a', '-m', 'x', 'heavy', base);

async function withBranch(name: string, at: string, work: (opened: Opened) => Promise<void>) {
  repository.git('update-ref', `refs/heads/${name}`, at);
  await using(repository.directory, work);
  repository.git('update-ref', '-d', `refs/heads/${name}`);
}

describe('a revision', () => {
  test('can be a branch, a tag, a full or short id, HEAD, or an expression such as main~1', async () => {
    const heavy = repository.git('rev-parse', 'heavy');
    expect(heavy).not.toBe(base);
    const ofBase = ['main~1', 'light', 'heavy', heavy, base, base.slice(0, 10), base.toUpperCase()];
    await using(repository.directory, async ({ resolve }) => {
      for (const name of ['main', 'refs/heads/main', 'HEAD', '@'])
        expect(await resolve(name)).toBe(head);
      for (const name of ofBase) expect(await resolve(name)).toBe(base);
    });
  });

  test.each([
    'mian',
    '',
    '-x',
    '--output=pwned',
    '--upload-pack=touch pwned',
    '^main',
    'main..HEAD',
    'HEAD:a.yaml',
    ':/head',
    'main\nHEAD',
    'main\0x',
    '--all',
    'a b',
    '$(touch pwned)',
    'main^{tree}',
    'heavy^{blob}',
    '@{',
    'refs/heads/*',
  ])('is rejected without running anything if it is %j', async (name) => {
    const before = readdirSync(repository.directory);
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.resolve(name))).toContain(
        'is not a branch, tag or commit of this repository. Give a branch, a tag or a full commit id.',
      );
    });
    expect(readdirSync(repository.directory)).toEqual(before);
  });

  test.each([
    '-x',
    '--output=pwned',
    'a;id',
    'a$(touch${IFS}pwned)',
    'a`touch${IFS}pwned`',
    "a'b",
    'a"b',
    'a|b',
    '${IFS}',
    'ünï',
    'a\u202eb',
    '%0A',
    'a<b>',
    '@a',
  ])('can be a branch with the name %s, which no shell executes', async (name) => {
    await withBranch(name, base, async (opened) => {
      expect(await opened.resolve(name)).toBe(base);
      expect(await opened.text(await opened.resolve(name), 'a.yaml')).toBe('base\n');
    });
    expect(existsSync(join(repository.directory, 'pwned'))).toBe(false);
  });

  test('is resolved as git does if its ref is packed, moved or symbolic', async () => {
    const own = createRepository();
    const one = own.commit('one', { 'a.yaml': '1' });
    own.git('branch', 'packed');
    own.git('branch', 'moved');
    own.git('tag', '-a', '-m', 'x', 'heavy');
    own.git('update-ref', 'refs/remotes/origin/trunk', one);
    own.git('pack-refs', '--all');
    const two = own.commit('two', { 'a.yaml': '2' });
    own.git('update-ref', 'refs/heads/moved', two);
    own.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    own.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/moved');
    own.git('symbolic-ref', 'refs/heads/dangling', 'refs/heads/none');
    own.git('symbolic-ref', 'HEAD', 'refs/heads/alias');
    const names = ['packed', 'moved', 'heavy', 'origin/HEAD', 'origin', 'alias', 'HEAD', 'main'];
    const expected = [one, two, one, one, one, two, two, two];
    const asked = () =>
      using(own.directory, async (opened) => {
        expect(await messageOf(opened.resolve('dangling'))).toContain('is not a branch');
        expect(await opened.checkedOut()).toEqual([two, one]);
        return Promise.all(names.map((name) => opened.resolve(name)));
      });
    expect(await asked()).toEqual(expected);
    // A ref file in a form that only git can read.
    const file = join(own.directory, '.git/refs/heads/moved');
    writeFileSync(file, `${two}   \n`);
    expect(own.git('rev-parse', 'moved')).toBe(two);
    expect(await asked()).toEqual(expected);
    rmSync(file);
    symlinkSync('packed-away', file);
    writeFileSync(join(dirname(file), 'packed-away'), `${two}\n`);
    expect(await asked()).toEqual(expected);
  });

  test('that is a full id never means a branch of that name', async () => {
    await withBranch(base, head, async (opened) => {
      expect(await opened.resolve(base)).toBe(base);
      expect(await opened.text(base, 'a.yaml')).toBe('base\n');
      expect(await opened.changedPaths(base, head)).toEqual(['a.yaml']);
      expect(await opened.mergeBase(base, head)).toBe(base);
    });
  });

  test('that is a missing full id does not fall back to a branch of that name', async () => {
    const nowhere = 'c0ffee00'.repeat(5);
    await withBranch(nowhere, head, async (opened) => {
      expect(await opened.resolve(nowhere)).toBe(nowhere);
      expect(await messageOf(opened.tree(nowhere, '.'))).toMatch(
        /^The commit c0ffee0 could not be fetched/,
      );
    });
  });

  test('is ambiguous if a branch is named like the id prefix of a different commit', async () => {
    const start = base.slice(0, 8);
    await withBranch(start, head, async (opened) => {
      expect(await messageOf(opened.resolve(start))).toContain(
        `"${start}" is a branch or tag and also the start of commit ${base}`,
      );
      expect(await opened.resolve(`refs/heads/${start}`)).toBe(head);
    });
  });

  test.each([
    ['tag', 'refs/tags/twice', 'twice'],
    ['tag, with a path to its parent', 'refs/tags/twice', 'twice~0'],
    ['tag, with a path', 'refs/tags/twice', 'twice^{commit}'],
    ['tag with a slash', 'refs/tags/team/twice', 'team/twice'],
    ['tag with other characters', 'refs/tags/zwei-mal#é', 'zwei-mal#é'],
    ['branch of a remote', 'refs/remotes/up/twice', 'up/twice'],
    ['other ref', 'refs/twice', 'twice'],
    ['branch whose name begins with heads', 'refs/heads/twice', 'heads/twice'],
  ])('is refused, with both full names, if it is a branch and a %s', async (_what, ref, given) => {
    const name = given.replace(/[~^].*$/, '');
    repository.git('update-ref', ref, base);
    await withBranch(name, head, async (opened) => {
      const message = await messageOf(opened.resolve(given));
      expect(message).toMatch(new RegExp(`^"${name}" has two meanings: `));
      expect(message).toContain(`${ref} (${base.slice(0, 7)})`);
      expect(message).toContain(`refs/heads/${name} (${head.slice(0, 7)})`);
      expect(message).toContain('Give the full name of one of them.');
      expect(await opened.resolve(`refs/heads/${name}`)).toBe(head);
      expect(await opened.resolve(ref)).toBe(base);
    });
    repository.git('update-ref', '-d', ref);
  });

  test('is accepted if both meanings are the same commit', async () => {
    repository.git('tag', '-a', '-m', 'x', 'same', head);
    await withBranch('same', head, async (opened) => {
      expect(await opened.resolve('same')).toBe(head);
    });
  });

  test('is the local branch if the branch of origin differs', async () => {
    repository.git('update-ref', 'refs/remotes/origin/mine', base);
    await withBranch('mine', head, async (opened) => {
      expect(await opened.resolve('mine')).toBe(head);
      expect(await opened.resolve('origin/mine')).toBe(base);
    });
    repository.git('update-ref', '-d', 'refs/remotes/origin/mine');
  });

  test('is refused if origin has a branch and the clone a tag of this name', async () => {
    repository.git('update-ref', 'refs/remotes/origin/half', head);
    repository.git('tag', 'half', base);
    await using(repository.directory, async (opened) => {
      expect(await messageOf(opened.resolve('half'))).toContain(
        `refs/tags/half (${base.slice(0, 7)}) and refs/remotes/origin/half (${head.slice(0, 7)})`,
      );
    });
    repository.git('update-ref', '-d', 'refs/remotes/origin/half');
    repository.git('tag', '-d', 'half');
  });

  test('is refused if only the remote has both a branch and a tag of this name', async () => {
    repository.git('update-ref', 'refs/heads/far', head);
    repository.git('tag', '-a', '-m', 'x', 'far', base);
    const clone = shallowCheckout(bareOrigin(repository), 'refs/heads/main');
    repository.git('update-ref', '-d', 'refs/heads/far');
    repository.git('tag', '-d', 'far');
    await using(clone.directory, async (opened) => {
      expect(await messageOf(opened.resolve('far'))).toContain(
        `"far" has two meanings: refs/tags/far (${base.slice(0, 7)}) and refs/heads/far (${head.slice(0, 7)})`,
      );
      expect(await opened.resolve('refs/heads/far')).toBe(head);
      expect(await opened.resolve('refs/tags/far')).toBe(base);
    });
  });

  test('that is a short commit id with a path is ambiguous, too', async () => {
    const start = base.slice(0, 8);
    await withBranch(start, head, async (opened) => {
      expect(await messageOf(opened.resolve(`${start}~0`))).toContain(
        `"${start}" is a branch or tag and also the start of commit ${base}`,
      );
    });
  });

  test('is resolved without refs/replace', async () => {
    repository.git('replace', base, head);
    await using(repository.directory, async (opened) => {
      expect(await opened.text(base, 'a.yaml')).toBe('base\n');
    });
    repository.git('replace', '-d', base);
  });

  test('can be a branch or tag that only the remote has', async () => {
    repository.git('update-ref', 'refs/heads/feature/x', base);
    const clone = shallowCheckout(bareOrigin(repository), 'refs/heads/main');
    await using(clone.directory, async (opened) => {
      expect(await opened.resolve('main')).toBe(head);
      for (const name of ['feature/x', 'heavy', 'light', 'refs/heads/feature/x'])
        expect(await opened.resolve(name)).toBe(base);
      expect(await messageOf(opened.resolve('feature'))).toContain('is not a branch');
      expect(await opened.text(await opened.resolve('feature/x'), 'a.yaml')).toBe('base\n');
    });
    repository.git('update-ref', '-d', 'refs/heads/feature/x');
  });

  test('is an error in a repository without a commit', async () => {
    await using(createRepository().directory, async (opened) => {
      expect(await messageOf(opened.resolve('HEAD'))).toContain(
        'This repository has no commit yet: commit first',
      );
    });
  });
});
