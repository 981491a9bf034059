import { describe, expect, test } from '@jest/globals';
import type { GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import { decide as decideOutcome } from '../../../../src/kernel/judge/gate.ts';
import type { ScoringResult } from '../../../../src/kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import type { GateSettings } from '../../../../src/kernel/suite/gate-settings.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  gate,
  gateInput,
  referenceResult,
  sideResult,
  suiteResult,
} from '../../app/run/builders.ts';
import { inWords } from './in-words.ts';

const decide = (given: Partial<GateInput>, settings: Partial<GateSettings> = {}) => {
  const input = gateInput({ settings: gate(settings), ...given });
  return inWords(decideOutcome(input), input);
};
const about = (changes: Partial<SuiteResult>, settings: Partial<GateSettings> = {}) =>
  decide({ suites: [suiteResult(changes)] }, settings);
const head = (outcomes: Outcome[]): Partial<SuiteResult> => ({
  references: [referenceResult('a', { base: sideResult(['pass']), head: sideResult(outcomes) })],
});
const headAlone = (outcomes: Outcome[]): Partial<SuiteResult> => ({
  references: [referenceResult('a', { base: null, head: sideResult(outcomes) })],
});
const failing = (skip = false): Partial<SuiteResult> => ({
  references: [referenceResult('a', { skip, head: sideResult(['fail'], 'fail') })],
});
const fell = (base: number, after: number): Partial<SuiteResult> => ({
  verdict: 'regressed',
  pass_rate: { base, head: after, difference: after - base, low: -0.6, high: -0.1, p: 0.001 },
});
const scoring = (effect: number): ScoringResult => ({
  path: 'p',
  name: 'p',
  rates: { base_base: 0.5, base_head: 0.5 + effect, head_base: 0.5, head_head: 0.5 + effect },
  prompt_effect: 0,
  scoring_effect: effect,
  total: effect,
  because: [],
  flipped: [],
  same_answers: { unit: 'answers', judged: 20, pass_fail: 0, fail_pass: 4, p: 0.0625, kappa: 0.5 },
});

describe('run whose head uses recordings where base calls a model', () => {
  const replaced = ['a', 'b', 'c'].map((suite) => ({
    suite,
    by: 'recordings' as const,
    file: 'evaldiff.yaml',
    reason: { code: 'recorded' as const, suite, ids: ['r1'] },
  }));

  test('is not a success, and its title and reasons mention the recordings', () => {
    expect(decide({ replaced })).toEqual({
      conclusion: 'neutral',
      title: 'Not comparable: recordings in place of a model in a, b and 1 more',
      reasons: replaced.map(
        ({ suite }) =>
          `${suite}: base's answers to 1 test (r1) come from a model, head's from a recording: ` +
          'this says nothing about that model, so it is not a success',
      ),
    });
  });

  test('is still a failure if a suite regressed', () => {
    const decision = decide({ suites: [suiteResult(fell(1, 0.5))], replaced });
    expect(decision.conclusion).toBe('failure');
    expect(decision.title).toMatch(
      /^Regressed: .*; recordings in place of a model in a, b and 1 more$/,
    );
  });

  test('mentions the recordings even in a truncated title', () => {
    const { title } = decide({ replaced: [{ ...replaced[0]!, suite: 'long '.repeat(100) }] });
    expect(title.length).toBeLessThanOrEqual(255);
    expect(title).toContain('recordings in place of a model');
  });
});

