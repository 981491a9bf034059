import {
  capPriors,
  outwardBounds,
  priorsOf,
} from '../../../../src/features/attributes/assignment-program.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { LP_INSTANCES } from './lp-instances.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const priors = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 })
  .filter((raw) => sum(raw) > 0.001)
  .map((raw) => raw.map((value) => value / sum(raw)));

const priorsIn = (rows: readonly (readonly (number | null)[])[], columns: number) =>
  priorsOf([...Array(columns).keys()], (column) => rows.flatMap((row) => row[column] ?? []));

const instances = LP_INSTANCES.map((instance) => [instance.name, instance] as const);

describe('priors (the expected share of each attribute)', () => {
  test.each(instances)('of %s are the normalized mean ratings', (_, { scores, priors: known }) => {
    const found = priorsIn(scores, known.length);
    found.forEach(({ prior, mean }, column) => {
      expect(prior).toBeCloseTo(known[column]!, 10);
      expect(mean).toBeCloseTo(sum(scores.map((row) => row[column]!)) / scores.length, 12);
    });
  });

  test('count only rated references', () => {
    const rows = [
      [4, null],
      [2, 1],
      [null, null],
    ];
    expect(priorsIn(rows, 2)).toEqual([
      { column: 0, mean: 3, prior: 0.75 },
      { column: 1, mean: 1, prior: 0.25 },
    ]);
    expect(priorsIn([[5, null]], 2)).toEqual([
      { column: 0, mean: 5, prior: 1 },
      { column: 1, mean: null, prior: 0 },
    ]);
  });

  test.each([
    [
      [0.7, 0.2, 0.1],
      [0.5, 1 / 3, 1 / 6],
    ],
    [
      [0.9, 0.09, 0.01],
      [0.5, 0.45, 0.05],
    ],
    [
      [1, 0, 0],
      [0.5, 0.25, 0.25],
    ],
  ])('above the limit shrink to it, and the others grow in proportion: %j', (given, wanted) => {
    expect(capPriors(given, 0.5)).toEqual(wanted.map((prior) => expect.closeTo(prior)));
  });

  test('keep their sum and order when limited', () => {
    forAll([priors], (given) => {
      const capped = capPriors(given, 0.5);
      expect(sum(capped)).toBeCloseTo(1, 9);
      expect(Math.max(...capped)).toBeLessThanOrEqual(0.5 + 1e-9);
      given.forEach((value, i) =>
        given.forEach((other, j) => {
          if (value > other) expect(capped[i]!).toBeGreaterThanOrEqual(capped[j]! - 1e-9);
        }),
      );
    });
  });
});

describe('bounds on the number of references per attribute', () => {
  test.each(instances)(
    'for %s equal the bounds that another solver computed',
    (_, { scores, priors: given, lower, upper }) => {
      const bounds = outwardBounds(given, { references: scores.length, each: 2, slack: 0.1 });
      expect(bounds).toEqual(lower.map((least, i) => ({ least, most: upper[i] })));
    },
  );

  test('always allow a solution, and differ from the limited priors by at most the allowed deviation plus one reference', () => {
    const size = fc.integer({ min: 1, max: 5000 });
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    forAll([priors, size, part], (given, references, slack) => {
      const bounds = outwardBounds(given, { references, each: 2, slack });
      bounds.forEach(({ least, most }, column) => {
        expect(Number.isInteger(least) && Number.isInteger(most)).toBe(true);
        expect(least).toBeGreaterThanOrEqual(0);
        expect(least).toBeLessThanOrEqual(most);
        expect(most).toBeLessThanOrEqual(references);
        const wanted = 2 * references * capPriors(given, 0.5)[column]!;
        expect(least).toBeGreaterThan(wanted * (1 - slack) - 1);
        expect(most).toBeLessThan(wanted * (1 + slack) + 1);
      });
      expect(sum(bounds.map(({ least }) => least))).toBeLessThanOrEqual(2 * references);
      expect(sum(bounds.map(({ most }) => most))).toBeGreaterThanOrEqual(2 * references);
    });
  });

  test('are not affected by floating-point noise', () => {
    const bounds = outwardBounds([0.1 + 0.2, 0.7 - 1e-17, 0], {
      references: 50,
      each: 1,
      slack: 0.1,
    });
    expect(bounds).toEqual([
      { least: 13, most: 17 },
      { least: 31, most: 39 },
      { least: 0, most: 0 },
    ]);
  });
});
