import { describe, expect, test } from '@jest/globals';
import { conclusionOf, outcomeFields } from '../../../../src/kernel/judge/outcome-fields.ts';
import { exitCode } from '../../../../src/kernel/judge/outcome.ts';
import {
  runOutcomeSchema,
  type OutcomeKind,
  type OutcomeOf,
} from '../../../../src/kernel/result/outcome.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { checkTitle } from '../../../../src/report/comment.ts';
import type { Tone } from '../../../../src/report/sections/document.ts';
import { endLine } from '../../../../src/text/log.ts';
import type { Conclusion } from '../../../../src/types/plain.ts';
import { readResult } from '../../../stand-ins/features.ts';
import {
  renderComment,
  renderSummary,
  renderHtml,
  headline,
  renderTerminal,
  renderJunit,
} from '../../../stand-ins/reports.ts';
import { green, neutral, regression, resultOf, sweep, withProblems } from '../results.ts';

/** What every surface is to say of one outcome. */
interface Said<K extends OutcomeKind> {
  outcome: OutcomeOf<K>;
  /** What the run otherwise found. */
  of: Partial<Result>;
  conclusion: Conclusion;
  code: 0 | 1 | 2;
  tone: Tone;
  headline: string;
  title: string;
}

const ungraded = null;
const RATES = [{ name: 'capitals', base: 0.9, head: 0.8 }];
const FALL = 'capitals 90.0 % → 80.0 % (−10.0 points)';
const FLOOR = 'capitals: pass rate 70.0 % is below min_pass_rate 80.0 %';
const ENDED = {
  halt: 'Time is up',
  why: 'Time is up: it took long; 4 of 8 tries were made',
  made: 4,
  planned: 8,
} as const;

// A member of the union that is missing here does not compile.
const ALL: { [K in OutcomeKind]: Said<K> } = {
  'nothing-to-run': {
    outcome: { kind: 'nothing-to-run', rubrics: 0 },
    of: {},
    conclusion: 'success',
    code: 0,
    tone: 'good',
    headline: '✓ Nothing affected',
    title: 'No prompt, rubric or test changed: nothing to run.',
  },
  'not-evaluated': {
    outcome: { kind: 'not-evaluated', problems: 4 },
    of: { problems: withProblems().problems },
    conclusion: 'error',
    code: 2,
    tone: 'bad',
    headline: '! Not judged',
    title: 'Not judged: 4 problems to fix',
  },
  'not-judged': {
    outcome: { kind: 'not-judged', why: '3 of 20 tries ended in an error' },
    of: { reasons: ['3 of 20 tries ended in an error'] },
    conclusion: 'error',
    code: 2,
    tone: 'bad',
    headline: '! Not judged',
    title: 'Not judged: 3 of 20 tries ended in an error',
  },
  'ended-early': {
    outcome: { kind: 'ended-early', ...ENDED },
    of: { suites: green().suites, reasons: [ENDED.why] },
    conclusion: 'error',
    code: 2,
    tone: 'bad',
    headline: '! Not judged',
    title: ENDED.why,
  },
  waiting: {
    outcome: { kind: 'waiting', ...ENDED },
    of: { suites: green().suites, reasons: [ENDED.why] },
    conclusion: 'neutral',
    code: 0,
    tone: 'neutral',
    headline: '· Waiting for a batch',
    title: `Waiting for a batch; run again to pick it up. ${ENDED.why}`,
  },
  'without-keys': {
    outcome: { kind: 'without-keys', judged: true },
    of: { suites: green().suites, reasons: ['No model key is available.'] },
    conclusion: 'neutral',
    code: 0,
    tone: 'neutral',
    headline: '· Partly evaluated',
    title: 'Checked without a model key',
  },
  'no-verdict': {
    outcome: { kind: 'no-verdict', why: 'No test that counts ran.', ungraded },
    of: { suites: green().suites, reasons: ['No test that counts ran.'] },
    conclusion: 'neutral',
    code: 0,
    tone: 'neutral',
    headline: '· No verdict',
    title: 'No test that counts ran.',
  },
  'not-comparable': {
    outcome: { kind: 'not-comparable', why: 'recordings in place of a model in support', ungraded },
    of: { suites: green().suites },
    conclusion: 'neutral',
    code: 0,
    tone: 'open',
    headline: '? Not comparable',
    title: 'Not comparable: recordings in place of a model in support',
  },
  'only-removed': {
    outcome: { kind: 'only-removed', references: 1234 },
    of: { reasons: ['No test ran, so there is no verdict.'] },
    conclusion: 'neutral',
    code: 0,
    tone: 'neutral',
    headline: '· No verdict',
    title: 'Nothing to run: 1,234 references removed, newly skipped or quarantined',
  },
  regressed: {
    outcome: { kind: 'regressed', suites: RATES, fails: true, replaced: null, ungraded },
    of: { suites: regression().suites },
    conclusion: 'failure',
    code: 1,
    tone: 'bad',
    headline: '✗ Regressed',
    title: `Regressed: ${FALL}`,
  },
  failed: {
    outcome: { kind: 'failed', why: FLOOR, fails: true, replaced: null, ungraded },
    of: { suites: green().suites, reasons: [FLOOR] },
    conclusion: 'failure',
    code: 1,
    tone: 'bad',
    headline: '✗ Failed',
    title: FLOOR,
  },
  overridden: {
    outcome: {
      kind: 'overridden',
      by: { kind: 'regressed', suites: RATES, fails: true, replaced: null, ungraded },
    },
    of: { suites: regression().suites, override: { label: 'accept', reason: 'wanted' } },
    conclusion: 'neutral',
    code: 0,
    tone: 'bad',
    headline: '✗ Regressed, overridden',
    title: `Overridden: Regressed: ${FALL}`,
  },
  inconclusive: {
    outcome: { kind: 'inconclusive', suites: 1, ran: 3, worse: 2, ungraded },
    of: { suites: neutral().suites },
    conclusion: 'neutral',
    code: 0,
    tone: 'open',
    headline: '? Inconclusive',
    title: 'Inconclusive for 1 suite of 3; 2 references got worse',
  },
  improved: {
    outcome: {
      kind: 'improved',
      suites: [{ name: 'capitals', base: 0.8, head: 0.9 }],
      ran: 1,
      worse: 0,
      ungraded,
    },
    of: { suites: green().suites.map((suite) => ({ ...suite, verdict: 'improved' as const })) },
    conclusion: 'success',
    code: 0,
    tone: 'good',
    headline: '✓ Improved',
    title: 'Improved: capitals 80.0 % → 90.0 % (+10.0 points)',
  },
  'no-regression': {
    outcome: { kind: 'no-regression', references: 1234, ran: 3, worse: 0, ungraded },
    of: { suites: green().suites },
    conclusion: 'success',
    code: 0,
    tone: 'good',
    headline: '✓ No regression',
    title: 'No regression in 1,234 affected references of 3 suites',
  },
  'scoring-changed': {
    outcome: { kind: 'scoring-changed', suites: ['capitals', 'support'], ungraded },
    of: { suites: green().suites },
    conclusion: 'success',
    code: 0,
    tone: 'good',
    headline: '✓ Scoring changed',
    title: 'Scoring changed: capitals and 1 more',
  },
  evaluated: {
    outcome: {
      kind: 'evaluated',
      suites: 3,
      references: 36,
      lowest: 0.5,
      highest: 1,
      ungraded: { tries: 3, of: 20 },
    },
    of: { mode: 'sweep', base: null, suites: sweep().suites },
    conclusion: 'success',
    code: 0,
    tone: 'good',
    headline: '✓ Evaluated',
    title:
      'Evaluated 36 references of 3 suites: pass rates from 50.0 % to 100.0 %; 3 of 20 tries have no readable grade',
  },
};

