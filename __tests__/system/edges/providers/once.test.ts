import { createOnce } from '../../../../src/edges/providers/once.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { asks, ok } from '../../../unit/edges/store/setting.ts';

const keyOf = (request: Request) => `${request.messages[0]?.content} ${request.try}`;

describe('deduplicated completions', () => {
  test('are shared by all callers during and after the call and marked as reused', async () => {
    const made: string[] = [];
    const answer = Promise.withResolvers<Completion>();
    const ask = (request: Request) => {
      made.push(keyOf(request));
      return answer.promise;
    };
    const once = createOnce(ask, { keyOf, answers: 'keep' });
    const both = [once(asks('a')), once(asks('a'))];
    answer.resolve(ok('A'));
    expect(await Promise.all(both)).toEqual([ok('A'), { ...ok('A'), reused: true }]);
    expect(await once(asks('a'))).toEqual({ ...ok('A'), reused: true });
    expect(made).toEqual(['a 0']);
  });

  test('are separate for each try', async () => {
    let calls = 0;
    const once = createOnce(async () => ok(String(++calls)), { keyOf, answers: 'keep' });
    expect([await once(asks('a', 0)), await once(asks('a', 1))]).toEqual([ok('1'), ok('2')]);
  });

  test('include errors, so that a refused request is not sent again', async () => {
    let calls = 0;
    const error: Completion = { status: 'error', kind: 'request', message: 'no' };
    for (const answers of ['keep', 'forget'] as const) {
      const ask = async () => (calls++, error);
      const once = createOnce(ask, { keyOf, answers });
      const both = [await once(asks('a')), await once(asks('a'))];
      expect(both).toEqual([error, { ...error, unsent: true }]);
    }
    expect(calls).toBe(2);
  });

  test('exclude calls that were stopped or that threw an error, which are repeated', async () => {
    const results: (() => Completion)[] = [
      () => ({ status: 'error', kind: 'aborted', message: 'stopped' }),
      () => {
        throw new Error('bug');
      },
      () => ok('A'),
    ];
    const once = createOnce(async () => results.shift()!(), { keyOf, answers: 'keep' });
    expect((await once(asks('a'))).status).toBe('error');
    await expect(once(asks('a'))).rejects.toThrow('bug');
    expect(await once(asks('a'))).toEqual(ok('A'));
  });

  test('are not kept after the call if a store keeps the answers', async () => {
    let calls = 0;
    const once = createOnce(async () => (calls++, ok('A')), { keyOf, answers: 'forget' });
    await Promise.all([once(asks('a')), once(asks('a'))]);
    await once(asks('a'));
    expect(calls).toBe(2);
  });
});
