import type { SuiteLedger } from '../../../../src/kernel/plan/ledger.ts';
import { runState, type RunLevels } from '../../../../src/kernel/plan/policy.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  broken,
  fine,
  fixed,
  healed,
  ledger,
  positions,
  repeat,
  tried,
  wantedOf,
} from '../statistics/ledgers.ts';

const ONE: RunLevels = { suite: 0.04, pool: 0, references: 0.01, judged: 'all' };
const MANY: RunLevels = { ...ONE, suite: 0.02 / 10, pool: 0.02 };
const wanted = (single: SuiteLedger, levels = ONE) => wantedOf(runState([single], levels))[0]!;
const suspects = (single: SuiteLedger, levels = ONE) =>
  positions(runState([single], levels), ({ isSuspect }) => isSuspect)[0]!;
const brokenIn = (...of: Parameters<typeof runState>) =>
  positions(runState(...of), ({ isBroken }) => isBroken);
const everyone = (count: number, tries: number) =>
  new Map(Array.from({ length: count }, (_, i) => [i, tries]));

describe('first tries', () => {
  test('are one per side if the suite has at least 100 questions, otherwise two', () => {
    expect(wanted(ledger(fine(3, 0)))).toEqual(everyone(3, 2));
    expect(wanted(ledger(fine(100, 0)))).toEqual(everyone(100, 1));
  });

  test('depend on the number of questions; references of a cluster count as one question', () => {
    const cluster = (at: number) => ({ cluster: `q${Math.floor(at / 2)}` });
    expect(wanted(ledger(fine(100, 0), cluster))).toEqual(everyone(100, 2));
  });
});

describe('further tries', () => {
  test('stop after two passing tries per side of 20 references, and after three of 8', () => {
    expect(wanted(ledger(fine(20))).size).toBe(0);
    expect(wanted(ledger(fine(8)))).toEqual(everyone(8, 3));
    expect(wanted(ledger(fine(8, 3))).size).toBe(0);
  });

  test('stop after one try per side of 100 references if all of them pass', () => {
    expect(wanted(ledger(fine(100, 1))).size).toBe(0);
  });

  test('go only to a suspicious reference until it is flagged as broken', () => {
    const broke = (tries: number) => ledger([broken(tries), ...fine(49)]);
    expect(wanted(broke(2))).toEqual(new Map([[0, 3]]));
    expect(wanted(broke(6))).toEqual(new Map([[0, 7]]));
    expect(brokenIn([broke(10)], ONE)).toEqual([[0]]);
    expect(wanted(broke(10)).size).toBe(0);
  });

  test('stop for a suspicious reference that passes later', () => {
    const cleared = ledger([tried('111111', '001111'), ...fine(49)]);
    expect(suspects(cleared)).toEqual([]);
  });

  test('stop for a suspicious reference after 40 tries, even if some are errors', () => {
    const silent = (tries: number) => {
      const errors = Array.from({ length: tries - 2 }, (): Outcome => 'error');
      const { base } = tried('1'.repeat(tries), '');
      const broke = { base, head: [...tried('', '00').head, ...errors] };
      return ledger([broke, ...fine(49)]);
    };
    expect(wanted(silent(38))).toEqual(new Map([[0, 39]]));
    expect(suspects(silent(40))).toEqual([]);
  });

  test('go to a critical or nearly always passing reference after its first failure, but not to others', () => {
    const tries = [tried('11', '10'), ...fine(49)];
    const first = (own: object) => ledger(tries, (at) => (at === 0 ? own : {}));
    expect(wanted(first({ isCritical: true }))).toEqual(new Map([[0, 3]]));
    expect(wanted(first({ isSteady: true }))).toEqual(new Map([[0, 3]]));
    expect(suspects(ledger(tries))).toEqual([]);
  });

  test('go to a failed critical reference even with a fixed number of tries', () => {
    const tries = [broken(1), broken(1), ...fine(28, 1)];
    const single = fixed(tries, 1, (at) => ({ isCritical: at === 0 }));
    expect(wanted(single)).toEqual(new Map([[0, 2]]));
  });

  test('go to a reference that failed its only try on base', () => {
    expect(wanted(ledger([tried('0', '1'), ...fine(199, 1)]))).toEqual(new Map([[0, 2]]));
  });

  test('go to every reference while the suite looks worse, up to five', () => {
    const at = (tries: number) =>
      ledger([
        ...repeat(4, tried('1'.repeat(tries), `0${'1'.repeat(tries - 1)}`)),
        ...fine(16, tries),
      ]);
    expect(wanted(at(2))).toEqual(everyone(20, 3));
    expect(wanted(at(5)).size).toBe(0);
  });

  test('go to at most ten suspicious references in a small run, plus critical ones', () => {
    const tries = [...repeat(15, broken(2)), ...repeat(15, healed(2))];
    const withCritical = (count: number) =>
      suspects(ledger(tries, (at) => ({ isCritical: at < count }))).length;
    expect(withCritical(0)).toBe(10);
    expect(withCritical(15)).toBe(15);
  });

  test('stop once the suite regressed', () => {
    expect(wanted(ledger([...repeat(6, broken(2)), ...fine(14)])).size).toBe(0);
  });

  test('do not go to references that are not judged individually', () => {
    const one = ledger([broken(2), ...fine(49)]);
    expect(suspects(one, { ...ONE, references: 0, judged: 'none' })).toEqual([]);
    const accepted = { ...ONE, judged: 'critical' } as const;
    expect(suspects(one, accepted)).toEqual([]);
    const critical = ledger([broken(2), ...fine(49)], (at) => ({ isCritical: at === 0 }));
    expect(suspects(critical, accepted)).toEqual([0]);
  });

  test('go to a reference that looks fixed until it is flagged or fails again', () => {
    const one = (heals: ReturnType<typeof tried>) => ledger([heals, ...fine(25)]);
    expect(wanted(one(healed(2)))).toEqual(new Map([[0, 3]]));
    const state = runState([one(healed(9))], ONE);
    expect(positions(state, ({ isFixed }) => isFixed)).toEqual([[0]]);
    expect(positions(state, ({ wanted: next }) => next !== null).flat()).toEqual([]);
    expect(wanted(one(tried('0011', '1100'))).size).toBe(0);
  });
});

