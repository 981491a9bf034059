import { describe, expect, test } from '@jest/globals';
import { createActivity } from '../../../../src/edges/providers/clock.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function turns(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await turn();
}

describe('activity', () => {
  test('is quiet where nothing is under way', async () => {
    await expect(createActivity(turn).quiet()).resolves.toBeUndefined();
  });

  test('is quiet only after all that is under way, and what that begins, has ended', async () => {
    const activity = createActivity(turn);
    const ends: (() => void)[] = [];
    const work = (): Promise<void> =>
      activity.during(() => new Promise((resolve) => ends.push(resolve)));
    let quiet = false;
    const first = work();
    const waiting = activity.quiet().then(() => {
      quiet = true;
    });
    await turns(20);
    const second = first.then(work);
    ends[0]?.();
    await turns(20);
    expect([ends.length, quiet]).toEqual([2, false]);
    ends[1]?.();
    await second;
    await waiting;
    expect(quiet).toBe(true);
  });

  test('counts what began and ended within one turn', async () => {
    const activity = createActivity(turn);
    let seen = 0;
    const watched = createActivity(async () => {
      seen += 1;
      if (seen < 10) await watched.during(() => Promise.resolve());
      await turn();
    });
    await watched.quiet();
    expect(seen).toBeGreaterThanOrEqual(12);
    await activity.quiet();
  });

  test('is over for work that fails', async () => {
    const activity = createActivity(turn);
    await expect(activity.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await activity.quiet();
  });
});
