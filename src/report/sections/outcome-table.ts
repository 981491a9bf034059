import { brokenInWords } from '../../result/counts.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../../result/outcome.ts';
import type { Result } from '../../result/result.ts';
import { count, counted, percent, pointsBetween } from '../../text/amounts.ts';
import { text, type Tone } from './document.ts';
import {
  evaluatedLine,
  failedLine,
  firstReason,
  improvedLine,
  inconclusiveLine,
  noRegressionLine,
  nothingWorseLine,
  problemsLine,
  regressionLine,
  withoutSubject,
  withMore,
} from './headline-lines.ts';
import { type Told } from './headline-suite.ts';
import { variantWords } from './phrases.ts';

/** Everything that a surface says of one kind of outcome. */
interface OutcomeRow<O extends RunOutcome> {
  sign: string;
  tone: Tone;
  /** Two or three words: the headline's beginning. */
  words(outcome: O): string;
  /** One line for the check, the outputs and the log; no full stop is needed. */
  title(outcome: O): string;
  /** What it is about, and the numbers behind it. */
  line(result: Result, outcome: O): Told;
}

type OutcomeTable = { [K in OutcomeKind]: OutcomeRow<OutcomeOf<K>> };

/**
 * The one table of what is said of an outcome: a member of the union without a row does not
 * compile. Conclusion and exit code are `judge/outcome.ts`'s.
 */
const OUTCOMES: OutcomeTable = {
  'nothing-to-run': {
    sign: '✓',
    tone: 'good',
    words: () => 'Nothing affected',
    title: nothingToRun,
    line: (_result, outcome) => withoutSubject([text(nothingToRun(outcome))]),
  },
  'not-evaluated': {
    sign: '!',
    tone: 'bad',
    words: () => 'Not judged',
    title: ({ problems }) => `Not evaluated: ${counted(problems, 'problem')} to fix`,
    line: problemsLine,
  },
  'not-judged': {
    sign: '!',
    tone: 'bad',
    words: () => 'Not judged',
    title: ({ why }) => `Not judged: ${why}`,
    line: firstReason,
  },
  'ended-early': {
    sign: '!',
    tone: 'bad',
    words: () => 'Not judged',
    title: ({ why }) => why,
    line: firstReason,
  },
  waiting: {
    sign: '·',
    tone: 'neutral',
    words: () => 'Waiting for a batch',
    title: ({ why }) => `Waiting for a batch; run again to pick it up. ${why}`,
    line: firstReason,
  },
  'without-keys': {
    sign: '·',
    tone: 'neutral',
    words: ({ judged }) => (judged ? 'Partly evaluated' : 'Not evaluated'),
    title: () => 'Checked without a model key',
    line: (result, { judged }) =>
      judged
        ? withMore(nothingWorseLine(result), [text(' The rest needs a model key.')])
        : firstReason(result),
  },
  'no-verdict': {
    sign: '·',
    tone: 'neutral',
    words: () => 'No verdict',
    title: ({ why }) => why,
    line: firstReason,
  },
  'not-comparable': {
    sign: '?',
    tone: 'open',
    words: () => 'Not comparable',
    title: ({ why }) => `Not comparable: ${why}`,
    line: (result, { why }) => {
      const { subject, line } = nothingWorseLine(result);
      const rates = subject.length === 0 ? [] : [...subject, text('; ')];
      return { subject: [text(why)], line: [...rates, ...line] };
    },
  },
  'only-removed': {
    sign: '·',
    tone: 'neutral',
    words: () => 'No verdict',
    title: ({ references }) =>
      `Nothing to run: ${counted(references, 'reference')} removed or newly skipped`,
    line: firstReason,
  },
  regressed: {
    sign: '✗',
    tone: 'bad',
    words: () => 'Regressed',
    title: ({ suites }) => `Regressed: ${inShort(suites)}`,
    line: regressionLine,
  },
  failed: {
    sign: '✗',
    tone: 'bad',
    words: ({ fails }) => (fails ? 'Failed' : 'Would fail'),
    title: ({ why, fails }) => (fails ? why : `Not failed, because fail_on is never: ${why}`),
    line: failedLine,
  },
  overridden: {
    sign: '✗',
    tone: 'bad',
    words: ({ by }) => `${rowOf(by).words(by)}, overridden`,
    title: ({ by }) => `Overridden: ${rowOf(by).title(by)}`,
    line: (result, { by }) => rowOf(by).line(result, by),
  },
  inconclusive: {
    sign: '?',
    tone: 'open',
    words: () => 'Inconclusive',
    title: ({ suites, ran, worse }) =>
      `Inconclusive for ${counted(suites, 'suite')} of ${String(ran)}${alone(worse)}`,
    line: inconclusiveLine,
  },
  improved: {
    sign: '✓',
    tone: 'good',
    words: () => 'Improved',
    title: ({ suites, worse }) => `Improved: ${inShort(suites)}${alone(worse)}`,
    line: improvedLine,
  },
  'no-regression': {
    sign: '✓',
    tone: 'good',
    words: ({ worse }) => (worse === 0 ? 'No regression' : 'No suite regressed'),
    title: ({ references, fresh = 0, ran, worse, evidence = null }) => {
      const none = fresh > 0 && fresh >= references;
      const all =
        evidence === null && !none ? `${counted(references, 'affected reference')} of ` : '';
      const uncompared = none
        ? `; ${counted(fresh, 'new reference')}, none compared`
        : `; ${count(fresh)} of them new, not compared`;
      const size = `${all}${counted(ran, 'suite')}${fresh === 0 ? '' : uncompared}`;
      return worse === 0
        ? `No regression in ${size}`
        : `No suite regressed in ${size}${alone(worse)}`;
    },
    line: noRegressionLine,
  },
  'scoring-changed': {
    sign: '✓',
    tone: 'good',
    words: () => 'Scoring changed',
    title: ({ suites: [first = '', ...more] }) =>
      `Scoring changed: ${first}${more.length === 0 ? '' : ` and ${count(more.length)} more`}`,
    line: nothingWorseLine,
  },
  evaluated: {
    sign: '✓',
    tone: 'good',
    words: () => 'Evaluated',
    title: evaluatedTitle,
    line: evaluatedLine,
  },
};

