import { createRandom, nextFloat } from '../../../src/kernel/statistics/random.ts';
import { findCauses, type CauseFindings } from '../../../src/trials/experiment.ts';
import type { Draw } from '../../../src/trials/trials.ts';

const FELL = { base: { passes: 2, tries: 2 }, head: { passes: 0, tries: 2 } };

/** A simulated model whose pass rate depends on the units it is given. */
interface Scripted {
  units: number;
  fallen?: number;
  tries?: number;
  held?: number;
  rate(reference: number, has: (unit: number) => boolean): number;
  seed?: string;
}

async function run({
  units,
  fallen = 5,
  tries = 120,
  held = 3,
  rate,
  seed = 'scripted',
}: Scripted): Promise<CauseFindings & { rounds: Draw[][] }> {
  const random = createRandom(seed);
  const rounds: Draw[][] = [];
  const found = await findCauses(
    {
      units,
      stable: held,
      tries,
      alpha: 0.05,
      fell: Array.from({ length: fallen }, () => FELL),
    },
    (draws) => {
      rounds.push([...draws]);
      return Promise.resolve(
        draws.map(
          ({ units: own, reference }) =>
            nextFloat(random) < (reference < fallen ? rate(reference, (unit) => own.has(unit)) : 1),
        ),
      );
    },
  );
  return { ...found, rounds };
}

const named = ({ causes }: CauseFindings): unknown[] =>
  causes.map(({ relation, units }) => [relation, units]);

describe('cause search', () => {
  test('finds the one line of eight that breaks everything, with its pass rates', async () => {
    const found = await run({ units: 8, rate: (_, has) => (has(6) ? 0 : 1) });
    expect(named(found)).toEqual([['alone', [6]]]);
    expect(found.open).toBeNull();
    expect(found.tries).toBeLessThanOrEqual(40);
    const [cause] = found.causes;
    expect(cause?.references.map(({ reference }) => reference)).toEqual([0, 1, 2, 3, 4]);
    for (const { restored, broken } of cause?.references ?? []) {
      expect(restored.passes).toBe(restored.tries);
      expect(broken.passes).toBe(0);
      expect(restored.tries).toBeGreaterThan(0);
    }
    expect(cause?.held).toEqual({ references: 3, of: 3 });
    expect(cause?.p).toBeLessThanOrEqual(0.05);
  });

  test('finds two lines that break the prompt only together', async () => {
    const found = await run({ units: 8, rate: (_, has) => (has(1) && has(6) ? 0 : 1) });
    expect(named(found)).toEqual([['together', [1, 6]]]);
  });

  test('finds two lines that each break the prompt', async () => {
    const found = await run({ units: 6, rate: (_, has) => (has(0) || has(3) ? 0 : 1) });
    expect(named(found)).toEqual([['either', [0, 3]]]);
  });

  test('finds two lines that break different references', async () => {
    const found = await run({
      units: 8,
      fallen: 8,
      rate: (reference, has) => (has(reference < 4 ? 0 : 7) ? 0 : 1),
    });
    expect(named(found)).toEqual([
      ['alone', [0]],
      ['alone', [7]],
    ]);
    expect(found.causes.map(({ references }) => references.length)).toEqual([4, 4]);
    expect(found.unexplained).toEqual([]);
  });

  test('finds one line of 40 by testing groups of neighbouring lines', async () => {
    const found = await run({ units: 40, rate: (_, has) => (has(17) ? 0 : 1) });
    expect(named(found)).toEqual([['alone', [17]]]);
    expect(found.tries).toBeLessThanOrEqual(80);
  });

  test('finds the line in noisy outcomes', async () => {
    const found = await run({ units: 8, rate: (_, has) => (has(2) ? 0.1 : 0.9) });
    expect(named(found)).toEqual([['alone', [2]]]);
  });

  test('lists as suspects the lines that it could not rule out when its tries run out', async () => {
    const found = await run({ units: 8, tries: 12, rate: (_, has) => (has(6) ? 0 : 1) });
    expect(found).toMatchObject({ causes: [], open: 'tries', suspects: [6] });
    const early = await run({ units: 8, tries: 1, rate: (_, has) => (has(6) ? 0 : 1) });
    expect(early).toMatchObject({ causes: [], open: 'tries', suspects: [] });
  });

  test('names no cause if the references failed only by chance', async () => {
    const found = await run({ units: 8, rate: () => 0.9 });
    expect(found.causes).toEqual([]);
    expect(found.unexplained).toEqual([0, 1, 2, 3, 4]);
    expect(found.open).toBe('unclear');
  });

  test('lists the references whose failures it could not explain', async () => {
    const found = await run({
      units: 4,
      rate: (reference, has) => (reference === 4 ? 1 : has(1) ? 0 : 1),
    });
    expect(named(found)).toEqual([['alone', [1]]]);
    expect(found.unexplained).toEqual([4]);
  });

  test('makes exactly as many tries as its limit allows', async () => {
    const found = await run({ units: 8, tries: 7, rate: (_, has) => (has(6) ? 0 : 1) });
    expect(found.causes).toEqual([]);
    expect(found.open).toBe('tries');
    expect(found.tries).toBe(7);
    expect(found.rounds.flat()).toHaveLength(7);
  });

  test('stops early if every try ends in an error', async () => {
    const found = await findCauses(
      { units: 3, fell: [FELL], stable: 0, tries: 100, alpha: 0.05 },
      (draws) => Promise.resolve(draws.map(() => null)),
    );
    expect(found).toMatchObject({ causes: [], open: 'errors', unexplained: [0] });
    expect(found.tries).toBeLessThan(10);
  });

  test('makes the same tries again if all outcomes are the same', async () => {
    const scripted: Scripted = { units: 8, rate: (_, has) => (has(2) ? 0.3 : 0.9), seed: 'twice' };
    const [one, other] = [await run(scripted), await run(scripted)];
    expect(one.rounds).toEqual(other.rounds);
    expect(named(one)).toEqual(named(other));
  });
});
