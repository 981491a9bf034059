import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../../../benchmarks/verdicts/simulate.ts';
import { answerCalls } from '../../../../src/kernel/plan/answer-calls.ts';
import type { SuiteComparison } from '../../../../src/kernel/plan/suite-run.ts';
import { createRandom } from '../../../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE } from '../../../../src/kernel/suite/gate-settings.ts';
import { scoring, tests } from '../../app/run/builders.ts';

const request = (side: string, provider = 'openai') => ({
  kind: 'request',
  fingerprint: side,
  target: { provider },
});

/** A suite as far as its tries are planned. */
function comparison(
  references: number,
  { provider = 'openai', kind = 'adaptive' }: { provider?: string; kind?: string } = {},
): SuiteComparison {
  const compared = Array.from({ length: references }, (_, i) => ({
    affected: {
      reference: { id: `r${String(i)}`, tags: [], n_tries: null },
      base: request('base', provider),
      head: request('head', provider),
    },
    base: [],
    head: [],
  }));
  return {
    run: { deciding: scoring(tests()) },
    policy: kind === 'adaptive' ? { kind } : { kind, tries: 3 },
    gate: DEFAULT_GATE,
    compared,
    steady: new Set(),
  } as unknown as SuiteComparison;
}

const callsOf = (...suites: SuiteComparison[]) =>
  answerCalls({
    suites,
    gate: DEFAULT_GATE,
    plan: {
      prompt_calls: suites.reduce((sum, { compared }) => sum + 4 * compared.length, 0),
    } as unknown as Parameters<typeof answerCalls>[0]['plan'],
  });

describe('the calls for answers', () => {
  test('are as a rule what unchanged suites take in simulated pull requests', () => {
    const random = createRandom('another way of counting');
    const rates = Array.from({ length: 20 }, () => 0.95);
    const runs = Array.from({ length: 150 }, () =>
      simulate([{ base: rates, head: rates }], 'adaptive', random),
    );
    const mean = runs.reduce((sum, { calls }) => sum + 20 * calls, 0) / runs.length;
    const { usual } = callsOf(comparison(20))!;
    expect(Math.abs(usual - mean) / mean).toBeLessThan(0.15);
  });

  test('are at most five tries a side of all, and those of ten sampled on to the end', () => {
    expect(callsOf(comparison(50))!.most).toBe(50 * 2 * 5 + 10 * 2 * 36);
    expect(callsOf(comparison(50), comparison(300))!.most).toBe(
      350 * 2 * 5 + 10 * 2 * 36 + 30 * 2 * 36,
    );
  });

  test('are the same every time, and grow with the suite beyond what is simulated', () => {
    expect(callsOf(comparison(30))).toEqual(callsOf(comparison(30)));
    const [small, large] = [callsOf(comparison(200))!.usual, callsOf(comparison(800))!.usual];
    expect(large / small).toBeGreaterThan(3.5);
    expect(large / small).toBeLessThan(4.5);
  });

  test('of recordings are none beyond the plan, and with fixed tries nothing is open', () => {
    const recorded = callsOf(comparison(20, { provider: 'replay' }))!;
    expect(recorded).toEqual({ usual: 80, most: 80 });
    expect(callsOf(comparison(20, { kind: 'fixed' }))).toBeNull();
  });
});