describe('conclusion', () => {
  test('is success if nothing relevant changed, and the title says so', () => {
    expect(decide({ suites: [], affected: 0 })).toEqual({
      conclusion: 'success',
      title: 'No prompt, rubric or test changed: nothing to run.',
      reasons: [],
    });
  });

  test('names the variant only if a suite has several variants', () => {
    const of = (model: string, name: string, verdict: SuiteResult['verdict']): SuiteResult => {
      const variant = { model, parameters: { temperature: 0 } };
      return suiteResult({ ...fell(1, 0.5), name, path: name, verdict, variant });
    };
    const said = (...suites: SuiteResult[]): string => decide({ suites }).title;
    const large = of('large', 'math', 'regressed');
    const other = of('small', 'chat', 'regressed');
    expect([
      said(of('small', 'math', 'unchanged'), large, other),
      said(of('small', 'math', 'unchanged'), of('large', 'math', 'improved')),
      said(large, other),
    ]).toEqual([
      'Regressed: chat 100 → 50 %; math (large, temperature 0) 100 → 50 %',
      'Improved: math (large, temperature 0) 100 → 50 %',
      'Regressed: chat 100 → 50 %; math 100 → 50 %',
    ]);
  });

  test('is failure, with the pass rates in the reason, if a suite regressed', () => {
    expect(about({ ...fell(0.84, 0.6), name: 'math' })).toEqual({
      conclusion: 'failure',
      reasons: ['math regressed: 84 → 60 %'],
      title: 'Regressed: math 84 → 60 %',
    });
  });

  test('is neutral if inconclusive, unless on_inconclusive is fail', () => {
    const open = { verdict: 'inconclusive' } as const;
    expect(about(open)).toMatchObject({
      conclusion: 'neutral',
      title: 'Inconclusive: p 100 → 100 %',
      reasons: ['p: inconclusive. 100 → 100 %'],
    });
    const fail = { on_inconclusive: 'fail' } as const;
    expect(about(open, fail).conclusion).toBe('failure');
    expect(about(open, { ...fail, fail_on: 'never' }).conclusion).toBe('neutral');
    expect(about({ ...open, gate: { fail_on: 'never' } }, fail).conclusion).toBe('neutral');
  });

  test('is neutral, and a reason says why, if a suite regressed and fail_on is never', () => {
    const decision = about({ verdict: 'regressed' }, { fail_on: 'never' });
    expect(decision.conclusion).toBe('neutral');
    expect(decision.reasons).toContain('Not failed, because fail_on is never.');
  });

  test('lists removed references if no test ran', () => {
    const removed = ['p.yaml: a', 'p.yaml: b'];
    expect(decide({ suites: [], affected: 0, counted: 0, removed })).toEqual({
      conclusion: 'neutral',
      title: 'Deleted, skipped or quarantined: 2 tests (p.yaml: a, p.yaml: b)',
      reasons: [
        'No test ran, so there is no verdict.',
        '2 tests removed, newly skipped or quarantined: p.yaml: a, p.yaml: b',
      ],
    });
  });

  test('is success if every suite improved', () => {
    expect(about({ verdict: 'improved' }).conclusion).toBe('success');
  });
});

describe('run without a verdict', () => {
  test('is an error if more than a tenth of all tries ended in an error', () => {
    const tries = (errors: number): Outcome[] => [
      ...Array<Outcome>(errors).fill('error'),
      ...Array<Outcome>(19 - errors).fill('pass'),
    ];
    expect(about(head(tries(2))).conclusion).toBe('success');
    expect(about({ ...head(tries(3)), verdict: 'regressed' })).toEqual({
      conclusion: 'error',
      reasons: ['3 of 20 tries ended in an error, so nothing was judged', 'timeout'],
      title: 'Not judged: 3 of 20 tries ended in an error, so nothing was judged',
    });
  });

  test('is a failure instead of an error if head has significantly more errors than base', () => {
    const errs = head(Array.from({ length: 8 }, (_, index) => (index < 2 ? 'error' : 'fail')));
    const fell = (reason: object): string => {
      const why = { by: 'fall' as const, p: null, references: [], metrics: [], tolerance: 0.1 };
      return about({ ...errs, verdict: 'regressed', reason: { ...why, ...reason } }).conclusion;
    };
    expect([fell({}), fell({ unanswered: true })]).toEqual(['error', 'failure']);
  });

  test.each<[Outcome[], string]>([
    [
      ['ungraded', 'skipped'],
      '1 of 2 tries have no readable grade and no other was judged, so there is no verdict.',
    ],
    [['skipped'], 'No metric judges any answer, so there is no verdict.'],
  ])('is an error if no try could be judged: %j', (outcomes, reason) => {
    expect(about(headAlone(outcomes))).toMatchObject({ conclusion: 'error', reasons: [reason] });
  });

  test('mentions ungraded tries in the reasons if they are more than a tenth', () => {
    const calm = 'No regression: p 100 → 100 %';
    expect(about(head(['pass', 'ungraded']))).toMatchObject({
      reasons: ['p: 1 of 3 tries have no readable grade'],
      title: `${calm}; 1 of 3 answers have no readable grade`,
    });
    expect(about(head([...Array<Outcome>(8).fill('pass'), 'ungraded'])).title).toBe(calm);
    const name = 'n'.repeat(400);
    const { title } = about({ ...head(['fail', 'ungraded']), name, verdict: 'regressed' });
    expect(title).toHaveLength(255);
    expect(title).toMatch(/…; 1 of 3 answers have no readable grade$/);
  });
});