test('references that look fixed are retried ten at a time until each is flagged as fixed', () => {
  // Ten are already flagged; the next ten of the remaining candidates follow.
  const tries = [...repeat(10, healed(9)), ...repeat(20, healed(2)), ...fine(30)];
  const state = runState([ledger(tries)], { ...ONE, suite: 0 });
  expect(positions(state, ({ isFixed }) => isFixed)[0]).toHaveLength(10);
  const pairs = positions(state, ({ wanted: next }) => next !== null)[0]!;
  expect(pairs).toEqual(repeat(10, 10).map((first, i) => first + i));
});

describe('several suites', () => {
  test('stop together when the interval over all suites rules out a drop', () => {
    const state = runState(repeat(10, ledger(fine(9))), MANY);
    expect(state.pool).toHaveLength(1);
    expect(positions(state, ({ wanted: next }) => next !== null).flat()).toEqual([]);
  });

  test('stop together when the mean over all suites dropped although no individual suite did', () => {
    const state = runState(
      Array.from({ length: 10 }, () => ledger([tried('11', '01'), tried('11', '10'), ...fine(7)])),
      MANY,
    );
    expect(state.pool.at(-1)!.test.midDown).toBeLessThan(0.001);
    expect(positions(state, ({ wanted: next }) => next !== null).flat()).toEqual([]);
  });

  test('continue individually if one suite looks worse although all suites together do not', () => {
    const rises = ledger([tried('01', '11'), ...fine(9)]);
    const rest = [...repeat(4, rises), ...repeat(6, ledger(fine(10)))];
    const beside = (falls: number) =>
      wantedOf(
        runState(
          [ledger([...repeat(falls, tried('11', '01')), ...fine(10 - falls)]), ...rest],
          MANY,
        ),
      );
    expect(beside(4).map(({ size }) => size)).toEqual([10, ...repeat(10, 0)]);
    expect(beside(1).map(({ size }) => size)).toEqual(repeat(11, 0));
  });

  test('need few extra tries to flag one broken reference of 350', () => {
    const suites = [ledger([broken(12), ...fine(34, 1)]), ...repeat(9, ledger(fine(35, 1)))];
    expect(brokenIn(suites, MANY)).toEqual([[0], ...repeat(9, [])]);
  });
});
