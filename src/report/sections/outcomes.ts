import { conclusionOf } from '../../judge/outcome.ts';
import { brokenInWords } from '../../result/counts.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../../result/outcome.ts';
import type { Result } from '../../result/result.ts';
import { count, counted, percent, pointsBetween } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { text, type Line, type Tone } from './document.ts';
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
  untitled,
  withMore,
  type Told,
} from './headline-lines.ts';

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
export const OUTCOMES: OutcomeTable = {
  'nothing-to-run': {
    sign: '✓',
    tone: 'good',
    words: () => 'Nothing affected',
    title: nothingToRun,
    line: (_result, outcome) => untitled([text(nothingToRun(outcome))]),
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
function rowOf<O extends RunOutcome>(outcome: O): OutcomeRow<O> {
  return OUTCOMES[outcome.kind] as unknown as OutcomeRow<O>;
}

/** The one line at which a reviewer can stop. */
export interface Headline {
  sign: string;
  tone: Tone;
  /** The outcome in words. */
  outcome: string;
  /** The worst suite with its rates; empty where no suite stands for the outcome. */
  subject: Line;
  /** The numbers behind it. */
  line: Line;
}

/** What the result's outcome is called, with its numbers, interval and size. */
export function headline(result: Result): Headline {
  const { outcome } = result;
  const row = rowOf(outcome);
  const { subject, line } = row.line(result, outcome);
  const [first, said] = [evidenceFirst(outcome), ungradedIn(outcome)];
  const instead = replacedIn(outcome);
  const last = line.at(-1);
  const begun = last !== undefined && 'text' in last && !last.text.endsWith('.') ? ';' : '';
  return {
    sign: row.sign,
    tone: row.tone,
    outcome: row.words(outcome),
    // Who answered in a model's place is part of the first line.
    subject:
      instead === null
        ? subject
        : [...subject, text(`${subject.length === 0 ? '' : '; '}${instead}`)],
    line: [
      ...(first === null ? [] : [text(`${first}. `)]),
      ...line,
      ...(said === null ? [] : [text(`${begun} ${said}.`)]),
    ],
  };
}

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

/** The outcome in one line of at most 255 characters, its end kept. */
export function titleOf(outcome: RunOutcome): string {
  const said = caution(outcome);
  const first = evidenceFirst(outcome);
  const title = `${first === null ? '' : `${first}. `}${rowOf(outcome).title(outcome)}`;
  if (said === null) return shorten(title, TITLE_LIMIT);
  const end = `; ${said}`;
  return `${shorten(title.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

/** The fields of a result that follow from its outcome. */
export function outcomeFields(
  outcome: RunOutcome,
): Pick<Result, 'outcome' | 'conclusion' | 'title'> {
  return { outcome, conclusion: conclusionOf(outcome), title: titleOf(outcome) };
}

/** How many references could be compared, where it is not all: said before anything else. */
function evidenceFirst(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return evidenceFirst(outcome.by);
  const evidence = 'evidence' in outcome ? (outcome.evidence ?? null) : null;
  if (evidence === null) return null;
  const alone = outcome.kind === 'evaluated' || outcome.kind === 'no-verdict';
  return `${count(evidence.references)} of ${counted(evidence.of, 'reference')} ${alone ? 'judged' : 'compared'}`;
}

/** What has to be known of any outcome beside what it is called; null: nothing. */
function caution(outcome: RunOutcome): string | null {
  const said = [replacedIn(outcome), ungradedIn(outcome)].filter((part) => part !== null);
  return said.length === 0 ? null : said.join('; ');
}

function replacedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return replacedIn(outcome.by);
  return 'replaced' in outcome ? outcome.replaced : null;
}

function ungradedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return ungradedIn(outcome.by);
  if (!('ungraded' in outcome) || outcome.ungraded === null) return null;
  const { tries, of } = outcome.ungraded;
  return `${count(tries)} of ${count(of)} tries have no readable grade`;
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
    .map(({ name, base, head, silent, broke }) =>
      broke !== undefined
        ? `${name}: ${brokenInWords(broke, { base, head })}`
        : silent === undefined
          ? `${name} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`
          : `head ${silent.partly === true ? 'answers less often' : 'does not answer'} in ${count(silent.in)} of ${counted(silent.of, 'reference')} of ${name}`,
    )
    .join(', ');
}