describe('run in which no pass rate affects the gate', () => {
  const shown = { name: 'len', base: null, head: null, judged_base: 0, judged_head: 0 };
  const mean = { base: 10, head: 30, difference: 20, low: 19, high: 21, p: 0.001, references: 19 };
  const shows = (outcomes: Outcome[], moved: 'worse' | null): SuiteResult => {
    const values = { ...mean, gate: 'fail', moved, way: 'rose', by: 'mean' } as const;
    return suiteResult({
      ...headAlone(outcomes),
      metrics: [{ ...shown, gates: false, better: 'lower', values }],
    });
  };
  const skipped = Array<Outcome>(19).fill('skipped');
  const titleOf = (given: Partial<GateInput>, settings: Partial<GateSettings> = {}) => {
    const { conclusion, title } = decide(given, settings);
    return `${conclusion}: ${title}`;
  };

  test('has no verdict, but fails if a mean value that affects the gate dropped, with or without an error', () => {
    for (const outcomes of [skipped, [...skipped, 'error' as const]]) {
      expect(titleOf({ suites: [shows(outcomes, null)] })).toMatch(
        /^neutral: p: no metric decides/,
      );
      expect(titleOf({ suites: [shows(outcomes, 'worse')] })).toMatch(/^failure: /);
    }
  });

  test('does not fail even if on_inconclusive is fail', () => {
    const suites = [{ ...shows(skipped, null), verdict: 'inconclusive' as const }];
    const { conclusion, reasons } = decide({ suites }, { on_inconclusive: 'fail' });
    expect([conclusion, reasons.length]).toEqual(['neutral', 1]);
  });

  test('still fails for a removed reference if gate.removed is fail', () => {
    const suites = [shows(skipped, null)];
    const removed = { suites, removed: ['q: a'] };
    expect(titleOf(removed, { removed: 'fail' })).toMatch(/^failure: .*removed/);
    expect(titleOf({ suites, removed: [] }, { removed: 'fail' })).toMatch(/^neutral: /);
    const weakened = [{ code: 'metric-silent', suite: 'q', metric: 'has', answers: 4 } as const];
    expect(decide({ suites, weakened }).reasons).toHaveLength(2);
    const alone = { ...removed, preferenceAlone: ['p'] };
    expect(titleOf(alone, { removed: 'fail' })).toMatch(/^failure: .*removed/);
  });
});

describe('change that affects only skipped or quarantined tests', () => {
  const nothing = { counted: 0, suites: [suiteResult({ verdict: 'unchanged' })] };

  test('is never a success', () => {
    expect(decide(nothing)).toMatchObject({
      conclusion: 'neutral',
      title: 'No verdict: every test that ran is skipped or in quarantine.',
    });
    expect(decide({ counted: 0, suites: [], affected: 0, hasUnusedChanges: true })).toEqual({
      conclusion: 'neutral',
      title: 'No test ran, so there is no verdict.',
      reasons: [
        'No test ran, so there is no verdict.',
        'Some changes of this pull request are not used, because an outside contributor made them; the notices list them.',
      ],
    });
  });

  test('fails if gate.removed is fail and a reference was removed, and is an error if every try is an error', () => {
    const removed = decide({ ...nothing, removed: ['p: a'] }, { removed: 'fail' });
    expect(removed.conclusion).toBe('failure');
    const suites = [suiteResult(head(['error', 'error']))];
    expect(decide({ counted: 0, suites }).conclusion).toBe('error');
  });

  test('adds nothing to the reasons if tests that count ran too', () => {
    expect(decide({ hasUnusedChanges: true })).toMatchObject({
      conclusion: 'success',
      reasons: [],
    });
  });
});

