import {
  conclusionOf,
  type OutcomeKind,
  type OutcomeOf,
  type RunOutcome,
} from '../kernel/result/outcome.ts';
import type { ReasonCode } from '../kernel/result/reason.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { count, counted, wholeRates } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { GONE, pullRequestFacts, type Fact } from './facts.ts';
import {
  comparesNothing,
  figuresOf,
  hasComparison,
  passesNothing,
  type Figures,
} from './figures.ts';
import {
  evaluatedText,
  lookedWorse,
  nothingWorse,
  oneNote,
  reasonText,
  suitesThat,
  type HeadlineText,
} from './headlines.ts';
import { rateRange, replacedInShort } from './rates.ts';
import { endedWords, reasonWords } from './reasons.ts';
import { MODEL_CHANGED } from './suites.ts';
import { unnoticedDrop } from './verdicts.ts';
import { joinSentences, joinWords, plainWords, type Words } from './words.ts';

export type Tone = 'good' | 'bad' | 'open' | 'neutral';

interface Found extends Pick<Result, 'reasons' | 'suites' | 'scoring'> {
  replaced: NonNullable<Result['replaced']>;
  figures: Figures;
  calls: number;
  first: string;
  facts: readonly Fact[];
}

interface OutcomeRow<O extends RunOutcome> {
  sign: '✓' | '✗' | '!' | '?' | '·' | '+';
  tone: Tone;
  words: string | ((outcome: O, found: Found) => string);
  text(outcome: O, found: Found): HeadlineText;
  /** For the check, the outputs and the log. Default: made from `text`. */
  title?(outcome: O, found: Found): string;
  /** The verb in `19 of 20 tests compared`. Reports show this if some tests lack judged answers. */
  evidence?: 'compared' | 'judged';
  hasFacts?: true;
}
const COMPARED = { evidence: 'compared', hasFacts: true } as const;
const GOOD = { sign: '✓', tone: 'good', ...COMPARED } as const;
const RED = { sign: '✗', tone: 'bad', ...COMPARED } as const;
const OPEN = { sign: '?', tone: 'open', ...COMPARED } as const;
const ERROR = { sign: '!', tone: 'bad', words: 'Not judged' } as const;
const GREY = { sign: '·', tone: 'neutral' } as const;

const firstReason = (_: RunOutcome, { first, reasons: [reason] }: Found): HeadlineText =>
  reasonText(reason, first);

