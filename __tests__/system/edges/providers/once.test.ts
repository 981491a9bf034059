import { describe, expect, test } from '@jest/globals';
import { createOnce } from '../../../../src/edges/providers/once.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { requestTo, says } from '../../../unit/edges/providers/providers-setting.ts';

const ok = (output: string): Completion => ({
  status: 'ok',
  output,
  finish_reason: 'stop',
  tool_calls: [],
  usage: null,
  latency_ms: 12,
  reused: false,
});
const keyOf = (request: Request): string => `${request.messages[0]?.content} ${request.try}`;
const asks = (content: string, attempt = 0): Request =>
  requestTo('openai', { messages: says(content), try: attempt });

describe('one completion per request', () => {
  test('is shared by all who ask while it is under way and afterwards, and marked as reused for them', async () => {
    const made: string[] = [];
    let answer = (_completion: Completion): void => {};
    const once = createOnce(
      (request) => {
        made.push(keyOf(request));
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      { keyOf, answers: 'keep' },
    );
    const both = [once(asks('a')), once(asks('a'))];
    answer(ok('A'));
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
      const once = createOnce(
        async () => {
          calls++;
          return error;
        },
        { keyOf, answers },
      );
      expect([await once(asks('a')), await once(asks('a'))]).toEqual([
        error,
        { ...error, unsent: true },
      ]);
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
    const once = createOnce(async () => (results.shift() ?? (() => ok('none')))(), {
      keyOf,
      answers: 'keep',
    });
    expect((await once(asks('a'))).status).toBe('error');
    await expect(once(asks('a'))).rejects.toThrow('bug');
    expect(await once(asks('a'))).toEqual(ok('A'));
  });

  test('answers that a store below keeps are let go', async () => {
    let calls = 0;
    const once = createOnce(
      async () => {
        calls++;
        return ok('A');
      },
      { keyOf, answers: 'forget' },
    );
    await Promise.all([once(asks('a')), once(asks('a'))]);
    await once(asks('a'));
    expect(calls).toBe(2);
  });
});