test('a run is not a success if a metric judged no answer of head', () => {
  const silent = { code: 'metric-silent', suite: 'p', metric: 'has', answers: 4 } as const;
  const said = 'p: the metric has judged 4 answers of base and none of head';
  expect(decide({ unseen: { blocking: [silent], warnings: [] } })).toEqual({
    conclusion: 'neutral',
    title: said,
    reasons: [said],
  });
  expect(decide({ unseen: { blocking: [], warnings: [silent] } })).toMatchObject({
    conclusion: 'success',
    reasons: [said],
  });
});

describe('additional gates', () => {
  test("include min_pass_rate, an absolute minimum for head's pass rate", () => {
    const pass_rate = { base: 0.7, head: 0.79, difference: 0.09, low: 0, high: 0.1, p: 0.9 };
    expect(about({ pass_rate }, { min_pass_rate: 0.8 })).toMatchObject({
      conclusion: 'failure',
      reasons: ['p: pass rate 79 % is below min_pass_rate 80 %'],
    });
    expect(about({ pass_rate }, { min_pass_rate: 0.79 }).conclusion).toBe('success');
  });

  test('make the run red with fail_on: failure if a reference that is not skipped fails on head', () => {
    const failure = { fail_on: 'failure' } as const;
    expect(about(failing(), failure).reasons).toEqual(['p: 1 test failed on head: a']);
    expect(about(failing(true), failure).conclusion).toBe('success');
    expect(about(failing()).conclusion).toBe('success');
  });

  const scored = (
    effect: number,
    own: Partial<SuiteResult> = {},
    settings: Partial<GateSettings> = {},
  ) => decide({ suites: [suiteResult(own)], scoring: [scoring(effect)] }, settings);
  const strict = { scoring: 'fail' } as const;

  test('apply min_drop and fail_on of a suite to a change of its scoring', () => {
    const of = (own: NonNullable<SuiteResult['gate']>, path = 'p') => ({ path, gate: own });
    const wide = of({ min_drop: 0.2 });
    expect(scored(0.12, wide).reasons).toEqual([]);
    expect(scored(0.21, wide).reasons).toHaveLength(1);
    expect(scored(0.005, of({ min_drop: 0 })).reasons).toEqual([
      expect.stringContaining('the new scoring alone raises the pass rate by 0.5 points'),
    ]);
    expect(scored(0.12, wide, strict).conclusion).toBe('success');
    expect(scored(0.12, of({ fail_on: 'never' }), strict).conclusion).toBe('neutral');
    expect(scored(0.12, of({ fail_on: 'never' }, 'other'), strict).conclusion).toBe('failure');
  });

  test('fail the run for a change of the scoring only if gate.scoring is fail', () => {
    expect(scored(0.12)).toMatchObject({
      conclusion: 'success',
      reasons: [expect.stringContaining('review that change first')],
    });
    expect(scored(0.005).reasons).toEqual([]);
    expect(scored(-0.12, {}, strict).reasons).toEqual([
      'p: the new scoring alone lowers the pass rate by 12.0 points (of the same answers 4 now pass and 0 now fail); gate.scoring is fail',
    ]);
    expect(scored(0.005, {}, strict).conclusion).toBe('success');
  });

  test('fail the run for removed references only if gate.removed is fail, even if nothing else runs', () => {
    const removed = ['p: a'];
    expect(decide({ removed }).conclusion).toBe('success');
    const alone = decide({ removed, affected: 0, suites: [] }, { removed: 'fail' });
    expect(alone.conclusion).toBe('failure');
  });

  test('list in the reasons all removed references, and all newly skipped ones that got worse', () => {
    const references = [
      referenceResult('broke', { skip: true, head: sideResult(['fail']) }),
      referenceResult('holds', { skip: true }),
    ];
    const removed = ['prompts/p.yaml: gone', 'prompts/p.yaml: broke', 'prompts/p.yaml: holds'];
    expect(decide({ removed, suites: [suiteResult({ references })] })).toMatchObject({
      conclusion: 'success',
      reasons: [
        `3 tests removed, newly skipped or quarantined: ${removed.join(', ')}`,
        'newly skipped or quarantined, and worse on head: prompts/p.yaml: broke (1 of 1 passed → 0 of 1 passed)',
      ],
    });
  });

  test("shorten a long title to GitHub's limit", () => {
    expect(about({ verdict: 'regressed', name: 'x'.repeat(400) }).title).toHaveLength(255);
  });
});

