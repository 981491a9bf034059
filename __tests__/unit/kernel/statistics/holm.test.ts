import { holmCalled, holmLevels } from '../../../../src/kernel/statistics/holm.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { vectors } from './vectors.ts';

const level = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const calledAt = (p: readonly number[], alpha: number) =>
  holmCalled([...p.keys()], (at) => p[at]!, alpha);

describe('holmCalled', () => {
  test.each(vectors<{ p: number[] }, number[]>('holm'))(
    'rejects a hypothesis once alpha reaches its adjusted p-value, as in $source (%#)',
    ({ input: { p }, expected, tol }) => {
      for (const [at, adjusted] of expected.entries()) {
        if (adjusted < 1) expect(calledAt(p, adjusted + tol)).toContain(at);
        expect(calledAt(p, adjusted - tol)).not.toContain(at);
      }
    },
  );
});

describe('holmLevels', () => {
  const judgesOf = (p: readonly number[]) =>
    new Map(p.map((value, at) => [at, (level: number) => value <= level]));

  test("gives levels that reject exactly what Holm's method rejects", () => {
    forAll([fc.array(level(0.001, 0.2), { maxLength: 8 })], (p) => {
      const levels = holmLevels(judgesOf(p), 0.05);
      const fire = [...p.keys()].filter((at) => p[at]! <= (levels.get(at) ?? 0));
      expect(fire).toEqual(calledAt(p, 0.05));
    });
  });

  test('returns for each hypothesis the level at which it was last tested', () =>
    expect([...holmLevels(judgesOf([0.5, 0.01, 0.02]), 0.05)]).toEqual([
      [0, 0.05],
      [1, 0.05 / 3],
      [2, 0.025],
    ]));
});