const OUTCOMES: { [K in OutcomeKind]: OutcomeRow<OutcomeOf<K>> } = {
  'nothing-to-run': {
    sign: '✓',
    tone: 'good',
    words: 'Nothing affected',
    text: (outcome) => oneNote(nothingToRun(outcome)),
    title: nothingToRun,
  },
  'not-evaluated': {
    ...ERROR,
    text: ({ problems }, { calls }) =>
      oneNote(
        `${counted(problems, 'problem')} to fix.` +
          (calls === 0 ? ' Nothing was sent to a model.' : ''),
      ),
    title: ({ problems }) => `Not judged: ${counted(problems, 'problem')} to fix`,
  },
  'not-judged': { ...ERROR, text: firstReason },
  'ended-early': { ...ERROR, text: firstReason, title: endedWords },
  waiting: {
    ...GREY,
    words: 'Waiting for a batch',
    text: firstReason,
    title: (outcome) => `Waiting for a batch; run again to pick it up. ${endedWords(outcome)}`,
  },
  'without-keys': {
    ...GREY,
    words: ({ judged }) => (judged ? 'Partly evaluated' : 'Not evaluated'),
    text: ({ judged }, found) =>
      judged
        ? withNotes(nothingWorse(found), [['The rest needs a model key']])
        : firstReason({ kind: 'without-keys', judged }, found),
    title: () => 'Checked without a model key',
  },
  'no-verdict': {
    ...GREY,
    evidence: 'judged',
    hasFacts: true,
    words: (_, found) => (isPartlyJudged(found) ? 'Partly judged' : 'No verdict'),
    text: (outcome, found) =>
      isPartlyJudged(found)
        ? withNotes(nothingWorse(found), firstReason(outcome, found).notes ?? [])
        : firstReason(outcome, found),
    title: (_, { first }) => first,
  },
  'not-comparable': {
    ...OPEN,
    words: 'Not comparable',
    text: (_, found) => {
      const { subject = [], notes = [] } = nothingWorse(found);
      return { subject: [replacedInShort(found.replaced) ?? ''], notes: [subject, ...notes] };
    },
  },
  'only-removed': {
    ...GREY,
    hasFacts: true,
    words: (_, { facts: [fact] }) => fact?.word ?? GONE,
    text: ({ references }, { facts: [fact] }) =>
      factText(fact ?? { word: GONE, words: [counted(references, 'test')] }),
  },
  cancelled: { ...GREY, words: 'Cancelled', text: firstReason, title: endedWords },
  'model-changed': {
    ...OPEN,
    words: MODEL_CHANGED,
    text: (_, { suites }) => {
      const { rows } = suitesThat('inconclusive', suites);
      return { rows, notes: [["Base's stored answers were replaced"]] };
    },
  },
  fixed: {
    ...GOOD,
    words: 'Fixed',
    text: (_, found) => {
      const notes = found.suites.length === 1 ? [] : [otherwise(found)];
      return withNotes({ ...factText(factOf('Fixed', found)), notes }, lookedWorse(found));
    },
  },
  'new-failing': {
    ...COMPARED,
    sign: '+',
    tone: 'neutral',
    words: 'New',
    text: (_, found) => ({ ...factText(factOf('New', found)), notes: [otherwise(found)] }),
  },
  regressed: {
    ...RED,
    words: 'Regressed',
    text: ({ pool }, { suites }) => {
      const red = suitesThat('regressed', suites);
      if (pool === undefined) return red;
      const { subject: names, rows } = red;
      const fell = suites.filter(({ pass_rate: { difference } }) => (difference ?? 0) < 0).length;
      const how = rows.length === 0 ? 'fell slightly' : 'fell';
      const who = fell < 2 ? 'all suites' : `${count(fell)} suites ${how},`;
      const together = [`${who} together ${wholeRates(pool.base, pool.head)}: clearly worse`];
      const subject = joinWords([['all suites together'], ...nonEmpty(names)], ', ');
      return { subject, rows: [together, ...rows] };
    },
  },
  failed: {
    ...RED,
    words: ({ fails }, found) => (fails ? (failedFact(found)?.word ?? 'Failed') : 'Would fail'),
    text: (outcome, found) => {
      const fact = failedFact(found);
      return outcome.fails && fact !== undefined ? factText(fact) : firstReason(outcome, found);
    },
    title: ({ fails }, found) => {
      const { first } = found;
      const fact = failedFact(found);
      if (!fails) return `Not failed, because fail_on is never: ${first}`;
      return fact === undefined ? first : `${fact.word}: ${plainWords(fact.words)}`;
    },
  },
  overridden: {
    ...RED,
    words: ({ by }, found) => `${wordsOf(by, found)}, overridden`,
    text: ({ by }, found) => rowOf(by).text(by, found),
    title: ({ by }, found) => `Overridden: ${titleOf(by, found)}`,
  },
  inconclusive: {
    ...OPEN,
    words: 'Inconclusive',
    text: (_, found) => withNotes(suitesThat('inconclusive', found.suites), lookedWorse(found)),
  },
  improved: {
    ...GOOD,
    words: 'Improved',
    text: (_, found) => withNotes(suitesThat('improved', found.suites), lookedWorse(found)),
  },
  'no-regression': {
    ...GOOD,
    words: (_, { figures, suites }) => {
      if (comparesNothing(figures)) return 'New';
      if (suites.length > 0 && suites.every(passesNothing)) return 'Nothing could break';
      if (figures.worse > 0) return 'No suite regressed';
      return suites.length === 1 && suites.every(isTooSmall) ? 'No change found' : 'No regression';
    },
    text: (_, found) =>
      comparesNothing(found.figures)
        ? { ...factText(factOf('New', found)), notes: [otherwise(found)] }
        : withNotes(nothingWorse(found), lookedWorse(found)),
  },
  'scoring-changed': {
    ...GOOD,
    words: 'Scoring changed',
    text: (_, found) => withNotes(nothingWorse(found), lookedWorse(found)),
  },
  evaluated: {
    sign: '✓',
    tone: 'good',
    words: 'Evaluated',
    evidence: 'judged',
    text: (_, { suites }) => evaluatedText(suites),
    title: (_, { suites, figures: { references } }) => {
      const size = `${counted(references, 'test')} of ${counted(suites.length, 'suite')}`;
      const range = rateRange(suites);
      return `Evaluated ${size}${range === null ? '' : `: ${range}`}`;
    },
  },
};

