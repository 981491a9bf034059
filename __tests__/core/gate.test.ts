import { describe, expect, test } from '@jest/globals';
import { decide, type GateInput } from '../../src/core/gate.ts';
import type { Outcome, SuiteResult, YardstickResult } from '../../src/types.ts';
import { gate, referenceResult, sideResult, suiteResult } from './builders.ts';

const input = (changes: Partial<GateInput> = {}): GateInput => ({
  suites: [suiteResult()], yardstick: [], settings: gate(), affected: 1, removed: [], ...changes,
});
const withHead = (outcomes: Outcome[], changes: Partial<SuiteResult> = {}): SuiteResult =>
  suiteResult({ references: [referenceResult('a', { base: sideResult(['pass']), head: sideResult(outcomes) })], ...changes });
const yardstick = (effect: number): YardstickResult => ({
  path: 'p', name: 'p', rates: { base_base: 0.5, base_head: 0.5 + effect, head_base: 0.5, head_head: 0.5 + effect },
  prompt_effect: 0, yardstick_effect: effect, total: effect, because: [], flipped: [], summary: '',
});

describe('the conclusion', () => {
  test('is a success that says so when nothing relevant changed', () => {
    expect(decide(input({ suites: [], affected: 0 }))).toEqual({ conclusion: 'success', title: 'No prompt, rubric or test changed: nothing to run.', reasons: [] });
  });

  test('is a failure with the numbers when a suite regressed', () => {
    const decision = decide(input({ suites: [suiteResult({
      name: 'math', verdict: 'regressed', summary: 'pass rate 84.0 % → 60.0 %', pass_rate: { base: 0.84, head: 0.6, difference: -0.24, low: -0.3, high: -0.1, p: 0.01 },
    })] }));
    expect(decision.conclusion).toBe('failure');
    expect(decision.reasons).toEqual(['math regressed: pass rate 84.0 % → 60.0 %']);
    expect(decision.title).toBe('Regressed: math 84.0 % → 60.0 % (−24.0 points)');
  });

  test('is neutral when it cannot tell, unless that is to fail', () => {
    const suites = [suiteResult({ verdict: 'inconclusive', summary: 'five tries would settle it.' })];
    expect(decide(input({ suites }))).toMatchObject({ conclusion: 'neutral', title: 'Cannot tell for 1 suite of 1', reasons: ['p: cannot tell. five tries would settle it.'] });
    expect(decide(input({ suites, settings: gate({ on_inconclusive: 'fail' }) })).conclusion).toBe('failure');
    expect(decide(input({ suites, settings: gate({ on_inconclusive: 'fail', fail_on: 'never' }) })).conclusion).toBe('neutral');
  });

  test('does not fail under fail_on never, and says why', () => {
    const decision = decide(input({ suites: [suiteResult({ verdict: 'regressed' })], settings: gate({ fail_on: 'never' }) }));
    expect(decision.conclusion).toBe('neutral');
    expect(decision.reasons).toContain('Not failed, because fail_on is never.');
  });

  test('names removals where there is nothing else', () => {
    const removed = ['p.yaml: a', 'p.yaml: b'];
    expect(decide(input({ suites: [], affected: 0, removed }))).toEqual({ conclusion: 'success', title: 'Nothing to run: 2 references removed or newly skipped', reasons: [] });
  });

  test('is a success when everything improved', () => {
    expect(decide(input({ suites: [suiteResult({ verdict: 'improved' })] })).conclusion).toBe('success');
  });
});

describe('runs without a verdict', () => {
  test('are errors when more than a tenth of all tries failed to answer, not at a tenth', () => {
    const tries = (errors: number): Outcome[] => [...Array<Outcome>(errors).fill('error'), ...Array<Outcome>(19 - errors).fill('pass')];
    expect(decide(input({ suites: [withHead(tries(2))] })).conclusion).toBe('success');
    const over = decide(input({ suites: [withHead(tries(3), { verdict: 'regressed' })] }));
    expect(over).toMatchObject({ conclusion: 'error', reasons: ['3 of 20 tries ended in an error, so nothing was judged', 'timeout'] });
    expect(over.title).toBe('Not judged: 3 of 20 tries ended in an error, so nothing was judged');
  });

  test('are errors when nothing could be judged at all', () => {
    const suites = [suiteResult({ references: [referenceResult('a', { base: null, head: sideResult(['ungraded', 'skipped']) })] })];
    expect(decide(input({ suites }))).toMatchObject({ conclusion: 'error', reasons: ['No test ran, so there is no verdict.'] });
  });

  test('say so in the reasons when more than a tenth has no readable grade', () => {
    const { reasons } = decide(input({ suites: [withHead(['pass', 'ungraded'])] }));
    expect(reasons).toEqual(['p: 1 of 3 tries have no readable grade']);
  });
});

describe('further gates', () => {
  test('min_pass_rate is an absolute floor on head', () => {
    const suites = [suiteResult({ pass_rate: { base: 0.7, head: 0.79, difference: 0.09, low: 0, high: 0.1, p: 0.9 } })];
    expect(decide(input({ suites, settings: gate({ min_pass_rate: 0.8 }) }))).toMatchObject({ conclusion: 'failure', reasons: ['p: pass rate 79.0 % is below min_pass_rate 80.0 %'] });
    expect(decide(input({ suites, settings: gate({ min_pass_rate: 0.79 }) })).conclusion).toBe('success');
  });

  test('fail_on failure fails on any gating reference whose roll-up fails on head', () => {
    const failing = (skip: boolean) => [suiteResult({ references: [referenceResult('a', { skip, head: sideResult(['fail'], 'fail') })] })];
    expect(decide(input({ suites: failing(false), settings: gate({ fail_on: 'failure' }) })).reasons).toEqual(['p: 1 reference failed on head: a']);
    expect(decide(input({ suites: failing(true), settings: gate({ fail_on: 'failure' }) })).conclusion).toBe('success');
    expect(decide(input({ suites: failing(false) })).conclusion).toBe('success');
  });

  test('a moved yardstick fails only when the settings ask for it', () => {
    expect(decide(input({ yardstick: [yardstick(0.12)] })).conclusion).toBe('success');
    const strict = gate({ yardstick: 'fail' });
    expect(decide(input({ yardstick: [yardstick(-0.12)], settings: strict })).reasons).toEqual(['p: the yardstick moved the pass rate by −12.0 points, and gate.yardstick is fail']);
    expect(decide(input({ yardstick: [yardstick(0.005)], settings: strict })).conclusion).toBe('success');
  });

  test('removed references fail only when the settings ask for it, also when nothing else runs', () => {
    const removed = ['p: a'];
    expect(decide(input({ removed })).conclusion).toBe('success');
    expect(decide(input({ removed, affected: 0, suites: [], settings: gate({ removed: 'fail' }) })).conclusion).toBe('failure');
  });

  test('the title never exceeds what GitHub shows', () => {
    const { title } = decide(input({ suites: [suiteResult({ verdict: 'regressed', name: 'x'.repeat(400) })] }));
    expect(title).toHaveLength(255);
  });
});
