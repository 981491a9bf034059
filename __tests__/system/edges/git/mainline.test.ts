import {
  bareOrigin,
  createRepository,
  shallowCheckout,
  temporaryFolder,
} from '../../../stand-ins/repository.ts';
import { messageOf, using } from './opened-repository.ts';

/** Two states of `main`, a branch with one commit, and its merge. */
function merged() {
  const repository = createRepository();
  const first = repository.commit('first', { a: '1' });
  repository.git('switch', '--quiet', '--create', 'topic');
  const topic = repository.commit('topic', { b: '1' });
  repository.git('switch', '--quiet', 'main');
  const second = repository.commit('second', { a: '2' });
  repository.git('merge', '--quiet', '--no-ff', '--no-gpg-sign', '-m', 'Merge', 'topic');
  return { repository, first, second, topic, merge: repository.git('rev-parse', 'HEAD') };
}

describe('the history of a branch', () => {
  test('contains the tip and its first parents, without commits that came with a merge', async () => {
    const { repository, first, second, topic, merge } = merged();
    await using(repository.directory, async (opened) => {
      const line = await opened.mainline('main');
      expect([...line!.commits].map(([id, { behind }]) => [id, behind])).toEqual([
        [merge, 0],
        [second, 1],
        [first, 2],
      ]);
      expect(line!.commits.get(first)!.at).toBe(
        new Date(repository.git('log', '-1', '--format=%cI', first)).toISOString(),
      );
      expect(line).toMatchObject({ name: 'main', shallow: false });
      const branch = await opened.mainline('topic');
      expect([...branch!.commits.keys()]).toEqual([topic, first]);
    });
  });

  test('is that of the default branch if no branch is named', async () => {
    const { repository, merge, topic } = merged();
    const clone = createRepository();
    clone.git('remote', 'add', 'origin', `file://${bareOrigin(repository).directory}`);
    clone.git('fetch', '--quiet', 'origin');
    clone.git('switch', '--quiet', '--detach', topic);
    const nameOf = (directory: string) =>
      using(directory, async (opened) => {
        const line = await opened.mainline(null);
        return [line?.name, [...(line?.commits.keys() ?? [])][0]];
      });
    expect(await nameOf(clone.directory)).toEqual(['origin/main', merge]);
    clone.git('remote', 'set-head', 'origin', 'topic');
    expect(await nameOf(clone.directory)).toEqual(['origin/topic', topic]);
    repository.git('branch', '--quiet', '--move', 'main', 'trunk');
    repository.git('switch', '--quiet', 'topic');
    expect(await nameOf(repository.directory)).toEqual(['topic', topic]);
  });

  test('reports missing commits in a shallow clone', async () => {
    const { repository, merge } = merged();
    const clone = shallowCheckout(bareOrigin(repository), 'refs/heads/main');
    await using(clone.directory, async (opened) => {
      const line = await opened.mainline('main');
      expect([[...line!.commits.keys()], line!.shallow]).toEqual([[merge], true]);
    });
  });

  test('is empty without a repository or commit, and rejects unknown and hostile branches', async () => {
    await using(temporaryFolder('plain'), async (opened) => {
      expect(await opened.mainline('main')).toBeNull();
    });
    await using(createRepository().directory, async (opened) => {
      expect(await opened.mainline(null)).toBeNull();
    });
    await using(merged().repository.directory, async (opened) => {
      for (const name of ['mian', '--output=x', 'a b', ''])
        expect(await messageOf(opened.mainline(name))).toContain(
          `"${name}" is not a branch, tag or commit of this repository`,
        );
    });
  });
});