describe('suite with its own gate', () => {
  const regressed = (name: string, own?: SuiteResult['gate']): SuiteResult =>
    suiteResult({ name, verdict: 'regressed', ...(own && { gate: own }) });
  const draft = regressed('draft', { fail_on: 'never' });
  const fall = (name: string): unknown => expect.stringMatching(`^${name} regressed: 100 → 100 %`);
  const uncounted = 'The last of these does not count, because fail_on is never for them.';

  test('does not fail the run if its fail_on is never, and gives the reason', () => {
    expect(decide({ suites: [suiteResult(), draft] })).toMatchObject({
      conclusion: 'neutral',
      reasons: [fall('draft'), 'Not failed, because fail_on is never.'],
    });
    expect(decide({ suites: [draft, regressed('math')] })).toMatchObject({
      conclusion: 'failure',
      reasons: [fall('math'), fall('draft'), uncounted],
    });
  });

  test('can fail a run whose fail_on is never', () => {
    const suites = [regressed('draft'), regressed('money', { fail_on: 'regression' })];
    expect(decide({ suites }, { fail_on: 'never' })).toMatchObject({
      conclusion: 'failure',
      reasons: [fall('money'), fall('draft'), uncounted],
    });
  });

  test('can set its own min_pass_rate or disable it', () => {
    const pass_rate = { base: 0.7, head: 0.7, difference: 0, low: -0.01, high: 0.01, p: 0.5 };
    const suites = [
      suiteResult({ name: 'strict', pass_rate, gate: { min_pass_rate: 0.9 } }),
      suiteResult({ name: 'free', pass_rate, gate: { min_pass_rate: null } }),
    ];
    expect(decide({ suites }, { min_pass_rate: 0.8 }).reasons).toEqual([
      'strict: pass rate 70 % is below min_pass_rate 90 %',
    ]);
  });

  test('fails on failing references if its fail_on is failure', () => {
    const suites = [
      suiteResult({ name: 'one', ...failing(), gate: { fail_on: 'failure' } }),
      suiteResult({ name: 'two', ...failing() }),
    ];
    expect(decide({ suites }).reasons).toEqual(['one: 1 test failed on head: a']);
  });
});

describe('problem found by a feature, such as a regressed attribute', () => {
  const finding = { suite: suiteResult(), text: 'p: a group of inputs regressed' };

  test('fails its suite and is given as the reason', () => {
    const [title, reasons] = [finding.text, [finding.text]];
    expect(decide({ featureFindings: [finding] })).toEqual({
      conclusion: 'failure',
      title,
      reasons,
    });
  });

  test.each([
    { path: 'other.yaml' },
    { name: 'another prompt of the file' },
    { variant: { model: 'x', parameters: {} } },
  ])('is ignored if it is about another suite (%j)', (other) => {
    const featureFindings = [{ ...finding, suite: { ...finding.suite, ...other } }];
    expect(decide({ featureFindings }).conclusion).toBe('success');
  });

  test('does not fail a suite whose fail_on is never', () => {
    const suites = [suiteResult({ gate: { fail_on: 'never' } })];
    expect(decide({ featureFindings: [finding], suites }).conclusion).toBe('neutral');
  });

  test('prevents success if the feature could not complete its analysis', () => {
    const title = 'p: its attributes could not be worked out';
    const reasons = [title];
    expect(decide({ unjudged: [title] })).toEqual({ conclusion: 'neutral', title, reasons });
  });
});