/** The row of an outcome. The table's type ties each key to its member, which TypeScript forgets. */
export function rowOf<O extends RunOutcome>(outcome: O): OutcomeRow<O> {
  return OUTCOMES[outcome.kind] as unknown as OutcomeRow<O>;
}

function nothingToRun({ rubrics }: OutcomeOf<'nothing-to-run'>): string {
  return rubrics === 0
    ? 'No prompt, rubric or test changed: nothing to run.'
    : `No reference is affected; ${counted(rubrics, 'rubric')} tested on labelled examples`;
}

function evaluatedTitle({ suites, references, lowest, highest }: OutcomeOf<'evaluated'>): string {
  const size = `Evaluated ${counted(references, 'reference')} of ${counted(suites, 'suite')}`;
  if (lowest === null || highest === null) return size;
  return lowest === highest
    ? `${size}: pass rate ${percent(lowest)}`
    : `${size}: pass rates from ${percent(lowest)} to ${percent(highest)}`;
}

function alone(worse: number): string {
  return worse === 0 ? '' : `; ${counted(worse, 'reference')} got worse`;
}

function inShort(
  suites: readonly (OutcomeOf<'improved'>['suites'][number] &
    Pick<OutcomeOf<'regressed'>['suites'][number], 'silent' | 'broke'>)[],
): string {
  return suites
    .map(({ name, variant, base, head, silent, broke }) => {
      const of = variant === undefined ? name : `${name} (${variantWords(variant)})`;
      if (broke !== undefined) return `${of}: ${brokenInWords(broke, { base, head })}`;
      if (silent === undefined)
        return `${of} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
      const how = silent.partly === true ? 'answers less often' : 'does not answer';
      return `head ${how} in ${count(silent.in)} of ${counted(silent.of, 'reference')} of ${of}`;
    })
    .join(', ');
}
