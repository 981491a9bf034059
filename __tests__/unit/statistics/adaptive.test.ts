import { describe, expect, test } from '@jest/globals';
import { adaptiveLevels } from '../../../src/statistics/adaptive-levels.ts';
import type { Adaptive, AdaptiveStep } from '../../../src/statistics/adaptive.ts';
import { adaptive } from '../../../src/statistics/adaptive.ts';
import { judgeFamily } from '../../../src/statistics/gate.ts';
import { createRandom, nextFloat } from '../../../src/statistics/random.ts';
import { suiteTest } from '../../../src/statistics/suite-test.ts';
import type { Tries } from '../../../src/statistics/table.ts';
import { tableOf } from '../../../src/statistics/table.ts';
import type { Outcome } from '../../../src/types/metric.ts';
import fc, { draws } from '../../fuzz.ts';

const levels = adaptiveLevels(0.05, 'suite+references');

/**
 * `11 00` → two passing tries on base, two failing ones on head; `-` is a try without a verdict.
 */
function tries(text: string): Tries {
  const [base, head] = text
    .split(' ')
    .map((side) =>
      [...side].map((mark): Outcome => (mark === '1' ? 'pass' : mark === '0' ? 'fail' : 'error')),
    );
  return { base: base ?? [], head: head ?? [] };
}
const many = (count: number, text: string): Tries[] =>
  Array.from({ length: count }, () => tries(text));

/** Runs the policy to its end on tries that are all known beforehand. */
function run(
  full: readonly Tries[],
  critical: number[] = [],
  used = levels,
): { state: Adaptive; steps: AdaptiveStep[]; seen: Tries[] } {
  let seen: Tries[] = full.map(() => ({ base: [], head: [] }));
  const steps: AdaptiveStep[] = [];
  for (;;) {
    const state = adaptive(seen, { levels: used, critical });
    if (state.next === null) return { state, steps, seen };
    steps.push(state.next.step);
    const upTo = new Map(state.next.wanted.map(({ reference, to }) => [reference, to]));
    seen = seen.map((now, i) => {
      const to = upTo.get(i) ?? 0;
      const all = full[i]!;
      return {
        base: to > 0 ? all.base.slice(0, to) : now.base,
        head: to > 0 ? all.head.slice(0, to) : now.head,
      };
    });
  }
}

const outcome = fc.constantFrom<Outcome>('pass', 'fail', 'pass', 'fail', 'error');
const side = fc.array(outcome, { minLength: 7, maxLength: 7 });
const anySuite = fc.array(fc.record({ base: side, head: side }), { maxLength: 12 });

describe('adaptiveLevels', () => {
  test('are those of the design at 0.05', () => {
    expect(levels.screen).toBeCloseTo(0.0064, 12);
    expect(levels.confirm).toBeCloseTo(0.01, 12);
    expect(levels.extend).toBeCloseTo(0.0368, 4);
    expect(levels.futile).toBe(0.3);
  });

  test('give the suite everything when single references do not count', () => {
    const alone = adaptiveLevels(0.05, 'suite');
    expect(alone).toMatchObject({
      confirm: 0,
      screen: expect.closeTo(0.008, 12),
      extend: expect.closeTo(0.0462, 4),
    });
  });

  test('at alpha 0 nothing is ever called', () => {
    const none = adaptiveLevels(0, 'suite+references');
    expect(none).toMatchObject({ screen: 0, confirm: 0, extend: 0 });
    expect(run(many(50, '1111111 0000000'), [], none).state.regressed).toBe(false);
  });

  test('shrink with alpha, but stopping early does not depend on it', () => {
    const small = adaptiveLevels(0.0125, 'suite+references');
    expect(small.screen).toBeCloseTo(levels.screen / 4, 12);
    expect(small.confirm).toBeCloseTo(levels.confirm / 4, 12);
    expect(small.extend).toBeLessThan(levels.extend);
    expect(small.futile).toBe(levels.futile);
  });
});

