import { describe, expect, test } from '@jest/globals';
import { decideHalted as decideOutcome } from '../../../../src/kernel/judge/gate.ts';
import type { GateInput } from '../../../../src/kernel/judge/outcome.ts';
import { incomplete, wasNotMade, type Halt } from '../../../../src/kernel/plan/halt.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  gate,
  gateInput,
  referenceResult,
  sideResult,
  suiteResult,
} from '../../app/run/builders.ts';
import { inWords } from './in-words.ts';

const decideHalted = (...given: Parameters<typeof decideOutcome>) =>
  inWords(decideOutcome(...given));

const halt: Halt = {
  title: 'Budget reached',
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
const input = (suites: SuiteResult[], changes: Partial<GateInput> = {}): GateInput =>
  gateInput({ suites, ...changes });
const many = (count: number, outcome: Outcome): Outcome[] => Array<Outcome>(count).fill(outcome);

describe('a run that was ended early', () => {
  test('has no verdict, says why and how far it came, and does not take what was not made for errors', () => {
    const decision = decideHalted(
      input([suiteOf(many(10, 'pass'), [...many(4, 'pass'), ...many(6, 'error')])]),
      halt,
      { tries: 6, grades: 0, rounds: 0 },
    );
    expect(decision).toEqual({
      conclusion: 'error',
      title:
        'Budget reached: the limit of 40 model calls (max-calls) is reached; 14 of 20 tries were made',
      reasons: [
        'Budget reached: the limit of 40 model calls (max-calls) is reached; 14 of 20 tries were made, which is not enough for a verdict.',
      ],
    });
  });

  test('is red by a regression that shows already, and says that it is not the whole plan', () => {
    const suites = [
      suiteOf(many(10, 'pass'), [...many(5, 'fail'), ...many(5, 'error')], {
        verdict: 'regressed',
        summary: 'it fell',
      }),
    ];
    const decision = decideHalted(input(suites), halt, { tries: 5, grades: 0, rounds: 0 });
    expect(decision.conclusion).toBe('failure');
    expect(decision.reasons).toEqual([
      'p regressed: it fell',
      'Budget reached: the limit of 40 model calls (max-calls) is reached; 15 of 20 tries were made, which is enough for this verdict.',
    ]);
    expect(
      decideHalted(input(suites, { settings: gate({ fail_on: 'never' }) }), halt, {
        tries: 5,
        grades: 0,
        rounds: 0,
      }).conclusion,
    ).toBe('neutral');
  });

  test('is not called regressed over more real errors than a run may have', () => {
    const suites = [
      suiteOf(many(10, 'pass'), [...many(5, 'fail'), ...many(5, 'error')], {
        verdict: 'regressed',
      }),
    ];
    const decision = decideHalted(input(suites), halt, { tries: 2, grades: 0, rounds: 0 });
    expect(decision.conclusion).toBe('error');
    expect(decision.reasons[1]).toBe('3 of 18 tries ended in an error, so nothing was judged');
  });

  test('does not take grades that were not asked for for errors either', () => {
    const ungraded = {
      ...sideResult(['error']).tries[0]!,
      error: null,
      actual: 'text',
      scores: [
        { metric: 'm', status: 'error' as const, value: null, reason: 'not asked', skip: false },
      ],
    };
    const head = {
      ...sideResult(many(4, 'fail')),
      tries: [...sideResult(many(4, 'fail')).tries, ungraded],
    };
    const suites = [
      suiteResult({
        verdict: 'regressed',
        references: [referenceResult('a', { base: sideResult(many(4, 'pass')), head })],
      }),
    ];
    expect(decideHalted(input(suites), halt, { tries: 0, grades: 1, rounds: 0 }).conclusion).toBe(
      'failure',
    );
    expect(decideHalted(input(suites), halt, { tries: 0, grades: 0, rounds: 1 }).conclusion).toBe(
      'error',
    );
  });
});

test('a run that leaves a batch with the vendor is neutral, says where it is, and hides no errors that others met', () => {
  const waiting = { ids: ['batch_1', 'batch_2'], requests: 1200 };
  const none = decideHalted(
    input([suiteOf(many(5, 'error'), many(5, 'error'))]),
    { title: 'Time is up', why: 'it took long', waiting },
    { tries: 10, grades: 0, rounds: 0 },
  );
  expect(none).toEqual({
    conclusion: 'neutral',
    title:
      'Waiting for a batch; run again to pick it up. Time is up: it took long; 0 of 10 tries were made',
    reasons: [
      'Time is up: it took long; 0 of 10 tries were made.',
      '1,200 requests are with the vendor in batch_1, batch_2: paid for once, and picked up by the next run.',
    ],
  });
  const some = decideHalted(
    input([suiteOf(many(5, 'error'), many(5, 'error'))]),
    {
      title: 'Interrupted',
      why: 'SIGINT came',
      waiting: { ids: Array.from({ length: 7 }, (_, index) => `b${String(index)}`), requests: 1 },
    },
    { tries: 5, grades: 0, rounds: 0 },
  );
  expect([some.conclusion, some.reasons[1]]).toEqual([
    'neutral',
    '1 request is with the vendor in b0, b1, b2, b3, b4, …: paid for once, and picked up by the next run.',
  ]);
  expect(some.reasons[2]).toBe('5 of 5 tries ended in an error, so nothing was judged');
});

test('only what the run itself did not make or wait for counts as missing', () => {
  const error = (kind: 'budget' | 'aborted' | 'timeout') => ({
    status: 'error' as const,
    kind,
    message: '',
  });
  expect([error('budget'), error('aborted'), error('timeout')].map(wasNotMade)).toEqual([
    true,
    true,
    false,
  ]);
  expect([
    incomplete({ tries: 0, grades: 0, rounds: 0 }),
    incomplete({ tries: 0, grades: 0, rounds: 1 }),
  ]).toEqual([false, true]);
});
