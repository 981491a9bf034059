import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import { explodedItems } from '../../../../src/kernel/statistics/exploded.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import type { Values } from '../../../../src/kernel/statistics/value-test.ts';

const items = (count: number, draw: (side: 'base' | 'head', at: number) => number[]): Values[] =>
  Array.from({ length: count }, (_, at) => ({ base: draw('base', at), head: draw('head', at) }));

const near = (at: number) => [100 + at, 104 + at];

describe('exploded items (whose numbers moved far more than all others)', () => {
  test('are found only if every try moved far more than the other items', () => {
    const draw = (side: 'base' | 'head', at: number) =>
      side === 'head' && at === 3 ? [100_000, 90_000] : near(at);
    expect(explodedItems(items(20, draw), 2)).toEqual([3]);
    const fell = (side: 'base' | 'head', at: number) => draw(side === 'base' ? 'head' : 'base', at);
    expect(explodedItems(items(20, fell), 2)).toEqual([3]);
  });

  test('are not found if all items move together or one moves less than twice as far', () => {
    const all = items(20, (side, at) => near(at).map((v) => (side === 'head' ? 1000 * v : v)));
    expect(explodedItems(all, 2)).toEqual([]);
    const one = items(20, (side, at) => (side === 'head' && at === 3 ? [180, 190] : near(at)));
    expect(explodedItems(one, 2)).toEqual([]);
  });

  test('are at most three, and an item is removed if a later try has an ordinary value', () => {
    const cleared = items(20, (side, at) =>
      side === 'head' && at === 3 ? [100_000, 90_000, 100] : [...near(at), 101],
    );
    expect(explodedItems(cleared, 2)).toEqual([]);
    const five = items(20, (side, at) => (side === 'head' && at < 5 ? [1e5 + at, 1e5] : near(at)));
    expect(explodedItems(five, 2)).toHaveLength(3);
  });

  test('require five items with numbers on both sides', () => {
    const draw = (side: 'base' | 'head', at: number) =>
      side === 'head' && at === 0 ? [100_000] : near(at);
    expect(explodedItems(items(4, draw), 2)).toEqual([]);
    expect(explodedItems([...items(4, draw), { base: [1], head: [null] }], 2)).toEqual([]);
    expect(explodedItems(items(5, draw), 2)).toEqual([0]);
  });

  test('are rarely found if nothing changed', () => {
    const random = createRandom('exploded');
    const normal = () => normalQuantile(nextFloat(random));
    const laws = [
      () => 100 * Math.exp(0.5 * normal()),
      () => 10 * (1 - nextFloat(random)) ** (-1 / 1.1),
      () => 3 + 0.6 * normal(),
    ];
    for (const law of laws) {
      const called = Array.from({ length: 300 }, () =>
        explodedItems(
          items(50, () => [law(), law(), law(), law()]),
          2,
        ),
      ).filter(({ length }) => length > 0).length;
      expect(called).toBeLessThanOrEqual(3);
    }
  });
});
