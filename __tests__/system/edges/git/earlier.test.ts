import { bareOrigin, createRepository, shallowCheckout } from '../../../stand-ins/repository.ts';
import { messageOf, using } from './opened-repository.ts';

const repository = createRepository();
const ids = repository.commitMany(5, (at) => ({ path: 'a.txt', text: String(at) }));
const [first = '', second = '', third = ''] = ids;
const last = ids.at(-1) ?? '';
const timeOf = (id: string) => Number(repository.git('log', '-1', '--format=%ct', id)) * 1000;
for (const [tag, id] of [
  ['v1.9.0', first],
  ['v1.10.0', second],
  ['v2.0.0-rc1', third],
  ['nightly', third],
] as const)
  repository.git('tag', '-a', '-m', 'x', tag, id);
const DAY_MS = 86_400_000;

describe('an earlier commit', () => {
  test('can be the release with the highest version, excluding pre-releases', async () => {
    await using(repository.directory, async ({ earlier }) => {
      expect(await earlier('last-release', { commit: last, now: 0 })).toEqual({
        commit: second,
        name: 'v1.10.0',
      });
    });
  });

  test('can be the commit that the branch had some days ago', async () => {
    const now = timeOf(second) + 30 * DAY_MS;
    await using(repository.directory, async ({ earlier }) => {
      const found = await earlier('30-days', { commit: last, now });
      const newest = ids.filter((id) => timeOf(id) <= timeOf(second)).at(-1);
      expect(found?.commit).toBe(newest);
      expect(found?.name).toMatch(/^\d{4}-\d\d-\d\d \([0-9a-f]{7}\)$/);
      expect(await earlier('30-days', { commit: last, now: timeOf(first) })).toBeNull();
    });
  });

  test('can be a tag or a commit', async () => {
    await using(repository.directory, async ({ earlier }) => {
      for (const name of ['v1.9.0', first])
        expect(await earlier(name, { commit: last, now: 0 })).toEqual({ commit: first, name });
    });
  });

  test('is the tag of a release, even if a branch has its name, but a name with two meanings is refused', async () => {
    repository.git('update-ref', 'refs/heads/v1.10.0', last);
    await using(repository.directory, async ({ earlier }) => {
      expect(await earlier('last-release', { commit: last, now: 0 })).toEqual({
        commit: second,
        name: 'v1.10.0',
      });
      expect(await messageOf(earlier('v1.10.0', { commit: last, now: 0 }))).toContain(
        '"v1.10.0" has two meanings: refs/tags/v1.10.0 (',
      );
    });
    repository.git('update-ref', '-d', 'refs/heads/v1.10.0');
  });

  test('is fetched if the clone is shallow and has no tags', async () => {
    const checkout = shallowCheckout(bareOrigin(repository), 'refs/heads/main');
    await using(checkout.directory, async ({ earlier, tree }) => {
      const release = await earlier('last-release', { commit: last, now: 0 });
      expect(release).toEqual({ commit: second, name: 'v1.10.0' });
      expect([...(await tree(second, '')).files.keys()]).toEqual(['a.txt']);
    });
  });
});
