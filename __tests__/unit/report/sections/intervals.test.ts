import { pairedMean, tQuantile } from '../../../../src/report/sections/intervals.ts';

describe("Student's t distribution", () => {
  // Values from a printed table of the distribution.
  test.each([
    [0.95, 2, 2.92],
    [0.95, 4, 2.132],
    [0.95, 9, 1.833],
    [0.95, 30, 1.697],
    [0.975, 2, 4.303],
    [0.975, 5, 2.571],
    [0.975, 20, 2.086],
  ])('has the quantile %p at %p degrees of freedom', (p, freedom, table) => {
    const error = Math.abs(tQuantile(p, freedom) / table - 1);
    expect(error).toBeLessThan(freedom < 5 ? 0.03 : 0.001);
  });
});

describe('the mean of paired differences', () => {
  test('has the interval of a textbook example', () => {
    // Student's sleep data (1908), difference of the two drugs: mean 1.58, s = 1.2300, n = 10; 90 %
    // is 1.58 ± 1.8331 × 0.38896.
    const found = pairedMean([1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]);
    expect(found?.difference).toBeCloseTo(1.58, 10);
    expect(found?.low).toBeCloseTo(0.867, 3);
    expect(found?.high).toBeCloseTo(2.293, 3);
  });

  test.each([
    [[1, 1, 1, 1], 1],
    [[1, 3], 2],
    [[0.1], 0.1],
  ])('has no interval if the spread is unknown: %j', (values, difference) =>
    expect(pairedMean(values)).toEqual({ difference, low: null, high: null }),
  );

  test('is null without values', () => expect(pairedMean([])).toBeNull());
});
