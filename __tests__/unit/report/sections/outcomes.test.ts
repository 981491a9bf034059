import { exitCode } from '../../../../src/kernel/result/outcome.ts';
import {
  conclusionOf,
  runOutcomeSchema,
  type OutcomeKind,
  type OutcomeOf,
  type RunOutcome,
} from '../../../../src/kernel/result/outcome.ts';
import type { ReasonOf } from '../../../../src/kernel/result/reason.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { ScoringResult } from '../../../../src/kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { checkTitle } from '../../../../src/report/comment.ts';
import { endLine } from '../../../../src/text/log.ts';
import type { Conclusion } from '../../../../src/types/plain.ts';
import { hasFinding, outcomeFields, type Tone } from '../../../../src/wording/outcomes.ts';
import { readResult } from '../../../stand-ins/features.ts';
import {
  inTerminal,
  renderComment,
  renderSummary,
  renderHtml,
  unscriptedPage,
  headline,
  renderJunit,
} from '../../../stand-ins/reports.ts';
import { failed, green, passed, referenceOf, resultOf, suiteOf, withProblems } from '../results.ts';

/** What every output must show for one outcome: the end of the run, its first words and title. */
type Said<K extends OutcomeKind> = readonly [
  outcome: Omit<OutcomeOf<K>, 'kind'>,
  /** Other fields of the result. */
  of: Partial<Result>,
  end: keyof typeof ENDS,
  headline: string,
  title: string,
];

/** Conclusion, exit code and tone of each end. */
const ENDS = {
  green: ['success', 0, 'good'],
  red: ['failure', 1, 'bad'],
  fresh: ['success', 0, 'neutral'],
  broken: ['error', 2, 'bad'],
  grey: ['neutral', 0, 'neutral'],
  stopped: ['error', 2, 'neutral'],
  open: ['neutral', 0, 'open'],
  overridden: ['neutral', 0, 'bad'],
} satisfies Record<string, readonly [Conclusion, 0 | 1 | 2, Tone]>;

const { suites } = green();

/** A suite with these rates and references. */
const capitals = (
  verdict: SuiteResult['verdict'],
  [base, head]: readonly [number, number],
  references = [referenceOf('peru', 'unchanged', { head: passed('Lima') })],
  changes: Partial<SuiteResult> = {},
) => {
  const difference = head - base;
  const interval = { difference, low: difference - 0.05, high: difference + 0.05, p: 0.5 };
  return suiteOf('capitals', references, {
    verdict,
    pass_rate: { base, head, ...interval },
    ...changes,
  });
};
const FELL = [capitals('regressed', [0.9, 0.8])];
const RAN = { head: passed('Lima') };
const scoringOf = (name: string, after: number): ScoringResult => ({
  path: `prompts/${name}.yaml`,
  name,
  because: [],
  flipped: [],
  rates: { base_base: 0.5, base_head: after, head_base: null, head_head: null },
  prompt_effect: null,
  scoring_effect: after - 0.5,
  total: null,
  same_answers: { unit: 'answers', judged: 0, pass_fail: 0, fail_pass: 0, p: 1, kappa: null },
});
const FALL = 'capitals 90 → 80 %: clearly worse';
const FLOOR = 'capitals: pass rate 70 % is below min_pass_rate 80 %';
const BELOW = { code: 'below-floor', suite: 'capitals', rate: 0.7, floor: 0.8 } as const;
const RECORDED = 'recordings in place of a model in support';
const ERRORS = '3 of 20 tries ended in an error, so nothing was judged';
const NO_TEST = 'No verdict: every test that ran is skipped or in quarantine.';
const WHY = 'Time is up: it took long; 4 of 8 tries were made';
const ENDED = { halt: 'time', why: 'it took long', made: 4, planned: 8 } as const;
const ended = (effect: ReasonOf<'ended'>['effect']) =>
  [{ code: 'ended', ...ENDED, effect }] satisfies Result['reasons'];

const drifted = () =>
  capitals('inconclusive', [0.9, 0.7], undefined, {
    reason: { by: 'model', p: null, references: [], metrics: [], tolerance: 0.1 },
    confirmation: {
      rests_on: 'stored',
      status: 'model',
      by: null,
      limit: null,
      drift: { stored: 0.9, today: 0.8, p: 0.01 },
      suspects: [],
      all: null,
      stored: { tries: 3, oldest: null },
    },
  });
const alone = (name: string, head: number | null) =>
  suiteOf(name, [referenceOf('peru', 'pass', { head: passed('Lima') })], {
    pass_rate: { base: null, head, difference: null, low: null, high: null, p: null },
  });

