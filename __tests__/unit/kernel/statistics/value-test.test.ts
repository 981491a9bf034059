import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { valueTest, type Values } from '../../../../src/kernel/statistics/value-test.ts';
import fc, { draws, forAll } from '../../../fuzz.ts';
import { rows, tablesOf } from './vectors.ts';

const alone = (items: readonly Values[]) => items.map(() => null);
const run = (items: readonly Values[], clusters: (string | null)[] = alone(items)) =>
  valueTest(items, clusters, createRandom(1))!;
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Every subset of `k` of `n` indices. */
function picks(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  if (n < k) return [];
  return [...picks(n - 1, k), ...picks(n - 1, k - 1).map((pick) => [...pick, n - 1])];
}

/**
 * Every permutation of whole tries between the sides; the items of a group are permuted together.
 */
function deals(items: readonly Values[], groups: readonly number[][]) {
  let all = [items.map((item) => item)];
  for (const group of groups) {
    const { base, head } = items[group[0]!]!;
    const ways = picks(base.length + head.length, head.length);
    all = all.flatMap((dealt) =>
      ways.map((way) =>
        dealt.map((item, i) => {
          if (!group.includes(i)) return item;
          const pool = [...items[i]!.head, ...items[i]!.base];
          return {
            head: pool.filter((_, at) => way.includes(at)),
            base: pool.filter((_, at) => !way.includes(at)),
          };
        }),
      ),
    );
  }
  return all;
}

const differenceOf = (items: readonly Values[]) =>
  mean(items.map(({ base, head }) => mean(head as number[]) - mean(base as number[])));

/** Mean rank (0–1) of each value among all tries of its item; ties count half. */
const ranked = (items: readonly Values[]): Values[] =>
  items.map(({ base, head }) => {
    const all = [...base, ...head] as number[];
    const rank = (value: number | null) =>
      mean(all.map((other) => (other < value! ? 1 : other === value ? 0.5 : 0)));
    return { base: base.map(rank), head: head.map(rank) };
  });

/**
 * Tail probabilities (lower, upper, two-sided) of mean and ranks combined, over every permutation.
 */
function bruteTails(items: readonly Values[], groups: readonly number[][]) {
  const all = deals(items, groups);
  const [means, ranks] = [items, ranked(items)].map((each) => {
    const found = deals(each, groups).map(differenceOf);
    const spread = Math.sqrt(mean(found.map((difference) => difference ** 2))) || 1;
    return { of: found.map((z) => z / spread), seen: differenceOf(each) / spread };
  });
  const share = (far: (pair: number[]) => number) => {
    const seen = far([means!.seen, ranks!.seen]);
    const found = all.map((_, at) => far([means!.of[at]!, ranks!.of[at]!]) - seen);
    const more = found.filter((by) => by > 1e-9).length;
    return (more + found.filter((by) => Math.abs(by) <= 1e-9).length / 2) / found.length;
  };
  return {
    down: share((pair) => -Math.min(...pair)),
    up: share((pair) => Math.max(...pair)),
    differs: share((pair) => Math.max(...pair.map(Math.abs))),
  };
}

/** Mid-p of "head's mean is lower" over every permutation, after subtracting `shift` from head. */
function bruteDown(items: readonly Values[], groups: readonly number[][], shift = 0) {
  const shifted = items.map(({ base, head }) => ({
    base,
    head: head.map((value) => (value as number) - shift),
  }));
  const observed = differenceOf(shifted);
  const all = deals(shifted, groups).map(differenceOf);
  const below = all.filter((value) => value < observed - 1e-9).length;
  const at = all.filter((value) => Math.abs(value - observed) <= 1e-9).length;
  return (below + at / 2) / all.length;
}

const small: Values[] = [
  { base: [0.9, 0.8], head: [0.5, 0.7] },
  { base: [0.4, 0.6], head: [0.4, 0.2] },
  { base: [1, 0.7, 0.9], head: [0.6, 0.9] },
];

