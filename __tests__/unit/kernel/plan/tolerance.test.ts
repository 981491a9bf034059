import {
  designOf,
  shrunkVariance,
  visibleDrop,
  withinVariance,
} from '../../../../src/kernel/plan/tolerance.ts';
import { agreesWithVectors, repeat, rows, tablesOf, type Row } from '../statistics/vectors.ts';

const design = { references: 50, tries: { base: 5, head: 5 }, variance: 0.05, rate: 0.8 };

describe('withinVariance', () => {
  agreesWithVectors<{ refs: Row[] }, number>('withinVarHat', ({ refs }, expected) => [
    [withinVariance(tablesOf(refs)), expected],
  ]);

  test('is null if no reference has repeated tries', () => {
    const given = rows([1, 1, 0, 0], [0, 0, 0, 0]);
    expect(withinVariance([])).toBeNull();
    expect(withinVariance(tablesOf(given))).toBeNull();
  });

  test('is averaged with the default variance 0.05, which counts as much as ten references', () => {
    expect(shrunkVariance([])).toBe(0.05);
    expect(shrunkVariance(tablesOf(repeat(10, [5, 5, 5, 5])))).toBeCloseTo(0.025, 12);
    expect(shrunkVariance(tablesOf(repeat(990, [1, 2, 1, 2])))).toBeCloseTo(0.4955, 12);
  });
});

describe('visibleDrop', () => {
  type Design = { N: number; nB: number; sigma2w: number; mean: number };
  type Input = Design & { alpha: number; power: number };
  type Expected = { mde: number; visible: boolean };
  agreesWithVectors<Input, Expected>('mdeShown', (input, { visible, mde }) => {
    const { N: references, nB, sigma2w: variance, mean: rate, alpha, power } = input;
    const drawn = { references, tries: { base: nB, head: nB }, variance, rate };
    const drop = visibleDrop(drawn, alpha, power);
    if (!visible) expect(drop).toBeNull();
    return visible ? [[drop, mde]] : [];
  });

  test('shrinks with more references and tries, and grows with noise and smaller alpha', () => {
    const drop = visibleDrop(design)!;
    expect(visibleDrop({ ...design, references: 100 })).toBeLessThan(drop);
    expect(visibleDrop({ ...design, tries: { base: 10, head: 5 } })).toBeLessThan(drop);
    expect(visibleDrop({ ...design, variance: 0.1 })).toBeGreaterThan(drop);
    expect(visibleDrop(design, 0.01)).toBeGreaterThan(drop);
  });

  test('corresponds to at least 5.5 failed tries in a suite without failures, and to more at a smaller alpha', () => {
    const silent = { references: 20, tries: { base: 1, head: 1 }, variance: 0, rate: 1 };
    expect(visibleDrop(silent)).toBeCloseTo(5.5 / 20, 12);
    expect(visibleDrop(silent, 0.0125)).toBeCloseTo(7.5 / 20, 12);
  });

  test.each([
    ['nothing passes', { ...design, rate: 0 }],
    ['there are no references', { ...design, references: 0 }],
    ['a side has no tries', { ...design, tries: { base: 5, head: 0 } }],
    ['everything is too small', { ...design, references: 3, tries: { base: 1, head: 1 } }],
  ])('is null if %s', (_, blind) => expect(visibleDrop(blind)).toBeNull());
});

describe('designOf', () => {
  test('takes size, pass rate on base and noise from the references that can be compared', () => {
    const tables = tablesOf([
      ...repeat(15, [5, 5, 5, 5]),
      ...repeat(5, [2, 5, 3, 5]),
      [0, 0, 5, 5],
    ]);
    expect(designOf(tables)).toEqual({
      references: 20,
      tries: { base: expect.closeTo(5, 12), head: expect.closeTo(5, 12) },
      variance: expect.closeTo((20 * (0.3 / 4) + 0.5) / 30, 12),
      rate: expect.closeTo(0.85, 12),
    });
  });

  test('averages unequal tries by the harmonic mean', () => {
    const given = rows([1, 2, 1, 4], [1, 6, 1, 4]);
    expect(designOf(tablesOf(given)).tries).toEqual({ base: 3, head: 4 });
  });

  test('leads to a visible drop of null if there are no references or nothing passes', () => {
    expect(visibleDrop(designOf([]))).toBeNull();
    expect(visibleDrop(designOf(tablesOf(repeat(50, [0, 5, 0, 5]))))).toBeNull();
  });
});