function isPartlyJudged({ reasons: [reason], suites }: Found): boolean {
  const isLeftOut = reason?.code === 'not-run' || reason?.code === 'base-unreadable';
  return isLeftOut && suites.some(hasComparison);
}

function nonEmpty(words: Words): Words[] {
  return words.length === 0 ? [] : [words];
}

function withNotes(text: HeadlineText, more: readonly Words[]): HeadlineText {
  return { ...text, notes: [...(text.notes ?? []), ...more] };
}

function factText({ word, words }: Fact): HeadlineText {
  return { subject: words, fact: word };
}

function factOf(word: Fact['word'], { facts }: Found): Fact {
  return facts.find((fact) => fact.word === word) ?? { word, words: [] };
}

function failedFact({ facts, reasons: [reason] }: Found): Fact | undefined {
  if (reason?.code === 'new-failed') return facts.find(({ word }) => word === 'New');
  if (reason?.code !== 'removed') return undefined;
  return facts.find(({ word }) => word !== 'Fixed' && word !== 'New');
}

function otherwise(found: Found): Words {
  if (found.suites.some(({ verdict }) => verdict === 'new') && comparesNothing(found.figures))
    return ['Nothing to compare with yet'];
  return found.suites.some(hasComparison)
    ? ['No regression: ', ...(nothingWorse(found).subject ?? [])]
    : ['No other test is affected'];
}

function isTooSmall(suite: SuiteResult): boolean {
  const { base, head } = suite.pass_rate;
  return suite.verdict === 'unchanged' && base === head && unnoticedDrop(suite)?.isSmall === true;
}

/** The lines below the headline already state these reasons. */
const SAID_BY_FACTS: ReadonlySet<ReasonCode> = new Set(['removed', 'new-failed', 'pool']);

export function isSaid(outcome: RunOutcome, code: ReasonCode): boolean {
  if (outcome.kind === 'only-removed' && code === 'no-test') return true;
  return rowOf(outcome).hasFacts === true && SAID_BY_FACTS.has(code);
}

function rowOf<O extends RunOutcome>(outcome: O): OutcomeRow<O> {
  return OUTCOMES[outcome.kind] as unknown as OutcomeRow<O>;
}

function wordsOf(outcome: RunOutcome, found: Found): string {
  const { words } = rowOf(outcome);
  return typeof words === 'string' ? words : words(outcome, found);
}

export interface OutcomeLook {
  sign: string;
  tone: Tone;
  outcome: string;
}

export function outcomeLook(result: Result): OutcomeLook {
  const { sign, tone } = rowOf(result.outcome);
  return { sign, tone, outcome: wordsOf(result.outcome, foundIn(result)) };
}

/** False for a green run that fixed, added, deleted and rescored nothing. */
export function hasFinding(result: Result): boolean {
  return rowOf(result.outcome).sign !== GOOD.sign || foundIn(result).facts.length > 0;
}

interface Headline extends OutcomeLook {
  subject: Words;
  rows: Words[];
  note: Words;
}

export function headlineOf(result: Result): Headline {
  const { outcome } = result;
  const found = foundIn(result);
  const { subject = [], rows = [], notes = [], fact } = rowOf(outcome).text(outcome, found);
  const compared = evidenceFirst(outcome, found);
  const ungraded = ungradedIn(outcome, found.figures);
  const instead = replacedIn(outcome, found.replaced);
  const cautions = [compared, ungraded].flatMap((words) => (words === null ? [] : [[words]]));
  return {
    ...outcomeLook(result),
    subject: joinWords([...nonEmpty(subject), ...(instead === null ? [] : [[instead]])], '; '),
    rows: [...rows, ...otherFacts(outcome, found, fact)],
    note: joinSentences([...notes, ...cautions]),
  };
}

