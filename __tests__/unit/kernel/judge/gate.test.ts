import type { GateInput } from '../../../../src/kernel/judge/gate-input.ts';
import { decide } from '../../../../src/kernel/judge/gate.ts';
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
import { codesOf } from './decision.ts';

type Given = Partial<GateInput>;
type Settings = Partial<GateSettings>;
type Row = [what: string, given: Given, decision: string, settings?: Settings];

const decided = (given: Given, settings: Settings = {}) =>
  decide(gateInput({ settings: gate(settings), ...given }));
const reasonsOf = (given: Given, settings: Settings = {}) => decided(given, settings).reasons;
const expectDecision = (...[, given, decision, settings]: Row) =>
  expect(codesOf(decided(given, settings))).toBe(decision);

const about = (...changes: Partial<SuiteResult>[]): Given => ({ suites: changes.map(suiteResult) });
const verdict = (verdict: SuiteResult['verdict'], own?: SuiteResult['gate']) => ({
  verdict,
  ...(own && { gate: own }),
});
const head = (outcomes: Outcome[]): Partial<SuiteResult> => ({
  references: [referenceResult('a', { base: sideResult(['pass']), head: sideResult(outcomes) })],
});
const headAlone = (outcomes: Outcome[]): Partial<SuiteResult> => ({
  references: [referenceResult('a', { base: null, head: sideResult(outcomes) })],
});
const failing = (skip = false): Partial<SuiteResult> => ({
  references: [referenceResult('a', { skip, head: sideResult(['fail'], 'fail') })],
});
const rated = (head: number): Partial<SuiteResult> => ({
  pass_rate: { base: 0.7, head, difference: head - 0.7, low: -0.01, high: 0.1, p: 0.5 },
});
const because = (reason: Partial<NonNullable<SuiteResult['reason']>>): Partial<SuiteResult> => ({
  reason: { by: 'fall', p: null, references: [], metrics: [], tolerance: 0.1, ...reason },
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

const NEVER = { fail_on: 'never' } as const;
const STRICT = { on_inconclusive: 'fail' } as const;
const REMOVED = { removed: 'fail' } as const;
const GREEN = 'success no-regression';
const replaced = [
  {
    suite: 'a',
    by: 'recordings' as const,
    file: 'evaldiff.yaml',
    reason: { code: 'recorded' as const, suite: 'a', ids: ['r1'] },
  },
];
const silent = { code: 'metric-silent', suite: 'p', metric: 'has', answers: 4 } as const;

describe('the decision', () => {
  test.each<Row>([
    ['nothing relevant changed', { suites: [], affected: 0 }, 'success nothing-to-run'],
    ['a suite is unchanged', {}, GREEN],
    ['a suite regressed', about(verdict('regressed')), 'failure regressed: regressed'],
    [
      'a suite regressed and fail_on is never',
      about(verdict('regressed')),
      'neutral regressed: regressed held',
      NEVER,
    ],
    [
      'a suite is inconclusive',
      about(verdict('inconclusive')),
      'neutral inconclusive: inconclusive',
    ],
    [
      'a suite is inconclusive and on_inconclusive is fail',
      about(verdict('inconclusive')),
      'failure failed: inconclusive',
      STRICT,
    ],
    [
      'a suite is inconclusive, on_inconclusive is fail and fail_on is never',
      about(verdict('inconclusive')),
      'neutral inconclusive: inconclusive',
      { ...STRICT, ...NEVER },
    ],
    [
      'an inconclusive suite itself never fails',
      about(verdict('inconclusive', NEVER)),
      'neutral inconclusive: inconclusive',
      STRICT,
    ],
    ['every suite improved', about(verdict('improved')), 'success improved'],
    [
      'head uses recordings where base calls a model',
      { replaced },
      'neutral not-comparable: recorded',
    ],
    [
      'a suite regressed beside recordings',
      { ...about(verdict('regressed')), replaced },
      'failure regressed: regressed recorded',
    ],
    [
      'a metric judged no answer of head',
      { unseen: { blocking: [silent], warnings: [] } },
      'neutral no-verdict: metric-silent',
    ],
    [
      'a metric judged fewer answers of head, perhaps with good reason',
      { unseen: { blocking: [], warnings: [silent] } },
      `${GREEN}: metric-silent`,
    ],
    [
      'only the pass rate of all suites together fell',
      { pool: { base: 0.9, head: 0.85 } },
      'failure regressed: pool',
    ],
    [
      'only the pass rate of all suites together fell and fail_on is never',
      { pool: { base: 0.9, head: 0.85 } },
      'neutral regressed: pool held',
      NEVER,
    ],
  ])('if %s', expectDecision);
});

describe('run without a verdict', () => {
  const tries = (errors: number) => [
    ...Array<Outcome>(errors).fill('error'),
    ...Array<Outcome>(19 - errors).fill('pass'),
  ];
  const failed = head(Array.from({ length: 8 }, (_, index) => (index < 2 ? 'error' : 'fail')));
  const fell = (reason: Parameters<typeof because>[0]) =>
    about({ ...failed, verdict: 'regressed', ...because(reason) });
  const skipped = { counted: 0, ...about(verdict('unchanged')) };

  test.each<Row>([
    ['a tenth of all tries ended in an error', about(head(tries(2))), GREEN],
    [
      'more than a tenth of all tries ended in an error',
      about({ ...head(tries(3)), verdict: 'regressed' }),
      'error not-judged: errors words',
    ],
    ['many tries ended in an error on both sides', fell({}), 'error not-judged: errors words'],
    [
      'head has significantly more errors than base',
      fell({ unanswered: true }),
      'failure regressed: regressed words',
    ],
    [
      'no try has a readable grade',
      about(headAlone(['ungraded', 'skipped'])),
      'error not-judged: no-grades',
    ],
    ['every try was skipped', about(headAlone(['skipped'])), 'error not-judged: nothing-judged'],
    [
      'more than a tenth of the tries have no readable grade',
      about(head(['pass', 'ungraded'])),
      `${GREEN}: ungraded`,
    ],
    [
      'fewer tries have no readable grade',
      about(head([...Array<Outcome>(9).fill('pass'), 'ungraded'])),
      GREEN,
    ],
    ['every test is skipped or quarantined', skipped, 'neutral no-verdict: nothing-counts'],
    [
      'no test ran and changes are not used',
      { counted: 0, suites: [], affected: 0, hasUnusedChanges: true },
      'neutral no-verdict: no-test unused-changes',
    ],
    ['tests ran and changes are not used', { hasUnusedChanges: true }, GREEN],
    [
      'every test is skipped and one was removed',
      { ...skipped, removed: ['p: a'] },
      'failure failed: removed',
      REMOVED,
    ],
    [
      'every test is skipped and every try is an error',
      { counted: 0, ...about(head(['error', 'error'])) },
      'error not-judged: errors words',
    ],
  ])('is decided as expected if %s', expectDecision);

  test('has counts in its reasons', () => {
    expect(reasonsOf(about(head(tries(3))))[0]).toMatchObject({ errors: 3, of: 20 });
    expect(reasonsOf(about(headAlone(['ungraded', 'skipped'])))[0]).toMatchObject({
      ungraded: 1,
      of: 2,
    });
    expect(reasonsOf(about(head(['pass', 'ungraded'])))[0]).toMatchObject({ tries: 1, of: 3 });
  });
});

describe('run in which no pass rate affects the gate', () => {
  const shown = { name: 'len', base: null, head: null, judged_base: 0, judged_head: 0 };
  const mean = { base: 10, head: 30, difference: 20, low: 19, high: 21, p: 0.001, references: 19 };
  const skipped = Array<Outcome>(19).fill('skipped');
  const shows = (moved: 'worse' | null, more: Outcome[] = []): Given => {
    const values = { ...mean, gate: 'fail', moved, way: 'rose', by: 'mean' } as const;
    return about({
      ...headAlone([...skipped, ...more]),
      metrics: [{ ...shown, gates: false, better: 'lower', values }],
    });
  };
  const inconclusive = about({ ...shows(null).suites![0]!, verdict: 'inconclusive' });
  const NONE = 'neutral no-verdict: nothing-gates';
  const gone = { ...shows(null), removed: ['q: a'] };

  test.each<Row>([
    ['no mean value dropped', shows(null), NONE],
    ['no mean value dropped beside an error', shows(null, ['error']), NONE],
    ['a mean value dropped', shows('worse'), 'failure failed: metric-worse'],
    [
      'a mean value dropped beside an error',
      shows('worse', ['error']),
      'failure failed: metric-worse',
    ],
    ['on_inconclusive is fail', inconclusive, 'neutral inconclusive: nothing-gates', STRICT],
    ['gate.removed is fail', shows(null), NONE, REMOVED],
    [
      'a reference was removed and gate.removed is fail',
      gone,
      'failure failed: removed nothing-gates',
      REMOVED,
    ],
    [
      'a reference of a suite with preferences alone was removed',
      { ...gone, preferenceAlone: ['p'] },
      'failure failed: removed preference-alone',
      REMOVED,
    ],
    ['a check was weakened', { ...shows(null), weakened: [silent] }, `${NONE} metric-silent`],
  ])('is decided as expected if %s', expectDecision);
});

describe('additional gates', () => {
  const floor = { min_pass_rate: 0.8 };
  const on = { fail_on: 'failure' } as const;
  const removed = { removed: ['p: a'] };

  test.each<Row>([
    ['is below min_pass_rate', about(rated(0.79)), 'failure failed: below-floor', floor],
    ['is at min_pass_rate', about(rated(0.8)), GREEN, floor],
    [
      'has a failing reference and fail_on is failure',
      about(failing()),
      'failure failed: failed',
      on,
    ],
    ['has a skipped failing reference and fail_on is failure', about(failing(true)), GREEN, on],
    ['has a failing reference', about(failing()), GREEN],
    ['lost a reference', removed, `${GREEN}: removed`],
    ['lost a reference and gate.removed is fail', removed, 'failure failed: removed', REMOVED],
    [
      'lost a reference, nothing else runs and gate.removed is fail',
      { ...removed, affected: 0, suites: [] },
      'failure failed: removed',
      REMOVED,
    ],
    [
      'lost all references, so that no test ran',
      { ...removed, suites: [], affected: 0, counted: 0 },
      'neutral only-removed: no-test removed',
    ],
  ])('decide as expected about a run that %s', expectDecision);

  test('give the figures in the reasons', () => {
    expect(reasonsOf(about(rated(0.79)), floor)).toMatchObject([{ rate: 0.79, floor: 0.8 }]);
    expect(reasonsOf(about(failing()), on)).toMatchObject([{ suite: 'p', ids: ['a'] }]);
  });

  const own = (gate: NonNullable<SuiteResult['gate']>, path = 'p') => about({ path, gate });
  const wide = own({ min_drop: 0.2 });
  const scored = (effect: number, given: Given = {}): Given => ({
    scoring: [scoring(effect)],
    ...given,
  });
  const FAIL = { scoring: 'fail' } as const;

  test.each<Row>([
    ['moves the pass rate', scored(0.12), `${GREEN}: scoring-moved`],
    [
      'moves the pass rate and gate.scoring is fail',
      scored(-0.12),
      'failure failed: scoring-moved',
      FAIL,
    ],
    ['moves the pass rate a little and gate.scoring is fail', scored(0.005), GREEN, FAIL],
    ["moves the pass rate by less than the suite's min_drop", scored(0.12, wide), GREEN, FAIL],
    [
      "moves the pass rate by more than the suite's min_drop",
      scored(0.21, wide),
      `${GREEN}: scoring-moved`,
    ],
    [
      'moves the pass rate a little and min_drop is 0',
      scored(0.005, own({ min_drop: 0 })),
      `${GREEN}: scoring-moved`,
    ],
    [
      'moves the pass rate of a suite that never fails',
      scored(0.12, own(NEVER)),
      'neutral failed: scoring-moved held',
      FAIL,
    ],
    [
      'moves the pass rate beside a suite that never fails',
      scored(0.12, own(NEVER, 'other')),
      'failure failed: scoring-moved',
      FAIL,
    ],
  ])('decide as expected about a scoring that %s', expectDecision);

  test('list in the reasons all removed references, and all newly skipped ones that got worse', () => {
    const references = [
      referenceResult('broke', { skip: true, head: sideResult(['fail']) }),
      referenceResult('holds', { skip: true }),
    ];
    const named = ['prompts/p.yaml: gone', 'prompts/p.yaml: broke', 'prompts/p.yaml: holds'];
    expect(reasonsOf({ removed: named, ...about({ references }) })).toEqual([
      { code: 'removed', named, fails: false },
      {
        code: 'worse-and-skipped',
        references: [
          {
            reference: 'prompts/p.yaml: broke',
            base: { passes: 1, of: 1 },
            head: { passes: 0, of: 1 },
          },
        ],
      },
    ]);
  });
});

describe('suite with its own gate', () => {
  const named = (name: string, own?: SuiteResult['gate']) => ({
    name,
    ...verdict('regressed', own),
  });
  const draft = named('draft', NEVER);

  test.each<Row>([
    ['whose fail_on is never', about({}, draft), 'neutral regressed: regressed held'],
    [
      'whose fail_on is never, beside another regressed suite',
      about(draft, named('math')),
      'failure regressed: regressed regressed held',
    ],
    [
      'that can fail a run whose fail_on is never',
      about(draft, named('money', { fail_on: 'regression' })),
      'failure regressed: regressed regressed held',
      NEVER,
    ],
    [
      'with its own min_pass_rate',
      about({ ...rated(0.7), gate: { min_pass_rate: 0.9 } }),
      'failure failed: below-floor',
    ],
    [
      'without min_pass_rate',
      about({ ...rated(0.7), gate: { min_pass_rate: null } }),
      GREEN,
      { min_pass_rate: 0.8 },
    ],
    [
      'whose fail_on is failure',
      about({ ...failing(), gate: { fail_on: 'failure' } }, failing()),
      'failure failed: failed',
    ],
  ])('is decided as expected: a suite %s', expectDecision);

  test('is named after the suites that fail the run', () => {
    expect(reasonsOf(about(draft, named('math')))).toMatchObject([
      { suite: 'math' },
      { suite: 'draft' },
      { held: 1, others: true },
    ]);
  });
});

describe('problem found by a feature, such as a regressed attribute', () => {
  const finding = { suite: suiteResult(), text: 'p: a group of inputs regressed' };
  const of = (suite: object): Given => ({
    featureFindings: [{ ...finding, suite: { ...finding.suite, ...suite } }],
  });
  const unjudged = 'p: its attributes could not be worked out';

  test.each<Row>([
    ['of a suite of this run', of({}), 'failure failed: feature'],
    ['of another file', of({ path: 'other.yaml' }), GREEN],
    ['of another prompt of the file', of({ name: 'another' }), GREEN],
    ['of another variant', of({ variant: { model: 'x', parameters: {} } }), GREEN],
    [
      'of a suite whose fail_on is never',
      { ...of({}), ...about({ gate: NEVER }) },
      'neutral failed: feature held',
    ],
    [
      'that could not complete its analysis',
      { unjudged: [unjudged] },
      'neutral no-verdict: feature',
    ],
  ])('is decided as expected: a problem %s', expectDecision);

  test('is given as the reason', () => {
    for (const [given, text] of [
      [of({}), finding.text],
      [{ unjudged: [unjudged] }, unjudged],
    ] as const)
      expect(reasonsOf(given)).toEqual([{ code: 'feature', text }]);
  });
});

describe('outcome of the run', () => {
  const references = (status: 'added' | 'fixed'): Partial<SuiteResult> => ({
    references: (['fail', 'pass'] as const).map((outcome, at) =>
      referenceResult(['a', 'b'][at]!, {
        status,
        base: null,
        head: sideResult([outcome, outcome], outcome),
      }),
    ),
  });
  const added = about(references('added'));
  const open = (by: 'model' | 'unsettled'): Partial<SuiteResult> => ({
    verdict: 'inconclusive',
    ...because({ by }),
  });

  test.each<Row>([
    ['a new reference fails', added, 'success new-failing'],
    [
      'a new reference fails and gate.new is fail',
      added,
      'failure failed: new-failed',
      { new: 'fail' },
    ],
    ['a new reference fails in a sweep', { mode: 'sweep', ...added }, 'success evaluated'],
    [
      'one suite is fixed and another improved',
      about(verdict('improved'), references('fixed')),
      'success fixed',
    ],
    [
      'the only inconclusive suite has a changed model',
      about(open('model'), {}),
      'neutral model-changed: inconclusive',
    ],
    [
      'the only inconclusive suite has a changed model and on_inconclusive is fail',
      about(open('model')),
      'failure model-changed: inconclusive',
      STRICT,
    ],
    [
      'only one of the inconclusive suites has a changed model',
      about(open('model'), open('unsettled')),
      'neutral inconclusive: inconclusive inconclusive',
    ],
  ])('is as expected if %s', expectDecision);

  test.each<[Outcome[], string]>([
    [['fail'], GREEN],
    [['fail', 'pass'], GREEN],
    [[...Array<Outcome>(7).fill('pass'), 'fail', 'fail'], GREEN],
    [['fail', 'fail'], 'failure failed: new-failed'],
    [[...Array<Outcome>(6).fill('pass'), 'fail', 'fail', 'fail'], 'failure failed: new-failed'],
  ])('under gate.new: fail with a new reference of tries %j is %s', (outcomes, decision) => {
    const references = [
      referenceResult('a', { status: 'added', base: null, head: sideResult(outcomes, 'fail') }),
    ];
    expect(codesOf(decided(about({ references }), { new: 'fail' }))).toBe(decision);
  });

  test('names the new references that fail', () => {
    expect(reasonsOf(added, { new: 'fail' })).toEqual([{ code: 'new-failed', named: ['p: a'] }]);
  });

  test.each([
    ['unchanged', 'error cancelled: ended'],
    ['regressed', 'failure regressed: regressed ended'],
  ] as const)(
    'of a cancelled job is an error unless the completed tries prove a regression: %s',
    (word, decision) => {
      const halt = { code: 'cancelled', why: 'by a newer commit' } as const;
      const unmade = { tries: 1, grades: 0, rounds: 1 };
      const input = gateInput(about(verdict(word)));
      expect(codesOf(decide(input, { halt, unmade }))).toBe(decision);
    },
  );
});
