import { inWindow } from '../../../../src/kernel/ask/execute.ts';

describe('inWindow', () => {
  test('returns results in the order of the items, not of completion', async () => {
    const ends: (() => void)[] = [];
    const results = inWindow(
      [1, 2, 3],
      (item) =>
        new Promise<number>((resolve) => {
          ends.push(() => {
            resolve(item * 10);
          });
        }),
      3,
    );
    for (const end of ends.toReversed()) end();
    expect(await results).toEqual([10, 20, 30]);
  });

  test('never exceeds its size and starts items in order', async () => {
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;
    await inWindow(
      Array.from({ length: 50 }, (_, index) => index),
      async (item) => {
        begun.push(item);
        most = Math.max(most, ++underWay);
        await Promise.resolve();
        underWay -= 1;
      },
      4,
    );
    expect(most).toBe(4);
    expect(begun).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test('returns an empty list for no items', async () => {
    expect(await inWindow([], () => Promise.reject(new Error('not called')))).toEqual([]);
  });
});
