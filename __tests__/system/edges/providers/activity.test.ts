import { createActivity } from '../../../../src/edges/providers/clock.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function turns(count: number) {
  for (let index = 0; index < count; index += 1) await turn();
}

describe('the activity counter', () => {
  test('is idle if nothing is running', async () => {
    await expect(createActivity(turn).quiet()).resolves.toBeUndefined();
  });

  test('is idle only after all running work, and the work it starts, has ended', async () => {
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

  test('counts work that starts and ends within one turn of the event loop', async () => {
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

  test('no longer counts work that failed', async () => {
    const activity = createActivity(turn);
    await expect(activity.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await activity.quiet();
  });
});