/** What stands for a tone where there are pictures. */
const PICTURES: Readonly<Record<Tone, string>> = {
  bad: '❌',
  good: '✅',
  open: '⚪',
  neutral: '➖',
};

type AnySaid = (typeof ALL)[OutcomeKind];

const resultThat = ({ outcome, of }: AnySaid): Result =>
  resultOf({ ...of, ...outcomeFields(outcome) });

describe.each(Object.values(ALL).map((said) => [said.outcome.kind, said] as const))(
  'the outcome %s',
  (_kind, said: AnySaid) => {
    const result = resultThat(said);

    test('has one conclusion, exit code, tone, headline and title', () => {
      const { sign, tone, outcome } = headline(result);
      expect({
        conclusion: conclusionOf(said.outcome),
        code: exitCode(result.conclusion),
        tone,
        headline: `${sign} ${outcome}`,
        title: result.title,
      }).toEqual({
        conclusion: said.conclusion,
        code: said.code,
        tone: said.tone,
        headline: said.headline,
        title: said.title,
      });
      expect(checkTitle(result)).toBe(said.title);
    });

    test('begins comment, summary, terminal and page with the same words', async () => {
      const words = said.headline.slice(2);
      const heading = new RegExp(`^### ${PICTURES[said.tone]} ${words}(: |\n|$)`, 'm');
      expect(renderComment(result, { marker: '<!-- m -->' }).split('\n')[1]).toMatch(heading);
      expect(renderSummary(result).split('\n')[0]).toMatch(heading);
      expect(renderTerminal(result, { width: 200, colour: false })).toMatch(
        new RegExp(`^${said.headline.replace('?', '\\?')}(: |\n)`),
      );
      const page = await renderHtml(result);
      expect(page).toMatch(
        new RegExp(
          `<section class="verdict ${said.tone}"><h1>${said.headline.replace('?', '\\?')}(: |</h1>)`,
        ),
      );
      expect(page).toContain(`<title>${said.headline} – evaldiff</title>`);
    });

    test('ends the log with conclusion and title', () => {
      expect(endLine(result.conclusion, result.title)).toMatch(
        new RegExp(`^evaldiff: ${said.conclusion} \\(.+\\)\\. `),
      );
      expect(endLine(result.conclusion, result.title).endsWith(said.title)).toBe(true);
    });

    test('never reads as green in JUnit where the run is red or judged nothing', () => {
      const [, failures, errors] =
        /<testsuites [^>]*failures="(\d+)" errors="(\d+)"/.exec(renderJunit(result)) ?? [];
      const red = said.conclusion === 'failure' || said.conclusion === 'error';
      expect(!red || Number(failures) + Number(errors) > 0).toBe(true);
    });

    test('survives result.json', () => {
      expect(runOutcomeSchema.parse(JSON.parse(JSON.stringify(said.outcome)))).toEqual(
        said.outcome,
      );
      expect(readResult('result.json', result).problems).toEqual([]);
    });
  },
);

test('what may not fail is grey, and says that it would have failed', () => {
  const result = resultOf({
    reasons: [FLOOR],
    suites: green().suites,
    ...outcomeFields({ kind: 'failed', why: FLOOR, fails: false, replaced: null, ungraded }),
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
