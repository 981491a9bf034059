import { describe, expect, test } from '@jest/globals';
import { exitCode } from '../../../../src/kernel/judge/outcome.ts';
import {
  conclusionOf,
  runOutcomeSchema,
  type OutcomeKind,
  type OutcomeOf,
  type RunOutcome,
} from '../../../../src/kernel/result/outcome.ts';
import type { ReasonOf } from '../../../../src/kernel/result/reason.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { checkTitle } from '../../../../src/report/comment.ts';
import type { Tone } from '../../../../src/report/sections/document.ts';
import { endLine } from '../../../../src/text/log.ts';
import type { Conclusion } from '../../../../src/types/plain.ts';
import { outcomeFields } from '../../../../src/wording/outcomes.ts';
import { readResult } from '../../../stand-ins/features.ts';
import {
  inTerminal,
  renderComment,
  renderSummary,
  renderHtml,
  headline,
  renderJunit,
} from '../../../stand-ins/reports.ts';
import { green, neutral, regression, resultOf, sweep, withProblems } from '../results.ts';

/** What every surface is to say of one outcome: the end of the run, its first words and title. */
type Said<K extends OutcomeKind> = readonly [
  outcome: Omit<OutcomeOf<K>, 'kind'>,
  /** What the run otherwise found. */
  of: Partial<Result>,
  end: keyof typeof ENDS,
  headline: string,
  title: string,
];

/** Conclusion, exit code and tone. */
const ENDS = {
  green: ['success', 0, 'good'],
  red: ['failure', 1, 'bad'],
  fresh: ['success', 0, 'neutral'],
  broken: ['error', 2, 'bad'],
  grey: ['neutral', 0, 'neutral'],
  open: ['neutral', 0, 'open'],
  overridden: ['neutral', 0, 'bad'],
} as const satisfies Record<string, readonly [Conclusion, 0 | 1 | 2, Tone]>;

const ungraded = null;
const { suites } = green();
const RATES = [{ name: 'capitals', base: 0.9, head: 0.8 }];
const BETTER = [{ name: 'capitals', base: 0.8, head: 0.9 }];
const FALL = 'capitals 90.0 % → 80.0 % (−10.0 points)';
const FLOOR = 'capitals: pass rate 70.0 % is below min_pass_rate 80.0 %';
const BELOW = { code: 'below-floor', suite: 'capitals', rate: 0.7, floor: 0.8 } as const;
const RECORDED = 'recordings in place of a model in support';
const ERRORS = '3 of 20 tries ended in an error, so nothing was judged';
const NO_TEST = 'No verdict: every test that ran is skipped or in quarantine.';
const WHY = 'Time is up: it took long; 4 of 8 tries were made';
const ENDED = { halt: 'time', why: 'it took long', made: 4, planned: 8 } as const;
const FELL = { suites: RATES, fails: true, ungraded };
const ended = (effect: ReasonOf<'ended'>['effect']) =>
  [{ code: 'ended', ...ENDED, effect }] satisfies Result['reasons'];