describe('valueTest', () => {
  test.each([
    ['different numbers of tries', small],
    ['one try per side', [0.7, 0.6, 0.5].map((value) => ({ base: [value], head: [value - 0.1] }))],
    [
      'ties, and an item whose values are all equal',
      [
        { base: [1, 1, 0], head: [1, 0] },
        { base: [3, 3], head: [3, 3] },
        { base: [0.2], head: [0.9] },
      ],
    ],
  ])('gives the smallest p that a fall of the mean could have (%s)', (_what, items) => {
    const groups = items.map((_, at) => [at]);
    const means = deals(items, groups).map(differenceOf);
    const lowest = means.filter((value) => value <= Math.min(...means) + 1e-9).length;
    expect(run(items).least).toBeCloseTo(lowest / means.length / 2, 12);
  });

  test('agrees with a full enumeration in p, means and both ends of the interval', () => {
    const groups = [[0], [1], [2]];
    const found = run(small);
    expect(found).toMatchObject({
      items: 3,
      base: expect.closeTo(mean([0.85, 0.5, 2.6 / 3]), 12),
      head: expect.closeTo(mean([0.6, 0.3, 0.75]), 12),
      difference: expect.closeTo(differenceOf(small), 12),
    });
    const tails = bruteTails(small, groups);
    expect(found.down).toBeCloseTo(tails.down, 12);
    expect(found.up).toBeCloseTo(tails.up, 12);
    expect(found.differs).toBeCloseTo(tails.differs, 12);
    // A shift just inside the interval is not rejected; one just outside is.
    const tail = (shift: number) => {
      const down = bruteDown(small, groups, shift);
      return Math.min(down, 1 - down);
    };
    const check = (end: number, inside: number) => {
      expect(tail(end + inside * 1e-6)).toBeGreaterThanOrEqual(0.05);
      expect(tail(end - inside * 1e-6)).toBeLessThan(0.05);
    };
    check(found.low!, 1);
    check(found.high!, -1);
  });

  test('permutes the tries of a cluster together', () => {
    const items: Values[] = [
      { base: [5, 4], head: [2, 3] },
      { base: [4, 4], head: [1, 3] },
      { base: [3, 5], head: [3, 2] },
    ];
    const found = run(items, ['t', 't', null]);
    expect(found.down).toBeCloseTo(bruteTails(items, [[0, 1], [2]]).down, 12);
    expect(found.down).toBeGreaterThan(run(items).down);
    expect(found.difference).toBeCloseTo(differenceOf(items), 12);
  });

  test.each([1e-300, 1e200, 1.7e308])(
    'does not report a change because of a single value of %d',
    (huge) => {
      const items: Values[] = Array.from({ length: 20 }, (_, i) => ({
        base: [1, 2, i],
        head: i === 0 ? [huge, huge, 0] : [2, 1, i],
      }));
      const { head, down, up, differs } = run(items);
      expect(Number.isFinite(head)).toBe(true);
      expect(Math.min(down, up, differs)).toBeGreaterThan(0.01);
      const same = run(items.map(() => ({ base: [huge, huge], head: [huge, huge] })));
      expect(same).toMatchObject({ difference: 0, down: 0.5, up: 0.5 });
      expect(same.head / huge).toBeCloseTo(1, 12);
    },
  );

  test('detects a drop of numbers of any magnitude', () => {
    for (const unit of [1e-300, 1, 1e307]) {
      const fell = Array.from({ length: 8 }, () => ({ base: [9, 8], head: [2, 1] }));
      const found = run(
        fell.map(({ base, head }) => ({
          base: base.map((value) => value * unit),
          head: head.map((value) => value * unit),
        })),
      );
      expect(found.down).toBeLessThan(1e-3);
      expect(found.difference / unit).toBeCloseTo(-7, 9);
    }
  });

  test('detects by ranks a change that one extreme value hides from the mean', () => {
    const items: Values[] = Array.from({ length: 20 }, (_, i) => ({
      base: i === 0 ? [1e6, 1] : [10 + i, 11 + i],
      head: [20 + i, 21 + i],
    }));
    const found = run(items);
    expect(found.difference).toBeLessThan(0);
    expect(found.up).toBeLessThan(0.001);
    expect(found.differs).toBeLessThan(0.001);
    expect(found.z.ranks).toBeGreaterThan(3);
    expect(found.z.mean).toBeLessThan(0);
  });

  test('agrees with the exact test of passes if all numbers are 0 or 1', () => {
    const sides = (passes: number, tries: number): number[] =>
      Array.from({ length: tries }, (_, i) => (i < passes ? 1 : 0));
    for (const copies of [1, 6]) {
      const one = rows([5, 5, 2, 5], [4, 5, 3, 5], [3, 5, 3, 5]);
      const given = Array.from({ length: copies }, () => one).flat();
      const items = given.map(([kB, nB, kH, nH]) => ({ base: sides(kB, nB), head: sides(kH, nH) }));
      const exact = suiteTest(tablesOf(given));
      expect(Math.abs(run(items).down - exact.midDown)).toBeLessThan(0.01);
    }
  });

  test('does not depend on scale or origin, and is symmetric', () => {
    const values = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 3 });
    const item = fc.record({ base: values, head: values });
    // Few enough values to enumerate all permutations: sampled ones would not be exactly symmetric.
    forAll(
      [fc.array(item, { minLength: 1, maxLength: 3 })],
      (items) => {
        const scale = (x: number | null) => 16 * (x ?? 0) + 5;
        const scaled = items.map(({ base, head }) => ({
          base: base.map(scale),
          head: head.map(scale),
        }));
        const mirrored = items.map(({ base, head }) => ({ base: head, head: base }));
        const [one, other, mirror] = [run(items), run(scaled), run(mirrored)];
        expect(other.down).toBeCloseTo(one.down, 9);
        expect(mirror.down).toBeCloseTo(one.up, 9);
        expect(mirror.differs).toBeCloseTo(one.differs, 9);
      },
      { numRuns: 60 },
    );
  });

  test('detects a drop of 0.3 on a 1–5 score in 50 references, and keeps its false-alarm rate', () => {
    const random = createRandom('scores');
    const noise = () => (nextFloat(random) + nextFloat(random) + nextFloat(random) - 1.5) * 1.2;
    const drawn = (fall: number): Values[] =>
      Array.from({ length: 50 }, () => {
        const own = 1 + 4 * nextFloat(random);
        const two = (from: number) => [from + noise(), from + noise()];
        return { base: two(own), head: two(own - fall) };
      });
    const length = Math.max(20, draws(40));
    const share = (fall: number) =>
      mean(Array.from({ length }, () => (run(drawn(fall)).down <= 0.05 ? 1 : 0)));
    expect(share(0.3)).toBeGreaterThan(0.8);
    expect(share(0)).toBeLessThan(0.2);
  });

  test('excludes references without numbers on a side, and tries without a number', () => {
    const found = run([
      { base: [1, null], head: [0, 0] },
      { base: [], head: [3] },
      { base: [null], head: [3] },
    ]);
    expect(found).toMatchObject({ items: 1, base: 1, head: 0, difference: -1 });
    expect(found.down).toBeCloseTo(bruteTails([{ base: [1], head: [0, 0] }], [[0]]).down, 12);
    expect(valueTest([{ base: [], head: [1] }], [null], createRandom(1))).toBeNull();
    expect(valueTest([], [], createRandom(1))).toBeNull();
  });

  test('ignores a cluster member in tries where it has no number', () => {
    const items: Values[] = [
      { base: [2, 2], head: [1, 1] },
      { base: [2, null], head: [1, 1] },
    ];
    expect(run(items, ['t', 't'])).toMatchObject({ items: 2, difference: -1, down: 1 / 12 });
  });

  test('returns no interval if all differences are equal or there are too few items', () => {
    const equal = Array.from({ length: 6 }, () => ({ base: [0.95], head: [0.55] }));
    expect(run(equal)).toMatchObject({ low: null, high: null, down: 1 / 128 });
    expect(run(equal.map(({ base }) => ({ base, head: base })))).toMatchObject({
      difference: 0,
      down: 0.5,
      up: 0.5,
      low: null,
    });
    expect(run([{ base: [1], head: [0.5] }])).toMatchObject({ low: null, high: null });
  });

  test('is deterministic for a seed', () => {
    const items = Array.from({ length: 30 }, (_, i) => ({ base: [i % 7], head: [(i * 3) % 5] }));
    expect(run(items)).toEqual(run(items));
  });
});
