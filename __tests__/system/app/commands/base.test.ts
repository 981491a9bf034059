import { openShop, promptSaying, type Shop } from '../../../unit/app/commands/shop.ts';

/** The branch `main` is at the last commit, and the tag `main` at the first. */
async function openTwice(): Promise<Shop & { branch: string; tag: string }> {
  const shop = await openShop();
  const { repository } = shop;
  const tag = repository.git('rev-parse', 'HEAD').trim();
  repository.git('tag', 'main', tag);
  const branch = repository.commit('reworded', promptSaying('Answer this: {q}'));
  return { ...shop, branch, tag };
}

describe('a name that is both a branch and a tag', () => {
  test.each([
    [['diff', '--base', 'main']],
    [['diff', '--base', 'main~0']],
    [['diff', '--base', 'HEAD', '--head', 'main']],
    [['plan', '--base', 'main']],
    [['noise', '--runs', '1', '--base', 'main']],
    [['report', '--history', 'main', 'sweeps']],
  ])('is refused by %j, with both commits and before any model call', async (argv) => {
    const { evaldiff, server, branch, tag } = await openTwice();
    if (argv[0] === 'report') await evaldiff('run', '--report', 'sweeps');
    server.requests.length = 0;
    const { code, out, err } = await evaldiff(...argv);
    expect([code, server.requests]).toEqual([2, []]);
    expect(out + err).toContain(
      `"main" has two meanings: refs/tags/main (${tag.slice(0, 7)}) and refs/heads/main (${branch.slice(0, 7)}). Give the full name of one of them.`,
    );
  });

  test('can be given in full, and the default base is the branch', async () => {
    const { result, branch, tag } = await openTwice();
    const baseOf = async (...argv: string[]) => (await result('diff', ...argv)).base?.sha;
    expect(await baseOf('--base', 'refs/tags/main')).toBe(tag);
    expect(await baseOf('--base', 'refs/heads/main')).toBe(branch);
    expect(await baseOf()).toBe(branch);
  });
});
