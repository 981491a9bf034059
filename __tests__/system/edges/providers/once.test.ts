import { describe, expect, test } from '@jest/globals';
import { createOnce } from '../../../../src/edges/providers/once.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { asks, ok } from '../../../unit/edges/store/setting.ts';

const keyOf = (request: Request): string => `${request.messages[0]?.content} ${request.try}`;

describe('one completion per request', () => {
  test('is shared by all who ask while it is under way and afterwards, and marked as reused for them', async () => {
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

  test('two tries are never one', async () => {
    let calls = 0;
    const once = createOnce(async () => ok(String(++calls)), { keyOf, answers: 'keep' });
    expect([await once(asks('a', 0)), await once(asks('a', 1))]).toEqual([ok('1'), ok('2')]);
  });

  test('an error is shared too, so that nobody pays for the same refusal again', async () => {
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

  test('a call that was stopped, or that threw, is asked again', async () => {
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

  test('answers that a store below keeps are let go', async () => {
    let calls = 0;
    const once = createOnce(async () => (calls++, ok('A')), { keyOf, answers: 'forget' });
    await Promise.all([once(asks('a')), once(asks('a'))]);
    await once(asks('a'));
    expect(calls).toBe(2);
  });
});
