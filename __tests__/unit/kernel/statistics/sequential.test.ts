import { describe, expect, test } from '@jest/globals';
import { lookLevels } from '../../../../src/kernel/statistics/looks.ts';
import {
  ruledOutBy,
  calledReferences,
  isCalmTogether,
  judgeReferences,
  lookAt,
  openSuspicions,
  type SequentialSuite,
} from '../../../../src/kernel/statistics/sequential.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import { wantedTries } from '../../../../src/kernel/statistics/wanted-tries.ts';
import type { Outcome } from '../../../../src/types/metric.ts';

const word = (passes: string): Outcome[] =>
  [...passes].map((letter) => (letter === '1' ? 'pass' : 'fail'));
const tried = (base: string, head: string): Tries => ({ base: word(base), head: word(head) });
const repeat = (count: number, tries: Tries): Tries[] => Array.from({ length: count }, () => tries);
const suite = (tries: readonly Tries[], more: Partial<SequentialSuite> = {}): SequentialSuite => ({
  tries,
  clusters: tries.map(() => null),
  critical: new Set(),
  steady: new Set(),
  minDrop: 0.01,
  tolerance: 'auto',
  ...more,
});
/** References of which every try passes, two a side if not said otherwise. */
const fine = (count: number, tries = 2): Tries[] =>
  repeat(count, tried('1'.repeat(tries), '1'.repeat(tries)));
const broken = (tries: number): Tries => tried('1'.repeat(tries), '0'.repeat(tries));
const levels = { looks: lookLevels(0.04), references: 0.01 };
const wanted = (single: SequentialSuite) => wantedTries([single], levels, true)[0]!;

describe('what is tried next', () => {
  test('is two tries of everything first', () => {
    expect(wanted(suite(repeat(3, tried('1', ''))))).toEqual(new Map([0, 1, 2].map((i) => [i, 2])));
  });

  test('is nothing after two tries that all pass on 20 references, and after three on 8', () => {
    expect(wanted(suite(fine(20))).size).toBe(0);
    expect([...wanted(suite(fine(8))).values()]).toEqual(Array(8).fill(3));
    expect(wanted(suite(fine(8, 3))).size).toBe(0);
  });

  test('is a suspicious reference alone, on and on, until it is called', () => {
    const rest = fine(49);
    const broke = (tries: number) => suite([broken(tries), ...rest]);
    expect(wanted(broke(2))).toEqual(new Map([[0, 4]]));
    expect(wanted(broke(6))).toEqual(new Map([[0, 8]]));
    expect(wanted(broke(10)).size).toBe(0);
    expect(calledReferences(judgeReferences([broke(10)], 0.01), 0)).toEqual([0]);
  });

  test('or until it is cleared', () => {
    const cleared = suite([tried('111111', '001111'), ...fine(49)]);
    expect(openSuspicions(judgeReferences([cleared], 0.01), 0)).toEqual([]);
  });

  test('ends where every further try is in error: those are tries too', () => {
    const silent = (tries: number): SequentialSuite => {
      const errors = Array.from({ length: tries - 2 }, (): Outcome => 'error');
      const broke = { base: word('1'.repeat(tries)), head: [...word('00'), ...errors] };
      return suite([broke, ...fine(49)]);
    };
    expect(wanted(silent(38))).toEqual(new Map([[0, 40]]));
    expect(wanted(silent(40)).has(0) && wanted(silent(40)).size === 1).toBe(false);
  });

  test('is a critical or a steady reference at its first failure, another one not', () => {
    const tries = [tried('11', '10'), ...fine(49)];
    const one = new Set([0]);
    expect(wanted(suite(tries, { critical: one }))).toEqual(new Map([[0, 4]]));
    expect(wanted(suite(tries, { steady: one }))).toEqual(new Map([[0, 4]]));
    expect(wanted(suite(tries)).has(0) && wanted(suite(tries)).size === 1).toBe(false);
  });

  test('is one try more of everything while the suite looks worse, up to five', () => {
    const at = (tries: number) =>
      suite([
        ...repeat(4, tried('1'.repeat(tries), `0${'1'.repeat(tries - 1)}`)),
        ...fine(16, tries),
      ]);
    expect([...wanted(at(2)).values()]).toEqual(Array(20).fill(3));
    expect(wanted(at(5)).size).toBe(0);
  });

  test('is never more than ten references of a suite beyond five tries', () => {
    const many = suite([...repeat(15, tried('11', '00')), ...repeat(15, tried('00', '11'))]);
    expect(wanted(many).size).toBe(10);
  });

  test('leaves single references alone where they do not count', () => {
    const one = suite([tried('11', '00'), ...fine(49)]);
    const next = wantedTries([one], { ...levels, references: 0 }, true)[0]!;
    expect(next.size === 1).toBe(false);
  });
});

describe('judgeReferences', () => {
  test('has no cliff: one broken reference of 350 in ten suites is called after a few tries more', () => {
    const passing = suite(fine(35));
    const broke = suite([broken(12), ...fine(34)]);
    const suites = [broke, ...Array.from({ length: 9 }, () => passing)];
    expect(calledReferences(judgeReferences(suites, 0.01), 0)).toEqual([0]);
    expect(calledReferences(judgeReferences(suites, 0.01), 1)).toEqual([]);
  });

  test('a critical reference needs less evidence than one in the crowd', () => {
    const tries = [tried('11111', '00000'), ...fine(199)];
    expect(calledReferences(judgeReferences([suite(tries)], 0.01), 0)).toEqual([]);
    expect(
      calledReferences(judgeReferences([suite(tries, { critical: new Set([0]) })], 0.01), 0),
    ).toEqual([0]);
  });
});

describe('calm', () => {
  const look = (count: number, tries: number, failed = 0) =>
    lookAt(suite([...repeat(failed, broken(tries)), ...fine(count - failed, tries)]), tries);

  test('is what the bound says, or the difference in a suite too small for the bound', () => {
    expect(ruledOutBy(look(20, 2), 0.1)).toBe('bound');
    expect(ruledOutBy(look(8, 2), 0.1)).toBeNull();
    expect(ruledOutBy(look(8, 3), 0.1)).toBe('level');
    expect(ruledOutBy(look(20, 5, 5), 0.1)).toBeNull();
  });

  test('is said of several suites together, unless one of them looks worse', () => {
    const small = look(5, 2);
    expect(isCalmTogether([small])).toBe(false);
    expect(isCalmTogether(Array.from({ length: 20 }, () => small))).toBe(true);
    expect(isCalmTogether([...Array.from({ length: 40 }, () => small), look(5, 2, 4)])).toBe(false);
  });
});
