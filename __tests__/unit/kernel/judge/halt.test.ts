import { describe, expect, test } from '@jest/globals';
import type { GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
import { incomplete, type Halt, type Unmade } from '../../../../src/kernel/plan/halt.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import { isAbandoned } from '../../../../src/types/model.ts';
import {
  gate,
  gateInput,
  referenceResult,
  sideResult,
  suiteResult,
} from '../../app/run/builders.ts';
import { inWords } from './in-words.ts';

const decideHalted = (input: GateInput, ended: Halt, missing: Unmade) =>
  inWords(decide(input, { halt: ended, unmade: missing }), input);

const halt: Halt = {
  code: 'budget',
  why: 'the limit of 40 model calls (max-calls) is reached',
};
const suiteOf = (
  base: Outcome[],
  head: Outcome[],
  changes: Partial<SuiteResult> = {},
): SuiteResult =>
  suiteResult({
    references: [referenceResult('a', { base: sideResult(base), head: sideResult(head) })],
    ...changes,
  });
const many = (count: number, outcome: Outcome): Outcome[] => Array<Outcome>(count).fill(outcome);
const unmade = (tries: number, grades = 0, rounds = 0) => ({ tries, grades, rounds });

describe('run that ended early', () => {
  const reached = 'Budget reached: the limit of 40 model calls (max-calls) is reached';
  const fell = (changes: Partial<SuiteResult> = {}) => [
    suiteOf(many(10, 'pass'), [...many(5, 'fail'), ...many(5, 'error')], {
      verdict: 'regressed',
      ...changes,
    }),
  ];

  test('has no verdict, reports its progress, and does not count missing tries as errors', () => {
    const suites = [suiteOf(many(10, 'pass'), [...many(4, 'pass'), ...many(6, 'error')])];
    expect(decideHalted(gateInput({ suites }), halt, unmade(6))).toEqual({
      conclusion: 'error',
      title: `${reached}; 14 of 20 tries were made`,
      reasons: [`${reached}; 14 of 20 tries were made, which is not enough for a verdict.`],
    });
  });

  test('fails if the completed tries show a regression, and reports that it is incomplete', () => {
    expect(decideHalted(gateInput({ suites: fell() }), halt, unmade(5))).toMatchObject({
      conclusion: 'failure',
      reasons: [
        expect.stringMatching(/^p regressed: 100 → 100 %/),
        `${reached}; 15 of 20 tries were made, which is enough for this verdict.`,
      ],
    });
    const never = gateInput({ suites: fell(), settings: gate({ fail_on: 'never' }) });
    expect(decideHalted(never, halt, unmade(5)).conclusion).toBe('neutral');
  });

  test('does not report a regression if too many completed tries ended in an error', () => {
    const decision = decideHalted(gateInput({ suites: fell() }), halt, unmade(2));
    expect(decision.conclusion).toBe('error');
    expect(decision.reasons[1]).toBe('3 of 18 tries ended in an error, so nothing was judged');
  });

  test('does not count missing grades as errors', () => {
    const score = { metric: 'm', status: 'error', value: null, reason: 'not asked' } as const;
    const ungraded = {
      ...sideResult(['error']).tries[0]!,
      error: null,
      parts: partsOf('text'),
      scores: [{ ...score, skip: false }],
    };
    const head = sideResult(many(4, 'fail'));
    head.tries = [...head.tries, ungraded];
    const references = [referenceResult('a', { base: sideResult(many(4, 'pass')), head })];
    const input = gateInput({ suites: [suiteResult({ verdict: 'regressed', references })] });
    expect(decideHalted(input, halt, unmade(0, 1)).conclusion).toBe('failure');
    expect(decideHalted(input, halt, unmade(0, 0, 1)).conclusion).toBe('error');
  });
});

test('a run that waits for a batch is neutral, names the batch, and reports other errors', () => {
  const input = gateInput({ suites: [suiteOf(many(5, 'error'), many(5, 'error'))] });
  const waiting = { ids: ['batch_1', 'batch_2'], requests: 1200 };
  const late: Halt = { code: 'time', why: 'it took long', waiting };
  expect(decideHalted(input, late, unmade(10))).toEqual({
    conclusion: 'neutral',
    title:
      'Waiting for a batch; run again to pick it up. Time is up: it took long; 0 of 10 tries were made',
    reasons: [
      'Time is up: it took long; 0 of 10 tries were made.',
      '1,200 requests are with the vendor in batch_1, batch_2: paid for once, and picked up by the next run.',
    ],
  });
  const seven = { ids: ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'], requests: 1 };
  const stopped: Halt = { code: 'interrupted', why: 'SIGINT came', waiting: seven };
  const some = decideHalted(input, stopped, unmade(5));
  expect([some.conclusion, ...some.reasons.slice(1)]).toEqual([
    'neutral',
    '1 request is with the vendor in b0, b1, b2, b3, b4, …: paid for once, and picked up by the next run.',
    '5 of 5 tries ended in an error, so nothing was judged',
    'timeout',
  ]);
});

test('only calls that the run skipped or aborted count as missing', () => {
  const notMade = (['budget', 'aborted', 'timeout'] as const).map((kind) =>
    isAbandoned({ status: 'error', kind, message: '' }),
  );
  expect(notMade).toEqual([true, true, false]);
  expect([unmade(0), unmade(0, 0, 1)].map(incomplete)).toEqual([false, true]);
});
