import { describe, expect, test } from '@jest/globals';
import { inWindow } from '../../../../src/kernel/ask/execute.ts';

describe('working in a window', () => {
  test('returns results in the order of the items, whatever the order in which they end', async () => {
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

  test('never has more items in progress than its size, and starts them in order', async () => {
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

  test('returns nothing for no items', async () => {
    expect(await inWindow([], () => Promise.reject(new Error('not called')))).toEqual([]);
  });
});
