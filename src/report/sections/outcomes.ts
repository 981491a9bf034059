import type { OutcomeKind, OutcomeOf, RunOutcome } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import {
  comparesNothing,
  evidenceFirst,
  namesOf,
  nothingToRun,
  replacedIn,
  ungradedIn,
} from '../../wording/outcomes.ts';
import { allSuites, replacedInShort } from '../../wording/rates.ts';
import { text, type Line, type Tone } from './document.ts';
import type { Reports } from './feature-report.ts';
import {
  firstReason,
  improvedLine,
  inconclusiveLine,
  modelChangedLine,
  noRegressionLine,
  nothingWorseLine,
  problemsLine,
  regressionLine,
  withMore,
} from './headline-lines.ts';
import { type HeadlineText } from './headline-suite.ts';
import { evaluatedLine, withoutSubject } from './headline-sweep.ts';
import { rates } from './phrases.ts';

interface OutcomeSign {
  sign: string;
  tone: Tone;
  outcome: string;
}

interface Headline extends OutcomeSign {
  /** The worst suite with its rates; may be empty. */
  subject: Line;
  line: Line;
}

export function outcomeSign({ outcome }: Result): OutcomeSign {
  const { sign, tone, words } = outcomeRow(outcome);
  return { sign, tone, outcome: words(outcome) };
}

export function headline(result: Result, reports: Reports): Headline {
  const { outcome } = result;
  const { subject, line } = outcomeRow(outcome).line(result, outcome, reports);
  const [first, said] = [evidenceFirst(outcome), ungradedIn(outcome)];
  const instead = replacedIn(outcome, result.replaced);
  const last = line.at(-1);
  const begun = last !== undefined && 'text' in last && !last.text.endsWith('.') ? ';' : '';
  return {
    ...outcomeSign(result),
    // Names who answered instead of a model.
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

interface OutcomeRow<O extends RunOutcome> {
  sign: string;
  tone: Tone;
  /** Two or three words that begin the headline. */
  words(outcome: O): string;
  line(result: Result, outcome: O, reports: Reports): HeadlineText;
}

type OutcomeTable = { [K in OutcomeKind]: OutcomeRow<OutcomeOf<K>> };

/** How reports begin for every outcome. */
const OUTCOMES: OutcomeTable = {
  'nothing-to-run': {
    sign: '✓',
    tone: 'good',
    words: () => 'Nothing affected',
    line: (_result, outcome) => withoutSubject([text(nothingToRun(outcome))]),
  },
  'not-evaluated': { sign: '!', tone: 'bad', words: () => 'Not judged', line: problemsLine },
  'not-judged': { sign: '!', tone: 'bad', words: () => 'Not judged', line: firstReason },
  'ended-early': { sign: '!', tone: 'bad', words: () => 'Not judged', line: firstReason },
  waiting: { sign: '·', tone: 'neutral', words: () => 'Waiting for a batch', line: firstReason },
  'without-keys': {
    sign: '·',
    tone: 'neutral',
    words: ({ judged }) => (judged ? 'Partly evaluated' : 'Not evaluated'),
    line: (result, { judged }) =>
      judged
        ? withMore(nothingWorseLine(result), [text(' The rest needs a model key.')])
        : firstReason(result),
  },
  'no-verdict': { sign: '·', tone: 'neutral', words: () => 'No verdict', line: firstReason },
  'not-comparable': {
    sign: '?',
    tone: 'open',
    words: () => 'Not comparable',
    line: (result) => {
      const { subject, line } = nothingWorseLine(result);
      const rates = subject.length === 0 ? [] : [...subject, text('; ')];
      return { subject: [text(replacedInShort(result.replaced) ?? '')], line: [...rates, ...line] };
    },
  },
  'only-removed': { sign: '·', tone: 'neutral', words: () => 'No verdict', line: firstReason },
  cancelled: { sign: '·', tone: 'neutral', words: () => 'Cancelled', line: firstReason },
  fixed: {
    sign: '✓',
    tone: 'good',
    words: () => 'Fixed',
    line: (result, { references }) => withSubject(namesOf(references), nothingWorseLine(result)),
  },
  'new-failing': {
    sign: '+',
    tone: 'neutral',
    words: ({ references }) =>
      references.length === 1 ? 'A new reference fails' : 'New references fail',
    line: (result, { references }) => withSubject(namesOf(references), nothingWorseLine(result)),
  },
  regressed: {
    sign: '✗',
    tone: 'bad',
    words: () => 'Regressed',
    line: (result, { pool }, reports) =>
      pool === undefined
        ? regressionLine(result, reports)
        : withSubject(allSuites(pool), poolLine(pool, regressionLine(result, reports))),
  },
  failed: {
    sign: '✗',
    tone: 'bad',
    words: ({ fails }) => (fails ? 'Failed' : 'Would fail'),
    line: firstReason,
  },
  overridden: {
    sign: '✗',
    tone: 'bad',
    words: ({ by }) => `${outcomeRow(by).words(by)}, overridden`,
    line: (result, { by }, reports) => outcomeRow(by).line(result, by, reports),
  },
  inconclusive: { sign: '?', tone: 'open', words: () => 'Inconclusive', line: inconclusiveLine },
  'model-changed': {
    sign: '?',
    tone: 'open',
    words: () => 'The model changed, not your prompt',
    line: modelChangedLine,
  },
  improved: { sign: '✓', tone: 'good', words: () => 'Improved', line: improvedLine },
  'no-regression': { sign: '✓', tone: 'good', words: noRegressionWords, line: noRegressionLine },
  'scoring-changed': {
    sign: '✓',
    tone: 'good',
    words: () => 'Scoring changed',
    line: nothingWorseLine,
  },
  evaluated: { sign: '✓', tone: 'good', words: () => 'Evaluated', line: evaluatedLine },
};

/** Every suite with its rates, where only all of them together fell. */
function poolLine(
  { suites }: NonNullable<OutcomeOf<'regressed'>['pool']>,
  told: HeadlineText,
): HeadlineText {
  const listed = suites.map(({ name, base, head }) => `${name} ${rates(base, head)}`);
  return { ...told, line: [text(`${listed.join(', ')}. `), ...told.line] };
}

function withSubject(words: string, { subject, line }: HeadlineText): HeadlineText {
  return {
    subject: [text(words), ...(subject.length === 0 ? [] : [text('; ')]), ...subject],
    line,
  };
}

function noRegressionWords(outcome: OutcomeOf<'no-regression'>): string {
  if (comparesNothing(outcome)) return 'Nothing compared';
  return outcome.worse === 0 ? 'No regression' : 'No suite regressed';
}

/** TypeScript loses the tie between a key and its member. */
function outcomeRow<O extends RunOutcome>(outcome: O): OutcomeRow<O> {
  return OUTCOMES[outcome.kind] as unknown as OutcomeRow<O>;
}