describe('adaptive: what to run next', () => {
  test('starts with two tries a side of every reference', () => {
    expect(adaptive(many(2, ' '), { levels }).next).toEqual({
      step: 'screen',
      wanted: [
        { reference: 0, from: 0, to: 2, fresh: false },
        { reference: 1, from: 0, to: 2, fresh: false },
      ],
    });
  });

  test('asks only for what is missing', () => {
    expect(
      adaptive([tries('11 11'), tries('1 11'), tries('11 1')], { levels }).next?.wanted,
    ).toEqual([
      { reference: 1, from: 1, to: 2, fresh: false },
      { reference: 2, from: 1, to: 2, fresh: false },
    ]);
  });

  test('stops after two tries when nothing looks worse', () => {
    const state = adaptive(many(20, '11 11'), { levels });
    expect(state).toMatchObject({
      next: null,
      regressed: false,
      improved: false,
      commonTries: 2,
      suspects: [],
      extend: null,
    });
  });

  test('gives a reference that went from both to none five fresh tries a side', () => {
    const state = adaptive([tries('11 00'), ...many(20, '11 11'), ...many(3, '00 11')], { levels });
    expect(state.suspects).toEqual([0]);
    expect(state.next).toEqual({
      step: 'confirm',
      wanted: [{ reference: 0, from: 2, to: 7, fresh: true }],
    });
  });

  test('extends to five tries a side when the suite looks worse, without asking suspects for more', () => {
    const state = adaptive([tries('1111111 0011111'), tries('11 10'), ...many(10, '11 11')], {
      levels,
    });
    expect(state.next?.step).toBe('extend');
    expect(state.next?.wanted.map(({ reference }) => reference)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    expect(state.next?.wanted[0]).toEqual({ reference: 1, from: 2, to: 5, fresh: false });
  });

  test('a try without a verdict is not asked for again, and makes no suspect', () => {
    const state = adaptive([tries('1- 00'), tries('11 0-'), ...many(4, '00 11')], { levels });
    expect(state).toMatchObject({ next: null, suspects: [] });
  });

  test('a critical reference is a suspect as soon as it is worse', () => {
    const suite = [tries('11 10'), tries('11 10'), ...many(4, '00 11')];
    expect(adaptive(suite, { levels, critical: [1, 2] })).toMatchObject({
      suspects: [1],
      next: { step: 'confirm' },
    });
  });

  test('has no suspects when single references do not count', () => {
    const state = adaptive([tries('11 00'), ...many(4, '00 11')], {
      levels: adaptiveLevels(0.05, 'suite'),
    });
    expect(state).toMatchObject({ next: null, suspects: [], confirm: null });
  });

  test('never needs more than its three steps, in their order, nor more than seven tries a side', () => {
    fc.assert(
      fc.property(anySuite, fc.subarray([0, 1, 2, 3]), (suite, critical) => {
        const { steps, seen } = run(
          suite,
          critical.filter((i) => i < suite.length),
        );
        expect([
          [],
          ['screen'],
          ['screen', 'confirm'],
          ['screen', 'extend'],
          ['screen', 'confirm', 'extend'],
        ]).toContainEqual(steps);
        expect(Math.max(0, ...seen.map(({ base }) => base.length))).toBeLessThanOrEqual(7);
      }),
    );
  });

  test('tries that nobody asked for change nothing', () => {
    fc.assert(
      fc.property(anySuite, (suite) => {
        const { state, seen } = run(suite);
        const { state: other } = run(
          suite.map(({ base, head }) => ({ base: [...base, 'fail'], head: [...head, 'pass'] })),
        );
        expect(other).toEqual(state);
        expect(adaptive(seen, { levels })).toEqual(state);
      }),
    );
  });
});

describe('adaptive: the verdict', () => {
  test('a clear fall is called after two tries', () => {
    const state = adaptive([...many(6, '11 00'), ...many(20, '11 11')], { levels });
    expect(state).toMatchObject({
      next: null,
      regressed: true,
      decidedBy: 'screen',
      hits: [],
      suspects: [0, 1, 2, 3, 4, 5],
    });
  });

  test('a broken reference is named by its fresh tries', () => {
    const { state, steps } = run([
      ...many(10, '1111111 1111111'),
      tries('1111111 0000000'),
      ...many(40, '1111111 1111111'),
    ]);
    expect(steps).toEqual(['screen', 'confirm']);
    expect(state).toMatchObject({
      regressed: true,
      decidedBy: 'confirm',
      suspects: [10],
      hits: [10],
    });
    expect(state.own[10]).toEqual({ base: { passes: 5, tries: 5 }, head: { passes: 0, tries: 5 } });
    expect(state.common[10]).toEqual({
      base: { passes: 2, tries: 2 },
      head: { passes: 0, tries: 2 },
    });
  });

  test('the screening tries that made a suspect do not count in its confirmation', () => {
    const { state } = run([tries('1111110 0010000'), ...many(5, '0000000 1111111')]);
    expect(state).toMatchObject({ suspects: [0], regressed: false, hits: [] });
    expect(state.confirm?.references.level).toBeGreaterThan(0);
  });

  test('three references that break at once are seen together, where none could be called alone', () => {
    // Head's good luck elsewhere keeps the suite test from calling it.
    const { state } = run([
      ...many(3, '1111111 0000000'),
      ...many(6, '0000000 1100000'),
      ...many(20, '1111111 1111111'),
    ]);
    expect(state).toMatchObject({
      regressed: true,
      decidedBy: 'confirm',
      hits: [],
      suspects: [0, 1, 2],
    });
  });

  test('a critical reference is called by itself where a crowd of suspects could not be', () => {
    const suite = [
      ...many(3, '1111111 0000000'),
      ...many(6, '0000000 1100000'),
      ...many(20, '1111111 1111111'),
    ];
    expect(run(suite, [1]).state).toMatchObject({
      regressed: true,
      decidedBy: 'confirm',
      hits: [1],
    });
  });

  test('a small fall everywhere is called on the first five tries of every reference', () => {
    const { state, steps } = run([
      ...many(5, '1111111 1100011'),
      ...many(2, '1111111 0111111'),
      ...many(20, '1111111 1111111'),
    ]);
    expect(steps).toEqual(['screen', 'extend']);
    expect(state).toMatchObject({ regressed: true, decidedBy: 'extend', commonTries: 5 });
    expect(state.common[0]).toEqual({
      base: { passes: 5, tries: 5 },
      head: { passes: 2, tries: 5 },
    });
    expect(state.extend?.midDown).toBe(suiteTest(state.common).midDown);
  });

  test("a suspect's last two fresh tries stay out of the suite test", () => {
    const suite = [
      tries('1111111 0011100'),
      ...many(3, '1111111 0111111'),
      ...many(20, '1111111 1111111'),
    ];
    const { state } = run(suite);
    expect(state.commonTries).toBe(5);
    expect(state.common).toEqual(suite.map((own) => tableOf(own, 0, 5)));
    expect(state.own[0]).toEqual({ base: { passes: 5, tries: 5 }, head: { passes: 3, tries: 5 } });
  });

  test('a fall below the smallest that counts is no regression at any look', () => {
    const suite = [...many(6, '11 00'), ...many(20, '11 11')];
    expect(adaptive(suite, { levels, minDrop: 0.25 }).screen).toMatchObject({
      hit: false,
      difference: expect.closeTo(-6 / 26, 12),
    });
    expect(adaptive(suite, { levels, minDrop: 0.23 }).screen?.hit).toBe(true);
  });

  test('a clear rise is an improvement, and only that', () => {
    expect(adaptive(many(6, '00 11'), { levels })).toMatchObject({
      next: null,
      regressed: false,
      improved: true,
    });
  });

  test.each([
    ['no references', []],
    ['only tries without a verdict', many(4, '-- --')],
    ['one side without a verdict', many(4, '11 --')],
    ['every try passing', many(30, '11 11')],
    ['every try failing', many(30, '00 00')],
  ])('is final and quiet on %s', (_, suite) => {
    expect(adaptive(suite, { levels })).toMatchObject({
      next: null,
      regressed: false,
      improved: false,
      decidedBy: null,
    });
  });

  test('what is called at a small alpha is called at every larger one, on the same tries', () => {
    fc.assert(
      fc.property(anySuite, fc.double({ min: 0.005, max: 0.3, noNaN: true }), (suite, alpha) => {
        const small = run(suite, [], adaptiveLevels(alpha, 'suite+references'));
        const keep = small.state.confirm?.suite.level ?? 0;
        const large = adaptive(small.seen, {
          levels: adaptiveLevels(1.5 * alpha, 'suite+references'),
          keep,
        });
        expect(large.next).toBeNull();
        if (small.state.regressed) expect(large.regressed).toBe(true);
      }),
      { numRuns: draws(60) },
    );
  });

  test('what suspects were called for together is not lost to a search for single ones at a larger alpha', () => {
    const suspects = [...many(2, '1111110 0010000'), tries('1111100 0011000')];
    const suite = [...suspects, ...many(6, '0000000 1100000')];
    const small = adaptive(suite, { levels });
    expect(small).toMatchObject({ regressed: true, decidedBy: 'confirm', hits: [] });
    const larger = adaptiveLevels(0.075, 'suite+references');
    expect(adaptive(suite, { levels: larger, keep: small.confirm!.suite.level })).toMatchObject({
      regressed: true,
      decidedBy: 'confirm',
    });
  });

  test('suites share alpha by Holm on the tries they have', () => {
    const border = [
      ...many(3, '1111111 0000000'),
      tries('1111111 1011111'),
      ...many(20, '1111111 1111111'),
    ];
    const judge = (suite: readonly Tries[]) => (alpha: number, before: Adaptive | null) =>
      adaptive(suite, {
        levels: adaptiveLevels(alpha, 'suite'),
        keep: before?.confirm?.suite.level ?? 0,
      });
    const clear = many(12, '1111111 0000000');
    expect(
      judgeFamily([judge(border), judge(clear)], 0.05).map(({ alpha, result }) => [
        alpha,
        result.regressed,
      ]),
    ).toEqual([
      [0.025, true],
      [0.025, true],
    ]);
  });
});

describe('adaptive: error rates by seeded simulation', () => {
  const random = createRandom('adaptive');
  const draw = (rate: number): Outcome[] =>
    Array.from({ length: 7 }, () => (nextFloat(random) < rate ? 'pass' : 'fail'));
  const suiteOf = (head: (rate: number, i: number) => number): Tries[] =>
    Array.from({ length: 30 }, (_, i) => {
      // Mostly steady references, some noisy, as real suites have.
      const rate = i % 10 < 6 ? 0.98 : i % 10 < 8 ? 0.6 : 0.1;
      return { base: draw(rate), head: draw(head(rate, i)) };
    });
  const simulate = (rounds: number, head: (rate: number, i: number) => number) => {
    let [red, calls] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const { state, seen } = run(suiteOf(head));
      if (state.regressed) red += 1;
      calls += seen.reduce((sum, { base }) => sum + 2 * base.length, 0) / seen.length;
    }
    return { red: red / rounds, calls: calls / rounds };
  };

  test('an unchanged suite goes red in at most 5 % of runs, with fewer calls than five fixed tries', () => {
    const { red, calls } = simulate(1500, (rate) => rate);
    // Four standard errors above 0.04, which is what the design says at most.
    expect(red).toBeLessThan(0.05 + 0.01);
    expect(calls).toBeGreaterThan(4);
    expect(calls).toBeLessThan(7);
  });

  test('one reference that breaks is found in most runs', () => {
    expect(simulate(300, (rate, i) => (i === 0 ? 0 : rate)).red).toBeGreaterThan(0.8);
  });

  test('a fall of 25 points everywhere is found in nearly every run', () => {
    expect(simulate(200, (rate) => Math.max(0, rate - 0.25)).red).toBeGreaterThan(0.95);
  });
});