describe('run outcome', () => {
  const failing = (status: 'added' | 'fixed'): SuiteResult =>
    suiteResult({
      references: [
        referenceResult('a', { status, base: null, head: sideResult(['fail'], 'fail') }),
        referenceResult('b', { status, base: null, head: sideResult(['pass'], 'pass') }),
      ],
    });
  const kindOf = (given: Partial<GateInput>, settings: Partial<GateSettings> = {}): string =>
    decideOutcome(gateInput({ settings: gate(settings), ...given })).outcome.kind;
  const open = (by: 'model' | 'unsettled'): SuiteResult =>
    suiteResult({
      verdict: 'inconclusive',
      reason: { by, p: null, references: [], metrics: [], tolerance: 0.1 },
    });

  test('lists failing new references and fails only if gate.new is fail', () => {
    expect(decide({ suites: [failing('added')] })).toEqual({
      conclusion: 'success',
      title: 'New: 2 tests, 1 fails (a)',
      reasons: [],
    });
    expect(decide({ suites: [failing('added')] }, { new: 'fail' })).toEqual({
      conclusion: 'failure',
      title: 'New: 2 tests, 1 fails (a), and gate.new is fail',
      reasons: ['1 new test failed on head, and gate.new is fail: p: a'],
    });
    expect(kindOf({ mode: 'sweep', suites: [failing('added')] })).toBe('evaluated');
  });

  test('is fixed if one suite is fixed and another is improved', () => {
    const improved = suiteResult({ verdict: 'improved' });
    expect(decide({ suites: [improved, failing('fixed')] }).title).toMatch(
      /^Fixed: 2 of 2 tests of p \(a, b\): /,
    );
  });

  test('is model-changed only if every inconclusive suite is inconclusive because its model changed', () => {
    expect(kindOf({ suites: [open('model'), suiteResult()] })).toBe('model-changed');
    expect(kindOf({ suites: [open('model'), open('unsettled')] })).toBe('inconclusive');
    const settings = gate({ on_inconclusive: 'fail' });
    const strict = gateInput({ suites: [open('model')], settings });
    expect(decideOutcome(strict).outcome).toMatchObject({ kind: 'model-changed', fails: true });
  });

  test('is regressed even if no single suite dropped, but the pass rate of all suites together did', () => {
    const pool = { base: 0.9, head: 0.85 };
    expect(decide({ pool })).toEqual({
      conclusion: 'failure',
      title: 'Regressed: all suites together 90 → 85 %: clearly worse',
      reasons: ['the pass rate fell over all suites together 90 → 85 %'],
    });
    expect(decide({ pool }, { fail_on: 'never' }).conclusion).toBe('neutral');
  });

  describe('of a cancelled job', () => {
    const why = 'by a newer commit, by hand or by its timeout (SIGTERM)';
    const ended = (...suites: SuiteResult[]) => {
      const input = gateInput({ suites });
      const unmade = { tries: 1, grades: 0, rounds: 1 };
      return inWords(decideOutcome(input, { halt: { code: 'cancelled', why }, unmade }), input);
    };

    test('is an error, so that scripts do not treat it as a pass', () => {
      const { conclusion, title } = ended(suiteResult());
      expect([conclusion, title.startsWith(`Cancelled: ${why};`)]).toEqual(['error', true]);
    });

    test('is regressed if the completed tries already prove it', () => {
      const { conclusion, title } = ended(suiteResult(fell(1, 0.5)));
      expect([conclusion, title.startsWith('Regressed: ')]).toEqual(['failure', true]);
    });
  });
});
