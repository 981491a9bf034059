import type { Clock } from '../../../../src/edges/providers/clock.ts';
import { fault } from '../../../../src/edges/providers/fault.ts';
import { createLimiter } from '../../../../src/edges/providers/limit.ts';
import { createPacer } from '../../../../src/edges/providers/pace.ts';
import { withRetries } from '../../../../src/edges/providers/retry.ts';
import { vendorUrls } from '../../../stand-ins/models/server.ts';
import { START, testClock } from '../../../unit/edges/providers/providers-setting.ts';
import { turn } from './setting.ts';
import { start } from './started.ts';

const never = new AbortController().signal;
const limiterOf = (max: number, clock: Clock, signal: AbortSignal) =>
  createLimiter({
    concurrency: { start: max, max },
    maxTries: 5,
    clock,
    signal,
  });

test('a call that waits to be retried reports the reason if the run stops', async () => {
  const clock = testClock();
  const stop = new AbortController();
  const limiter = limiterOf(1, clock, stop.signal);
  const limited = fault('rate-limit', '429, rate limited', { retry: 'limited', waitMs: 9000 });
  const options = { limiter, maxTries: 5, clock, signal: stop.signal, random: () => 0, log() {} };
  const attempt = () => {
    stop.abort();
    return Promise.resolve({ status: 'fault' as const, fault: limited, sent: true });
  };
  expect(await withRetries(attempt, options)).toMatchObject({
    fault: {
      kind: 'aborted',
      message: 'stopped before an answer came; before that: 429, rate limited',
    },
  });
  expect(await withRetries(attempt, options)).toMatchObject({
    fault: { kind: 'aborted', message: 'stopped before an answer came' },
  });
});

describe("the user's rate limit", () => {
  test('spreads requests over the minute', async () => {
    const clock = testClock();
    const pacer = createPacer(clock, never);
    pacer.tighten({ concurrency: null, requests_per_minute: 20 });
    const sent: number[] = [];
    for (let index = 0; index < 4; index++) {
      await pacer.turn();
      sent.push(clock.now() - START);
    }
    expect(sent).toEqual([0, 3000, 6000, 9000]);
  });

  test('is respected by calls that all waited for a pause requested by the server', async () => {
    const clock = testClock(['pause']);
    const pacer = createPacer(clock, never);
    pacer.tighten({ concurrency: null, requests_per_minute: 60 });
    const limiter = limiterOf(8, clock, never);
    const sent: number[] = [];
    const rest = fault('rate-limit', 'slow down', { retry: 'limited', waitMs: 30_000 });
    const call = () =>
      withRetries(
        () => {
          sent.push(clock.now() - START);
          return Promise.resolve(
            sent.length === 2
              ? { status: 'fault', fault: rest, sent: true }
              : { status: 'ok', value: 'there', latencyMs: 1, waitMs: 0 },
          );
        },
        { limiter, pacers: [pacer], maxTries: 5, clock, signal: never, random: () => 0, log() {} },
      );
    let over = false;
    const all = Promise.all(Array.from({ length: 6 }, call)).finally(() => (over = true));
    while (!over) {
      await turn();
      clock.expire(250);
    }
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set(['ok']));
    // The pause starts with the second request.
    expect(sent).toEqual([0, 1000, ...[31, 32, 33, 34, 35].map((second) => second * 1000)]);
  });

  test('is the lower one if base and head set different limits', async () => {
    const clock = testClock();
    const pacer = createPacer(clock, never);
    pacer.tighten({ concurrency: null, requests_per_minute: 20 });
    pacer.tighten({ concurrency: null, requests_per_minute: 60 });
    await pacer.turn();
    await pacer.turn();
    expect(clock.now() - START).toBe(3000);
  });

  test('caps the concurrent calls of a model without affecting other models', async () => {
    const setting = await start('openai', () => ({ delayMs: 5 }));
    const pace = { concurrency: 2, requests_per_minute: null };
    const target = { provider: 'openai', endpoint: null, model: 'model-1', pace } as const;
    await setting.ask();
    const twelve = (asked: Parameters<typeof setting.ask>[0]) =>
      Promise.all(Array.from({ length: 12 }, (_, index) => setting.ask({ ...asked, try: index })));
    await twelve({ target });
    expect(setting.server.peak()).toBe(2);
    await twelve({ model: 'model-2' });
    expect(setting.server.peak()).toBeGreaterThan(2);
  });

  test('of an endpoint applies to all its models', async () => {
    const first = await start('openai', () => ({ delayMs: 5 }));
    const url = vendorUrls(first.server).openai;
    const server = { url, key: null, concurrency: 1, requests_per_minute: 60 };
    const setting = await start('openai', () => ({}), { endpoints: new Map([['local', server]]) });
    const asked = ['a', 'b', 'c', 'd'].map((model) =>
      setting.ask({ target: { provider: 'openai', endpoint: 'local', model } }),
    );
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe('ok');
    expect(first.server.peak()).toBe(1);
    expect(setting.clock.now() - START).toBeGreaterThanOrEqual(3000);
  });
});
