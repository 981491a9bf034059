import { fault } from '../../../../src/edges/providers/fault.ts';
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
} from '../../../../src/edges/providers/limit.ts';
import { testClock, type TestClock } from '../../../unit/edges/providers/providers-setting.ts';

const limitedFault = fault('rate-limit', 'slow down', { retry: 'limited' });
const failedFault = fault('server', 'down', { retry: 'later' });
const unreachedFault = fault('network', 'no', { retry: 'later', unreached: true });
const answered = { kind: 'answered', latencyMs: 10, waitMs: 0 } as const;

function limiter(more: Partial<LimiterOptions> = {}): Limiter & { clock: TestClock } {
  const clock = testClock();
  return {
    clock,
    ...createLimiter({
      concurrency: { start: 2, max: 2 },
      maxTries: 3,
      clock,
      signal: new AbortController().signal,
      ...more,
    }),
  };
}

async function go(from: Limiter, again = false) {
  const entry = await from.acquire(again);
  if (entry.status !== 'go') throw new Error(`not let in: ${entry.status}`);
  return entry;
}

describe('a limiter of model calls', () => {
  test('makes other calls wait if all slots are in use, and admits retries before new calls', async () => {
    const crowded = limiter();
    const holders = [await go(crowded), await go(crowded)];
    const order: string[] = [];
    for (const name of ['a', 'b', 'again'])
      void crowded.acquire(name === 'again').then(() => order.push(name));
    await Promise.resolve();
    expect(order).toEqual([]);
    for (const { ticket } of holders) crowded.release(ticket, answered);
    await Promise.resolve();
    expect(order).toEqual(['again', 'a']);
    expect(crowded.stats()).toMatchObject({ calls: 4, answered: 2 });
  });

  test('halves its limit only once if all running calls meet the same rate limit', async () => {
    const wide = limiter({ concurrency: { start: 16, max: 16 } });
    const entries = await Promise.all(Array.from({ length: 16 }, () => go(wide)));
    const told = entries.map(({ ticket }) =>
      wide.release(ticket, { kind: 'limited', waitMs: 5, fault: limitedFault }),
    );
    expect(told.map(({ first }) => first)).toEqual([true, ...Array(15).fill(false)]);
    expect(wide.stats()).toMatchObject({ limit: 8 });
  });

  test('waits for the longest pause that the server requested, then continues', async () => {
    const resting = limiter();
    const [first, second] = [await go(resting), await go(resting)];
    resting.release(first.ticket, { kind: 'limited', waitMs: 500, fault: limitedFault });
    resting.release(second.ticket, { kind: 'limited', waitMs: 3000, fault: limitedFault });
    const before = resting.clock.now();
    await go(resting);
    expect(resting.clock.now() - before).toBeGreaterThanOrEqual(2500);
  });

  test('pauses requests to a server that answers but has no quota left', async () => {
    const resting = limiter();
    const { ticket } = await go(resting);
    resting.release(ticket, { ...answered, waitMs: 700 });
    await go(resting);
    expect(resting.clock.pauses).toEqual([700]);
  });

  test('stops after lasting failures, rejects all waiting calls, and tests the server with one call', async () => {
    const dying = limiter({ concurrency: { start: 1, max: 1 } });
    const waiting = Array.from({ length: 6 }, () => go(dying));
    for (let round = 1; round <= 3; round++) {
      const { ticket } = await waiting.shift()!;
      await dying.clock.sleep(24_000, new AbortController().signal, 'pause');
      expect(dying.release(ticket, { kind: 'failed', fault: failedFault })).toEqual({
        down: round === 3 ? failedFault : null,
        first: true,
      });
    }
    await expect(Promise.all(waiting)).rejects.toThrow('not let in: down');
    const probe = await go(dying);
    expect(await dying.acquire(false)).toEqual({ status: 'down', fault: failedFault });
    expect(dying.release(probe.ticket, answered).down).toBeNull();
    expect((await go(dying)).status).toBe('go');
  });

  test('counts failures from zero again after an answer arrives', async () => {
    const shaky = limiter();
    for (let round = 0; round < 10; round++) {
      const failing = await go(shaky);
      await shaky.clock.sleep(36_000, new AbortController().signal, 'pause');
      expect(shaky.release(failing.ticket, { kind: 'failed', fault: failedFault }).down).toBeNull();
      shaky.release((await go(shaky)).ticket, { kind: 'refused' });
    }
  });

  test('stops calling a server permanently after three refused connections without an answer', async () => {
    const refused = { kind: 'failed', fault: unreachedFault } as const;
    const lost = limiter();
    const refusals = async (count: number) => {
      for (let i = 0; i < count; i++) lost.release((await go(lost)).ticket, refused);
    };
    await refusals(2);
    lost.release((await go(lost)).ticket, { kind: 'refused' });
    await refusals(2);
    lost.release((await go(lost)).ticket, { kind: 'failed', fault: failedFault });
    await refusals(2);
    const [last, late] = [await go(lost), await go(lost)];
    const { down } = lost.release(last.ticket, refused);
    expect(down).toMatchObject({ scope: 'server', retry: 'never' });
    expect(lost.release(late.ticket, answered).down).toBe(down);
    expect(await lost.acquire(true)).toEqual({ status: 'down', fault: down });
  });

  test('does not stop because of connections that are refused at the same time', async () => {
    const wide = limiter({ concurrency: { start: 16, max: 16 } });
    const entries = await Promise.all(Array.from({ length: 16 }, () => go(wide)));
    for (const { ticket } of entries)
      wide.release(ticket, { kind: 'failed', fault: unreachedFault });
    expect((await go(wide)).status).toBe('go');
  });

  test('stops calling a server permanently when it refuses the key', async () => {
    const closed = limiter();
    const keyFault = fault('key', '401, the server rejected the key', { scope: 'server' });
    const [first, second] = [await go(closed), await go(closed)];
    const waiting = closed.acquire(false);
    expect(closed.release(first.ticket, { kind: 'failed', fault: keyFault }).down).toBe(keyFault);
    expect(await waiting).toEqual({ status: 'down', fault: keyFault });
    closed.release(second.ticket, answered);
    expect((await closed.acquire(false)).status).toBe('down');
  });

  test('rejects all waiting and later calls on the stop signal', async () => {
    const stop = new AbortController();
    const stopped = limiter({ signal: stop.signal });
    await go(stopped);
    await go(stopped);
    const waiting = Array.from({ length: 10_000 }, () => stopped.acquire(false));
    stop.abort();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual(['aborted']);
    expect(await stopped.acquire(true)).toEqual({ status: 'aborted' });
  });

  test('frees the slot of a call that was not sent, and does not count it as answered', async () => {
    const single = limiter({ concurrency: { start: 1, max: 1 } });
    single.release((await go(single)).ticket, { kind: 'unsent' });
    expect((await go(single)).status).toBe('go');
    expect(single.stats()).toMatchObject({ calls: 2, answered: 0 });
  });
});