// If a member of the union is missing, this does not compile.
const ALL: { [K in OutcomeKind]: Said<K> } = {
  'nothing-to-run': [
    { rubrics: 0 },
    {},
    'green',
    '✓ Nothing affected',
    'No prompt, rubric or test changed: nothing to run.',
  ],
  'not-evaluated': [
    { problems: 4 },
    { problems: withProblems().problems },
    'broken',
    '! Not judged',
    'Not judged: 4 problems to fix',
  ],
  'not-judged': [
    {},
    { reasons: [{ code: 'errors', errors: 3, of: 20 }] },
    'broken',
    '! Not judged',
    `Not judged: ${ERRORS}`,
  ],
  'ended-early': [ENDED, { suites, reasons: ended('too-few') }, 'broken', '! Not judged', WHY],
  waiting: [
    ENDED,
    { suites, reasons: ended('waiting') },
    'grey',
    '· Waiting for a batch',
    `Waiting for a batch; run again to pick it up. ${WHY}`,
  ],
  'without-keys': [
    { judged: true },
    { suites, reasons: [{ code: 'keys-withheld', from: 'fork' }] },
    'grey',
    '· Partly evaluated',
    'Checked without a model key',
  ],
  'no-verdict': [
    {},
    { suites, reasons: [{ code: 'nothing-counts' }] },
    'grey',
    '· No verdict',
    NO_TEST,
  ],
  'not-comparable': [
    {},
    { suites, replaced: [{ suite: 'support', by: 'recordings' }] },
    'open',
    '? Not comparable',
    `Not comparable: ${RECORDED}`,
  ],
  'only-removed': [
    { references: 1234 },
    { reasons: [{ code: 'no-test' }] },
    'grey',
    '· Deleted, skipped or quarantined',
    'Deleted, skipped or quarantined: 1,234 tests',
  ],
  cancelled: [ENDED, { suites, reasons: ended('waiting') }, 'stopped', '· Cancelled', WHY],
  fixed: [
    {},
    {
      suites: [
        capitals(
          'unchanged',
          [0.9, 0.9],
          [referenceOf('peru', 'fixed', { ...RAN, base: failed('Cusco') })],
        ),
      ],
    },
    'green',
    '✓ Fixed',
    'Fixed: 1 of 1 test of capitals (peru): 0 of 1 → 1 of 1 answers pass',
  ],
  'new-failing': [
    {},
    {
      suites: [
        capitals(
          'unchanged',
          [0.9, 0.9],
          [
            referenceOf('peru', 'added', { head: failed('Cusco', 'Cusco') }),
            referenceOf('oman', 'added', RAN),
            referenceOf('laos', 'added', RAN),
          ],
        ),
      ],
    },
    'fresh',
    '+ New',
    'New: 3 tests, 1 fails (peru)',
  ],
  regressed: [{ fails: true }, { suites: FELL }, 'red', '✗ Regressed', `Regressed: ${FALL}`],
  failed: [{ fails: true }, { suites, reasons: [BELOW] }, 'red', '✗ Failed', FLOOR],
  overridden: [
    { by: { kind: 'regressed', fails: true } },
    { suites: FELL, override: { label: 'accept', by: 'ada (write)', reason: 'wanted' } },
    'overridden',
    '✗ Regressed, overridden',
    `Overridden: Regressed: ${FALL}`,
  ],
  inconclusive: [
    {},
    {
      suites: [
        capitals(
          'inconclusive',
          [0.9, 0.8],
          [referenceOf('peru', 'regressed', RAN), referenceOf('oman', 'regressed', RAN)],
        ),
        ...suites,
      ],
    },
    'open',
    '? Inconclusive',
    'Inconclusive: capitals (gpt-4o, temperature 0) 90 → 80 %: 2 tests are too few to tell whether it got worse',
  ],
  'model-changed': [
    { fails: false },
    { suites: [drifted()] },
    'open',
    '? The model changed, not your prompt',
    'The model changed, not your prompt: capitals: base also drops when re-run today (90 → 80 %)',
  ],
  improved: [
    {},
    { suites: [capitals('improved', [0.8, 0.9])] },
    'green',
    '✓ Improved',
    'Improved: capitals 80 → 90 %: clearly better',
  ],
  'no-regression': [
    {},
    {
      suites: [
        capitals(
          'unchanged',
          [0.9, 0.9],
          Array.from({ length: 1234 }, (_, at) => referenceOf(`r${at}`, 'unchanged', RAN)),
        ),
      ],
    },
    'green',
    '✓ No regression',
    'No regression: capitals 90 → 90 %',
  ],
  'scoring-changed': [
    {},
    {
      suites: [{ ...suites[0]!, pass_rate: { ...suites[0]!.pass_rate, difference: null } }],
      scoring: [scoringOf('support', 0.6), scoringOf('capitals', 0.9)],
    },
    'green',
    '✓ Scoring changed',
    'Scoring changed: 50 → 90 % of the answers of capitals pass; 1 more suite',
  ],
  evaluated: [
    {},
    { mode: 'sweep', base: null, suites: [alone('capitals', 0.5), alone('support', 1)] },
    'green',
    '✓ Evaluated',
    'Evaluated 2 tests of 2 suites: pass rates from 50 % to 100 %',
  ],
};

