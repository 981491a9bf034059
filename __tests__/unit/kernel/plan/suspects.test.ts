import type { LedgerReference, SuiteLedger } from '../../../../src/kernel/plan/ledger.ts';
import {
  findFixed,
  judgeReferences,
  measureSuspicion,
} from '../../../../src/kernel/plan/suspects.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import { draws } from '../../../fuzz.ts';
import {
  broken,
  fine,
  fixed,
  healed,
  ledger,
  reference,
  repeat,
  tried,
  withMetrics,
} from '../statistics/ledgers.ts';

const brokenIn = (own: SuiteLedger, judged: 'critical' | 'all' = 'all') =>
  judgeReferences([own], { level: 0.01, judged }).suites[0]!.references.flatMap(
    ({ isBroken }, at) => (isBroken ? at : []),
  );

const first = (own: Partial<LedgerReference>) => (at: number) => (at === 0 ? own : {});

describe('judgeReferences', () => {
  test('requires less evidence for a critical reference than for one of many', () => {
    const tries = [broken(5), ...fine(199)];
    expect(brokenIn(ledger(tries))).toEqual([]);
    expect(brokenIn(ledger(tries, first({ isCritical: true })))).toEqual([0]);
  });

  test('flags no reference if only two tries are planned, and only critical references if the gate says so', () => {
    const tries = [broken(12), ...fine(9)];
    expect(brokenIn(ledger(tries))).toEqual([0]);
    expect(brokenIn(ledger(tries), 'critical')).toEqual([]);
    expect(brokenIn(ledger(tries, first({ isCritical: true })), 'critical')).toEqual([0]);
    expect(brokenIn(fixed(tries, 2))).toEqual([]);
  });
});

describe('measureSuspicion', () => {
  test('finds one broken metric although another metric, which always fails, hides it in the outcome', () => {
    // The other metric always fails, so no try passes on either side.
    const never = tried('00000000', '00000000');
    const both = withMetrics({ tone: [never], facts: [broken(8)] });
    expect(measureSuspicion(reference(never)).eValue).toBeLessThanOrEqual(1);
    expect(measureSuspicion(both.references[0]!).eValue).toBeGreaterThan(20);
  });

  test('divides the evidence by the number of metrics that judge the reference, not of all in the suite', () => {
    const metrics = new Map([['own', broken(4)]]);
    const eValue = (judgedBy: number) =>
      measureSuspicion(reference(broken(4), { metrics, judgedBy })).eValue;
    expect(eValue(1)).toBe(measureSuspicion(reference(broken(4))).eValue);
    expect(eValue(20)).toBeLessThan(0.6 * eValue(1));
  });
});

describe('findFixed', () => {
  const positions = (tries: Tries[], most?: number, awaited: number[] = []) => {
    const rows = tries.map((own, at) => ({
      at,
      reference: { tries: own, isAwaited: awaited.includes(at) },
    }));
    const { fixed: called, open } = findFixed(rows, most);
    return { fixed: [...called].map(({ at }) => at), open: [...open].map(({ at }) => at) };
  };

  test('flags a reference that failed on base and passes on head within nine tries', () => {
    expect(positions([healed(9), ...fine(25)])).toEqual({ fixed: [0], open: [] });
    expect(positions([healed(2), ...fine(25)])).toEqual({ fixed: [], open: [0] });
  });

  test('requires less evidence if more references were fixed', () => {
    const tries = 5;
    const one = positions([healed(tries), ...fine(25)]).fixed.length;
    const many = positions([...repeat(10, healed(tries)), ...fine(16)]).fixed.length;
    expect([one, many]).toEqual([0, 10]);
  });

  test('continues with the next candidates once the first are flagged', () => {
    const tries = [...repeat(10, healed(9)), ...repeat(20, healed(2)), ...fine(70)];
    const { fixed: called, open } = positions(tries, 10);
    expect([called.length, open[0], open.length]).toEqual([10, 10, 10]);
  });

  test('does not flag a broken reference or one that passed on base before', () => {
    expect(positions([broken(9), tried('01', '11'), ...fine(5)])).toEqual({
      fixed: [],
      open: [],
    });
  });

  test('makes five tries of a reference whose fix was promised, even if it does not look fixed', () => {
    const failing = (tries: number) => tried('0'.repeat(tries), '0'.repeat(tries));
    const open = (own: Tries) => positions([healed(2), own, ...fine(25)], 0, [1]).open;
    expect(open(failing(2))).toEqual([1]);
    expect(open(tried('0000', '0111'))).toEqual([1]);
    expect(open(failing(5))).toEqual([]);
    expect(positions([failing(2), ...fine(25)]).open).toEqual([]);
  });

  test('rarely flags a reference if nothing changed', () => {
    const random = createRandom('nothing healed');
    const outcomes = () => Array.from({ length: 9 }, () => (nextFloat(random) < 0.5 ? '1' : '0'));
    const runs = draws(400);
    const wrong = Array.from({ length: runs }, () => {
      const tries = Array.from({ length: 26 }, () =>
        tried(outcomes().join(''), outcomes().join('')),
      );
      return positions(tries).fixed.length > 0;
    }).filter(Boolean).length;
    expect(wrong / runs).toBeLessThan(0.05);
  });
});
