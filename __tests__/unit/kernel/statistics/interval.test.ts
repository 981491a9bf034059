import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import { differenceInterval, meanDifference } from '../../../../src/kernel/statistics/interval.ts';
import { mirrorTables } from '../../../../src/kernel/statistics/table.ts';
import { forAll } from '../../../fuzz.ts';
import { anyTables } from './arbitraries.ts';
import { agreesWithVectors, repeat, rows, tablesOf, type Row } from './vectors.ts';

describe('differenceInterval', () => {
  type Input = { refs: Row[]; conf: number };
  type Expected = { delta: number; lower: number; upper: number };
  agreesWithVectors<Input, Expected>('permInterval', ({ refs, conf }, { delta, lower, upper }) => {
    const z = normalQuantile((1 + conf) / 2);
    const tables = tablesOf(refs);
    const interval = differenceInterval(tables, { z });
    // The vectors use the floor 2 of Bonett and Price; the rule of three needs 3.317.
    const compared = tables.filter(({ base, head }) => base.tries > 0 && head.tries > 0);
    const floor =
      compared.reduce((sum, { base, head }) => sum + 1 / (base.tries * head.tries), 0) /
      compared.length ** 3;
    const wider = (reach: number) =>
      Math.sqrt(reach ** 2 + z ** 2 * ((Math.log(20) / 1.6448536269514722) ** 2 - 2) * floor);
    const low = Math.max(-1, delta - wider(delta - lower));
    const high = Math.min(1, delta + wider(upper - delta));
    return [
      [interval?.difference, delta],
      ...(lower > -1 ? [[interval?.low, low] as [number, number]] : []),
      ...(upper < 1 ? [[interval?.high, high] as [number, number]] : []),
    ];
  });

  test.each([
    [20, 2],
    [50, 5],
    [8, 3],
  ])(
    'has the exact bound of the rule of three for %d references × %d passing tries',
    (references, tries) => {
      const tables = tablesOf(repeat(references, [tries, tries, tries, tries]));
      // At this drop d all tries of head pass with probability exp(−d·n·N) = 5 %.
      const { low } = differenceInterval(tables)!;
      expect(Math.exp(low * references * tries)).toBeCloseTo(0.05, 12);
    },
  );

  test.each<[string, Row[]]>([
    ['without tables', []],
    ['without tries', [[0, 0, 0, 0]]],
    ['when no table has tries on both sides', rows([3, 3, 0, 0], [0, 0, 2, 2])],
  ])('is null %s', (_, given) => {
    expect(differenceInterval(tablesOf(given))).toBeNull();
    expect(meanDifference(tablesOf(given))).toBeNull();
  });

  test('never has zero width, and contains the difference within −1 and 1', () => {
    forAll([anyTables(40, 50)], (tables) => {
      const interval = differenceInterval(tables);
      if (interval === null) return;
      const { low, difference, high } = interval;
      expect(high - low).toBeGreaterThan(1e-6);
      const ordered = [-1, low, difference, high, 1];
      expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
    });
  });

  test.each<[string, Row]>([
    ['passes', [50, 50, 50, 50]],
    ['fails', [0, 50, 0, 50]],
    ['collapsed', [50, 50, 0, 50]],
  ])('has positive width if every try %s', (_, row) => {
    const { low, high } = differenceInterval(tablesOf(repeat(5000, row)))!;
    expect(high).toBeGreaterThan(low);
  });

  test('is mirrored when the sides are swapped', () => {
    forAll([anyTables()], (tables) => {
      const [one, other] = [differenceInterval(tables), differenceInterval(mirrorTables(tables))];
      expect(other?.low ?? 0).toBeCloseTo(-(one?.high ?? 0), 12);
    });
  });

  test('gives every reference the same weight, whatever its number of tries', () => {
    const given = rows([1, 1, 0, 1], [50, 50, 50, 50]);
    expect(meanDifference(tablesOf(given))).toBe(-0.5);
  });
});