// A member of the union that is missing here does not compile.
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
    { ungraded },
    { suites, reasons: [{ code: 'nothing-counts' }] },
    'grey',
    '· No verdict',
    NO_TEST,
  ],
  'not-comparable': [
    { ungraded },
    { suites, replaced: [{ suite: 'support', by: 'recordings' }] },
    'open',
    '? Not comparable',
    `Not comparable: ${RECORDED}`,
  ],
  'only-removed': [
    { references: 1234 },
    { reasons: [{ code: 'no-test' }] },
    'grey',
    '· No verdict',
    'Nothing to run: 1,234 references removed, newly skipped or quarantined',
  ],
  cancelled: [ENDED, { suites, reasons: ended('waiting') }, 'grey', '· Cancelled', WHY],
  fixed: [
    { references: [{ suite: 'capitals', id: 'peru' }], ran: 1, worse: 0, ungraded },
    { suites },
    'green',
    '✓ Fixed',
    'Fixed: peru',
  ],
  'new-failing': [
    { references: [{ suite: 'capitals', id: 'peru' }], of: 3, ran: 1, worse: 0, ungraded },
    { suites },
    'fresh',
    '+ A new reference fails',
    '1 of 3 new references fails: peru',
  ],
  regressed: [FELL, { suites: regression().suites }, 'red', '✗ Regressed', `Regressed: ${FALL}`],
  failed: [{ fails: true, ungraded }, { suites, reasons: [BELOW] }, 'red', '✗ Failed', FLOOR],
  overridden: [
    { by: { kind: 'regressed', ...FELL } },
    { suites: regression().suites, override: { label: 'accept', reason: 'wanted' } },
    'overridden',
    '✗ Regressed, overridden',
    `Overridden: Regressed: ${FALL}`,
  ],
  inconclusive: [
    { suites: 1, ran: 3, worse: 2, ungraded },
    { suites: neutral().suites },
    'open',
    '? Inconclusive',
    'Inconclusive for 1 suite of 3; 2 references got worse',
  ],
  'model-changed': [
    { suites: RATES, fails: false, ran: 1, worse: 0, ungraded },
    { suites: neutral().suites },
    'open',
    '? The model changed, not your prompt',
    `The model changed, not your prompt: ${FALL}`,
  ],
  improved: [
    { suites: BETTER, ran: 1, worse: 0, ungraded },
    { suites: suites.map((suite) => ({ ...suite, verdict: 'improved' as const })) },
    'green',
    '✓ Improved',
    'Improved: capitals 80.0 % → 90.0 % (+10.0 points)',
  ],
  'no-regression': [
    { references: 1234, ran: 3, worse: 0, ungraded },
    { suites },
    'green',
    '✓ No regression',
    'No regression in 1,234 affected references of 3 suites',
  ],
  'scoring-changed': [
    { suites: ['capitals', 'support'], ungraded },
    { suites },
    'green',
    '✓ Scoring changed',
    'Scoring changed: capitals and 1 more',
  ],
  evaluated: [
    { suites: 3, references: 36, lowest: 0.5, highest: 1, ungraded: { tries: 3, of: 20 } },
    { mode: 'sweep', base: null, suites: sweep().suites },
    'green',
    '✓ Evaluated',
    'Evaluated 36 references of 3 suites: pass rates from 50.0 % to 100.0 %; 3 of 20 tries have no readable grade',
  ],
};

/** What stands for a tone where there are pictures. */
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
    expect(page).toMatch(
      new RegExp(`<section class="verdict ${tone}"><h1>${first.replace(/[?+]/, '\\$&')}(: |</h1>)`),
    );
    expect(page).toContain(`<title>${first} – evaldiff</title>`);
  });

  test('ends the log with conclusion and title', () => {
    expect(endLine(result.conclusion, result.title)).toMatch(
      new RegExp(`^evaldiff: ${conclusion} \\(.+\\)\\. `),
    );
    expect(endLine(result.conclusion, result.title).endsWith(title)).toBe(true);
  });

  test('never reads as green in JUnit where the run is red or judged nothing', () => {
    const [, failures, errors] =
      /<testsuites [^>]*failures="(\d+)" errors="(\d+)"/.exec(renderJunit(result)) ?? [];
    const red = conclusion === 'failure' || conclusion === 'error';
    expect(!red || Number(failures) + Number(errors) > 0).toBe(true);
  });

  test('survives result.json', () => {
    expect(runOutcomeSchema.parse(JSON.parse(JSON.stringify(given)))).toEqual(given);
    expect(readResult('result.json', result).problems).toEqual([]);
  });
});

test('what may not fail is grey, and says that it would have failed', () => {
  const result = resultOf({
    suites: green().suites,
    ...outcomeFields({ kind: 'failed', fails: false, ungraded }, { reasons: [BELOW] }),
  });
  expect([result.conclusion, result.title, headline(result).outcome]).toEqual([
    'neutral',
    `Not failed, because fail_on is never: ${FLOOR}`,
    'Would fail',
  ]);
});

test('a sweep of one suite names one rate, and one that has none names no rate', () => {
  const one = { kind: 'evaluated', suites: 1, references: 1, ungraded } as const;
  expect(outcomeFields({ ...one, lowest: 0.5, highest: 0.5 }).title).toBe(
    'Evaluated 1 reference of 1 suite: pass rate 50.0 %',
  );
  expect(outcomeFields({ ...one, lowest: null, highest: null }).title).toBe(
    'Evaluated 1 reference of 1 suite',
  );
});

test('rubrics that were tested where no reference is affected are named', () =>
  expect(outcomeFields({ kind: 'nothing-to-run', rubrics: 2 }).title).toBe(
    'No reference is affected; 2 rubrics tested on labelled examples',
  ));
