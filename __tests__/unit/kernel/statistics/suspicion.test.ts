import { describe, expect, test } from '@jest/globals';
import {
  calledReferences,
  judgeReferences,
  suspicionOf,
} from '../../../../src/kernel/statistics/suspicion.ts';
import { broken, fine, ledger, repeat, tried, withMetrics } from './ledgers.ts';

const ALL = { level: 0.01, judged: 'all' } as const;

describe('judgeReferences', () => {
  test('needs less evidence for a critical reference than for one of many', () => {
    const tries = [broken(5), ...fine(199)];
    const called = (critical: number[]) =>
      calledReferences(judgeReferences([ledger(tries, { critical: new Set(critical) })], ALL), 0);
    expect(called([])).toEqual([]);
    expect(called([0])).toEqual([0]);
  });

  test('calls nothing that it does not judge: others under churn, and fixed numbers of tries', () => {
    const tries = [broken(12), ...fine(9)];
    const called = (judged: 'critical' | 'all', own = {}) =>
      calledReferences(judgeReferences([ledger(tries, own)], { level: 0.01, judged }), 0);
    expect(called('all')).toEqual([0]);
    expect(called('critical')).toEqual([]);
    expect(called('critical', { critical: new Set([0]) })).toEqual([0]);
    expect(called('all', { fixed: repeat(10, 2) })).toEqual([]);
  });
});

describe('suspicionOf', () => {
  test('finds one metric that broke although another hides it in the outcome', () => {
    // The other metric fails throughout, so no try passes on either side.
    const never = tried('00000000', '00000000');
    const both = withMetrics({ tone: [never], facts: [broken(8)] });
    expect(suspicionOf(ledger([never]), 0).value).toBeLessThanOrEqual(1);
    expect(suspicionOf(both, 0).value).toBeGreaterThan(20);
  });

  test('costs nothing with one metric', () => {
    const one = ledger([broken(5)]);
    const alone = suspicionOf(one, 0).value;
    expect(suspicionOf({ ...one, metrics: 2 }, 0).value).toBeLessThan(alone);
  });
});
