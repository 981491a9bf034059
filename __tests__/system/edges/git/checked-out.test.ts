import { bareOrigin, createRepository, shallowCheckout } from '../../../stand-ins/repository.ts';
import { using } from './opened-repository.ts';

describe('the checked-out commit', () => {
  test('is listed with its parents, even in a shallow clone', async () => {
    const repository = createRepository();
    repository.commit('base', { 'a.yaml': 'a' });
    repository.git('switch', '--quiet', '--create', 'topic');
    const head = repository.commit('head\n\nparent 0000000000000000000000000000000000000000', {
      'b.yaml': 'b',
    });
    repository.git('switch', '--quiet', 'main');
    const base = repository.commit('main', { 'c.yaml': 'c' });
    repository.git('merge', '--quiet', '--no-ff', '--no-gpg-sign', '-m', 'Merge', head);
    const merge = repository.git('rev-parse', 'HEAD');
    const clone = shallowCheckout(bareOrigin(repository), 'refs/heads/main');
    expect(clone.git('rev-list', '--count', 'HEAD')).toBe('1');
    await using(clone.directory, async (opened) => {
      expect(await opened.checkedOut()).toEqual([merge, base, head]);
    });
    repository.git('switch', '--quiet', '--detach', head);
    await using(repository.directory, async (opened) => {
      expect((await opened.checkedOut())[0]).toBe(head);
    });
  });

  test('is absent in a repository without commits', async () => {
    const found = using(createRepository().directory, (opened) => opened.checkedOut());
    expect(await found).toEqual([]);
  });
});
