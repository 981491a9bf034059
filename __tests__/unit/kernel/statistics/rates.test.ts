import { newcombe } from '../../../../src/features/conversations/evaluator-tests.ts';
import {
  correctedDifference,
  roganGladen,
  roganGladenInterval,
  wrongShare,
} from '../../../../src/features/graders/grader-error.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { mcnemar } from '../../../../src/kernel/statistics/suite-test.ts';
import { wilson } from '../../../../src/report/sections/intervals.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { agreesWithVectors } from './vectors.ts';

const counts = fc
  .integer({ min: 1, max: 200 })
  .chain((tries) =>
    fc.record({ passes: fc.integer({ min: 0, max: tries }), tries: fc.constant(tries) }),
  );

describe('wilson', () => {
  type Input = { k: number; n: number; conf: number };
  agreesWithVectors<Input, [number, number]>('wilson', ({ k, n, conf }, [low, high]) => {
    const interval = wilson({ passes: k, tries: n }, conf);
    return [
      [interval?.low, low],
      [interval?.high, high],
    ];
  });

  test('contains the rate, has positive width and stays within 0 and 1', () => {
    forAll([counts], ({ passes, tries }) => {
      const { low, high } = wilson({ passes, tries })!;
      expect(low >= 0 && low <= passes / tries).toBe(true);
      expect(high >= passes / tries && high <= 1).toBe(true);
      expect(high).toBeGreaterThan(low);
    });
  });

  test('is null without tries', () => expect(wilson({ passes: 0, tries: 0 })).toBeNull());
});

describe('newcombe', () => {
  type Input = { k1: number; n1: number; k2: number; n2: number; conf: number };
  agreesWithVectors<Input, [number, number]>('newcombeIndep', (input, [low, high]) => {
    const { k1, n1, k2, n2, conf } = input;
    const interval = newcombe({ passes: k1, tries: n1 }, { passes: k2, tries: n2 }, conf);
    return [
      [interval?.low, low],
      [interval?.high, high],
    ];
  });

  test('is null if a sample is empty', () => {
    expect(newcombe({ passes: 0, tries: 0 }, { passes: 1, tries: 2 })).toBeNull();
    expect(newcombe({ passes: 1, tries: 2 }, { passes: 0, tries: 0 })).toBeNull();
  });
});

describe('mcnemar', () => {
  type Input = { passFail: number; failPass: number };
  agreesWithVectors<Input, { midTwo: number }>('mcnemar', (input, { midTwo }) => [
    [mcnemar(input), midTwo],
  ]);
});

describe('roganGladen', () => {
  type Input = { p: number; tpr: number; tnr: number };
  agreesWithVectors<Input, number>('roganGladen', ({ p, tpr, tnr }, expected) => [
    [roganGladen(p, tpr, tnr), expected],
  ]);

  test('returns null for a grader no better than chance', () => {
    expect(roganGladen(0.7, 0.6, 0.4)).toBeNull();
  });
});

describe('roganGladenInterval', () => {
  type Rates = { p: number; tnr: number; tpr: number };
  type Input = Rates & { n: number; m0: number; m1: number; conf: number };
  type Expected = { point: number; lo: number; hi: number };
  const of = (rate: number, tries: number) => ({ passes: rate * tries, tries });
  agreesWithVectors<Input, Expected>('roganGladenCI', (input, { point, lo, hi }) => {
    const { p, n, tpr, m1, tnr, m0, conf } = input;
    const interval = roganGladenInterval(of(p, n), of(tpr, m1), of(tnr, m0), conf);
    return [
      [interval?.rate, point],
      [interval?.low, lo],
      [interval?.high, hi],
    ];
  });

  test('is null without judged items, or for a grader that is not shown to be better than chance', () => {
    expect(roganGladenInterval(of(0, 0), of(1, 9), of(1, 9))).toBeNull();
    expect(roganGladenInterval(of(0.5, 10), of(0.5, 10), of(0.5, 10))).toBeNull();
  });
});

describe('correctedDifference', () => {
  const many = (rate: number) => ({ passes: rate * 1e9, tries: 1e9 });
  const seen = { difference: -0.1, low: -0.18, high: -0.04 };

  test("divides the difference and its interval by the grader's discrimination", () => {
    const found = correctedDifference(seen, many(0.9), many(0.85))!;
    expect(found.difference).toBeCloseTo(-0.1 / 0.75, 6);
    expect(found.low).toBeCloseTo(-0.18 / 0.75, 4);
    expect(found.high).toBeCloseTo(-0.04 / 0.75, 4);
  });

  test('has a wider interval with fewer labels, and never changes the sign', () => {
    const certain = correctedDifference(seen, many(0.9), many(0.9))!;
    const few = correctedDifference(seen, { passes: 9, tries: 10 }, { passes: 9, tries: 10 })!;
    expect(few.high - few.low).toBeGreaterThan(certain.high - certain.low);
    expect(few.difference).toBeLessThan(0);
  });

  test('is null for a grader that is not shown to be better than chance', () => {
    expect(correctedDifference(seen, many(0.5), many(0.5))).toBeNull();
    expect(wrongShare(0.5, many(0.4), many(0.6))).toBeNull();
  });

  test('contains the true difference with the stated probability', () => {
    const random = createRandom('corrected difference');
    const count = (tries: number, rate: number) => {
      let passes = 0;
      for (let made = 0; made < tries; made += 1) if (nextFloat(random) < rate) passes += 1;
      return { passes, tries };
    };
    const [tpr, tnr, n, labels] = [0.85, 0.8, 200, 40];
    const judged = (truth: number) => truth * tpr + (1 - truth) * (1 - tnr);
    let held = 0;
    const rounds = 2000;
    for (let round = 0; round < rounds; round += 1) {
      const [base, head] = [count(n, judged(0.8)), count(n, judged(0.6))];
      const [before, after] = [base.passes / n, head.passes / n];
      const error = Math.sqrt((before * (1 - before) + after * (1 - after)) / n);
      const difference = after - before;
      const found = correctedDifference(
        { difference, low: difference - 1.645 * error, high: difference + 1.645 * error },
        count(labels, tpr),
        count(labels, tnr),
      );
      if (found !== null && found.low <= -0.2 && found.high >= -0.2) held += 1;
    }
    expect(held / rounds).toBeGreaterThan(0.87);
    expect(held / rounds).toBeLessThan(0.95);
  });
});

describe('wrongShare', () => {
  test('adds the good answers that a grader fails and the bad answers that it passes', () => {
    // Of 60 good answers it fails a tenth (6); of 40 bad ones it passes a fifth (8).
    const rate = 0.6 * 0.9 + 0.4 * 0.2;
    const found = wrongShare(rate, { passes: 9e8, tries: 1e9 }, { passes: 8e8, tries: 1e9 });
    expect(found).toBeCloseTo(0.14, 6);
  });
});