/** The emoji for each tone. */
const PICTURES: Readonly<Record<Tone, string>> = {
  bad: '❌',
  good: '✅',
  open: '⚪',
  neutral: '➖',
};

describe.each(Object.entries(ALL))('the outcome %s', (kind, [members, of, end, first, title]) => {
  const given = { kind, ...members } as RunOutcome;
  const [conclusion, code, tone] = ENDS[end];
  const result = resultOf({ ...of, ...outcomeFields(given, of) });

  test('has one conclusion, exit code, tone, headline and title', () => {
    const { sign, tone: shown, outcome } = headline(result);
    const found = [conclusionOf(given), exitCode(result.conclusion), shown];
    expect(found).toEqual([conclusion, code, tone]);
    expect([`${sign} ${outcome}`, result.title]).toEqual([first, title]);
    expect(checkTitle(result)).toBe(title);
  });

  test('begins comment, summary, terminal and page with the same words', async () => {
    const words = first.slice(2);
    const heading = new RegExp(`^### ${PICTURES[tone]} ${words}(: |\n|$)`, 'm');
    expect(renderComment(result).split('\n')[1]).toMatch(heading);
    expect(renderSummary(result).split('\n')[0]).toMatch(heading);
    expect(inTerminal(result, 200)).toMatch(new RegExp(`^${first.replace(/[?+]/, '\\$&')}(: |\n)`));
    const page = await renderHtml(result);
    expect(page).toMatch(new RegExp(`<h1>${first.replace(/[?+]/, '\\$&')}(: |</h1>)`));
    expect(page).toContain(`<title>${first} – evaldiff</title>`);
  });

  test('ends the log with conclusion and title', () => {
    expect(endLine(result.conclusion, result.title)).toMatch(
      new RegExp(`^evaldiff: ${conclusion} \\(.+\\)\\. `),
    );
    expect(endLine(result.conclusion, result.title).endsWith(title)).toBe(true);
  });

  test('does not look green in JUnit if the run is red or judged nothing', () => {
    const [, failures, errors] =
      /<testsuites [^>]*failures="(\d+)" errors="(\d+)"/.exec(renderJunit(result)) ?? [];
    const red = conclusion === 'failure' || conclusion === 'error';
    expect(!red || Number(failures) + Number(errors) > 0).toBe(true);
  });

  test('is unchanged after reading result.json', () => {
    expect(runOutcomeSchema.parse(JSON.parse(JSON.stringify(given)))).toEqual(given);
    expect(readResult('result.json', result).problems).toEqual([]);
  });
});

test('a failure with fail_on: never is grey, and says that it would have failed', () => {
  const result = resultOf({
    suites: green().suites,
    ...outcomeFields({ kind: 'failed', fails: false }, { reasons: [BELOW] }),
  });
  expect([result.conclusion, result.title, headline(result).outcome]).toEqual([
    'neutral',
    `Not failed, because fail_on is never: ${FLOOR}`,
    'Would fail',
  ]);
});

test("the title of a sweep of one suite shows the suite's pass rate, if there is one", () => {
  const title = (head: number | null) =>
    outcomeFields({ kind: 'evaluated' }, { suites: [alone('capitals', head)] }).title;
  expect([title(0.5), title(null)]).toEqual([
    'Evaluated 1 test of 1 suite: pass rate 50 %',
    'Evaluated 1 test of 1 suite',
  ]);
});

test('the title counts rubrics tested on labelled examples if no test is affected', () =>
  expect(outcomeFields({ kind: 'nothing-to-run', rubrics: 2 }).title).toBe(
    'No test is affected; 2 rubrics tested on labelled examples',
  ));

test('no report of a run without a verdict says "no regression" about a suite', async () => {
  const judged: Result = { ...green(), outcome: { kind: 'no-regression' } };
  const surfaces = async (result: Result): Promise<string[]> =>
    Promise.all([
      renderComment(result),
      renderSummary(result),
      unscriptedPage(result),
      inTerminal(result),
    ]);
  for (const text of await surfaces(judged)) expect(text).toMatch(/no regression/i);
  for (const kind of ['not-judged', 'no-verdict'] as const) {
    const result: Result = { ...judged, outcome: { kind }, title: '' };
    for (const text of await surfaces(result)) expect(text).not.toMatch(/no regression/i);
  }
});

test.each<[string, boolean, Result]>([
  ['a green run', false, green()],
  [
    'a run that affects no test',
    false,
    resultOf({ outcome: { kind: 'nothing-to-run', rubrics: 0 } }),
  ],
  ['a run with problems', true, withProblems()],
  [
    'new tests that pass',
    true,
    resultOf({ suites: [suiteOf('s', [referenceOf('a', 'added', { head: passed('x') })])] }),
  ],
  [
    'fixed tests',
    true,
    resultOf({
      suites: [suiteOf('s', [referenceOf('a', 'fixed', { base: failed('x'), head: passed('y') })])],
    }),
  ],
])('`comment: findings` decides about %s: %p', (_, isFinding, result) => {
  expect(hasFinding(result)).toBe(isFinding);
});