function otherFacts(
  outcome: RunOutcome,
  { facts }: Found,
  subject: Fact['word'] | undefined,
): Words[] {
  if (rowOf(outcome).hasFacts !== true) return [];
  const isShown = ({ word }: Fact) => word !== 'Scoring changed' || outcome.kind === 'regressed';
  return facts
    .filter((fact) => fact.word !== subject && isShown(fact))
    .map(({ word, words }) => [`${word}: `, ...words]);
}

type Parts = Partial<Pick<Result, 'reasons' | 'suites' | 'scoring' | 'replaced' | 'usage'>>;

function foundIn({ reasons = [], suites = [], scoring = [], replaced = [], usage }: Parts): Found {
  const [reason] = reasons;
  return {
    reasons,
    suites,
    scoring,
    replaced,
    calls: usage?.calls ?? 0,
    figures: figuresOf({ suites }),
    first: reason === undefined ? NOTHING_RAN : reasonWords(reason, suites),
    facts: pullRequestFacts({ suites, reasons, scoring }),
  };
}

const NOTHING_RAN = 'nothing ran';

/** GitHub's limit for titles. */
const TITLE_LIMIT = 255;

export function outcomeFields(
  outcome: RunOutcome,
  parts: Parts = {},
): Pick<Result, 'outcome' | 'conclusion' | 'title' | 'reasons'> {
  const title = outcomeTitle(outcome, foundIn(parts));
  return { outcome, conclusion: conclusionOf(outcome), title, reasons: parts.reasons ?? [] };
}

/** Shortens the title, but not the warnings at its end. */
function outcomeTitle(outcome: RunOutcome, found: Found): string {
  const compared = evidenceFirst(outcome, found);
  const title = titleOf(outcome, found);
  const whole = `${compared === null ? '' : `${compared}. `}${title}`;
  const cautions = [replacedIn(outcome, found.replaced), ungradedIn(outcome, found.figures)].filter(
    (part) => part !== null,
  );
  if (cautions.length === 0) return shorten(whole, TITLE_LIMIT);
  const end = `; ${cautions.join('; ')}`;
  return `${shorten(whole.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

function titleOf<O extends RunOutcome>(outcome: O, found: Found): string {
  const { title, text } = rowOf(outcome);
  if (title !== undefined) return title(outcome, found);
  const { subject = [], rows = [], notes = [], fact } = text(outcome, found);
  const own = rows.length > 0 ? rows : subject.length > 0 ? [subject] : notes.slice(0, 1);
  const parts = [...own, ...otherFacts(outcome, found, fact)].map(plainWords);
  const words = wordsOf(outcome, found);
  return parts.length === 0 ? words : `${words}: ${parts.join('; ')}`;
}

function evidenceFirst(
  outcome: RunOutcome,
  { suites, figures: { evidence } }: Found,
): string | null {
  const { evidence: word } = rowOf(outcome);
  if (word === undefined || evidence === null) return null;
  // The outcome's reason already contains this number.
  if (
    outcome.kind === 'no-verdict' &&
    suites.some(
      ({ verdict, evidence }) => verdict === 'not_compared' && evidence.missing.length > 0,
    )
  )
    return null;
  return `${count(evidence.references)} of ${counted(evidence.of, 'test')} ${word}`;
}

function replacedIn(outcome: RunOutcome, replaced: Result['replaced']): string | null {
  return rowOf(outcome).sign === '✗' ? replacedInShort(replaced) : null;
}

function ungradedIn(outcome: RunOutcome, { ungraded }: Figures): string | null {
  if (rowOf(outcome).evidence === undefined || ungraded === null) return null;
  const { tries, of } = ungraded;
  return `${count(tries)} of ${count(of)} answers have no readable grade`;
}

function nothingToRun({ rubrics }: OutcomeOf<'nothing-to-run'>): string {
  return rubrics === 0
    ? 'No prompt, rubric or test changed: nothing to run.'
    : `No test is affected; ${counted(rubrics, 'rubric')} tested on labelled examples`;
}
