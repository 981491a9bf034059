import type { GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
import { incomplete, type Halt, type Unmade } from '../../../../src/kernel/plan/halt.ts';
import { conclusionOf } from '../../../../src/kernel/result/outcome.ts';
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
import { codesOf } from './decision.ts';

const decideHalted = (input: GateInput, ended: Halt, missing: Unmade) =>
  decide(input, { halt: ended, unmade: missing });

const halt: Halt = {
  code: 'budget',
  why: 'the limit of 40 model calls (max-calls) is reached',
};
const suiteOf = (base: Outcome[], head: Outcome[], changes: Partial<SuiteResult> = {}) =>
  suiteResult({
    references: [referenceResult('a', { base: sideResult(base), head: sideResult(head) })],
    ...changes,
  });
const many = (count: number, outcome: Outcome) => Array<Outcome>(count).fill(outcome);
const unmade = (tries: number, grades = 0, rounds = 0) => ({ tries, grades, rounds });

describe('run that ended early', () => {
  const fell = (changes: Partial<SuiteResult> = {}) => [
    suiteOf(many(10, 'pass'), [...many(5, 'fail'), ...many(5, 'error')], {
      verdict: 'regressed',
      ...changes,
    }),
  ];

  test('has no verdict, reports its progress, and does not count missing tries as errors', () => {
    const suites = [suiteOf(many(10, 'pass'), [...many(4, 'pass'), ...many(6, 'error')])];
    const decision = decideHalted(gateInput({ suites }), halt, unmade(6));
    expect(codesOf(decision)).toBe('error ended-early: ended');
    expect(decision.reasons).toMatchObject([{ effect: 'too-few', made: 14, planned: 20 }]);
  });

  test('fails if the completed tries show a regression, and reports that it is incomplete', () => {
    const decision = decideHalted(gateInput({ suites: fell() }), halt, unmade(5));
    expect(codesOf(decision)).toBe('failure regressed: regressed ended');
    expect(decision.reasons[1]).toMatchObject({ effect: 'enough', made: 15, planned: 20 });
    const never = gateInput({ suites: fell(), settings: gate({ fail_on: 'never' }) });
    expect(codesOf(decideHalted(never, halt, unmade(5)))).toMatch(/^neutral/);
  });

  test('does not report a regression if too many completed tries ended in an error', () => {
    const { outcome, reasons } = decideHalted(gateInput({ suites: fell() }), halt, unmade(2));
    expect(conclusionOf(outcome)).toBe('error');
    expect(reasons[1]).toEqual({ code: 'errors', errors: 3, of: 18 });
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
    expect(codesOf(decideHalted(input, halt, unmade(0, 1)))).toMatch(/^failure/);
    expect(codesOf(decideHalted(input, halt, unmade(0, 0, 1)))).toMatch(/^error/);
  });
});

test('a run that waits for a batch is neutral, names the batch, and reports other errors', () => {
  const input = gateInput({ suites: [suiteOf(many(5, 'error'), many(5, 'error'))] });
  const waiting = { ids: ['batch_1', 'batch_2'], requests: 1200 };
  const late: Halt = { code: 'time', why: 'it took long', waiting };
  const decision = decideHalted(input, late, unmade(10));
  expect(codesOf(decision)).toBe('neutral waiting: ended waiting');
  expect(decision.reasons).toMatchObject([
    { effect: 'waiting', made: 0, planned: 10 },
    { requests: 1200, batches: ['batch_1', 'batch_2'] },
  ]);
  const stopped: Halt = { code: 'interrupted', why: 'SIGINT came', waiting };
  expect(codesOf(decideHalted(input, stopped, unmade(5)))).toBe(
    'neutral waiting: ended waiting errors words',
  );
});

test('only calls that the run skipped or aborted count as missing', () => {
  const notMade = (['budget', 'aborted', 'timeout'] as const).map((kind) =>
    isAbandoned({ status: 'error', kind, message: '' }),
  );
  expect(notMade).toEqual([true, true, false]);
  expect([unmade(0), unmade(0, 0, 1)].map(incomplete)).toEqual([false, true]);
});
