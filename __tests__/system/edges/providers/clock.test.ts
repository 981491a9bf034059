import { createDeadlines, type Clock } from '../../../../src/edges/providers/clock.ts';

/**
 * A clock that the test moves. Sleeps can end up to `early` milliseconds too soon, like real
 * timers.
 */
function clockOf(early = 0): Clock & { sleeps: number; move(ms: number): Promise<void> } {
  let now = 0;
  const sleeping = new Set<{ at: number; end(): void }>();
  const clock = {
    sleeps: 0,
    now: () => now,
    sleep(ms: number, signal: AbortSignal) {
      clock.sleeps++;
      return new Promise<void>((resolve, reject) => {
        const entry = { at: now + Math.max(1, ms - early), end: resolve };
        sleeping.add(entry);
        signal.addEventListener(
          'abort',
          () => {
            sleeping.delete(entry);
            reject(new Error('aborted'));
          },
          { once: true },
        );
      });
    },
    async move(ms: number) {
      for (const end = now + ms; now < end; now++) {
        for (let turns = 0; turns < 5; turns++) await Promise.resolve();
        for (const entry of [...sleeping])
          if (entry.at <= now + 1) {
            sleeping.delete(entry);
            entry.end();
          }
      }
      for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    },
  };
  return clock;
}

describe('deadlines with the same timeout', () => {
  test.each([0, 3])('expire on time even if timers fire %i ms early', async (early) => {
    const clock = clockOf(early);
    const start = createDeadlines(clock, 100);
    const passed: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      start(() => passed.push(`${name} ${clock.now()}`));
      await clock.move(30);
    }
    await clock.move(200);
    expect(passed).toEqual(['a 100', 'b 130', 'c 160']);
  });

  test('do not expire if cancelled, while other deadlines still do', async () => {
    const clock = clockOf();
    const start = createDeadlines(clock, 100);
    const passed: string[] = [];
    const disarm = ['a', 'b', 'c'].map((name) => start(() => passed.push(name)));
    disarm[0]!();
    disarm[1]!();
    await clock.move(100);
    expect(passed).toEqual(['c']);
    disarm[2]!();
    start(() => passed.push('d'));
    await clock.move(100);
    expect(passed).toEqual(['c', 'd']);
  });

  test('share one timer, and use none when nothing is pending', async () => {
    const clock = clockOf();
    const start = createDeadlines(clock, 100);
    const disarm = Array.from({ length: 1000 }, () => start(() => {}));
    expect(clock.sleeps).toBe(1);
    for (const each of disarm) each();
    await clock.move(300);
    expect(clock.sleeps).toBe(1);
  });
});
