import {
  fixedReferences,
  newFailing,
  newReferences,
  onlyScoringChanged,
  type NamedReference,
} from '../kernel/result/counts.ts';
import {
  conclusionOf,
  type OutcomeKind,
  type OutcomeOf,
  type RunOutcome,
} from '../kernel/result/outcome.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { count, counted, firstWords, percent, pointsBetween } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import {
  brokenUnderRise,
  comparesNothing,
  driftedSuites,
  fallenMetric,
  figuresOf,
  isSilent,
  unansweredIn,
  type Figures,
} from './figures.ts';
import { allSuites, brokenInWords, metricInWords, rateRange, replacedInShort } from './rates.ts';
import { endedWords, reasonWords } from './reasons.ts';
import { MODEL_CHANGED } from './suites.ts';
import { variantWords } from './variants.ts';

/** What colours and pictures show. */
export type Tone = 'good' | 'bad' | 'open' | 'neutral';

/** What the words of an outcome are made of besides the outcome itself. */
interface Found extends Pick<Result, 'reasons' | 'suites' | 'scoring'> {
  replaced: NonNullable<Result['replaced']>;
  figures: Figures;
  /** The first reason as a sentence. */
  first: string;
}

interface OutcomeRow<O extends RunOutcome> {
  sign: '✓' | '✗' | '!' | '?' | '·' | '+';
  tone: Tone;
  /** Two or three words that begin a report. */
  words: string | ((outcome: O, found: Found) => string);
  /** One line for the check, the outputs and the log; no full stop is needed. */
  title(outcome: O, found: Found): string;
  /** The word for references with evidence, shown if some lack it; absent: not shown. */
  evidence?: 'compared' | 'judged';
}

const GOOD = { sign: '✓', tone: 'good', evidence: 'compared' } as const;
const RED = { sign: '✗', tone: 'bad', evidence: 'compared' } as const;
const OPEN = { sign: '?', tone: 'open', evidence: 'compared' } as const;
const ERROR = { sign: '!', tone: 'bad', words: 'Not judged' } as const;
const GREY = { sign: '·', tone: 'neutral' } as const;

/** Sign, first words and title of every outcome. */
const OUTCOMES: { [K in OutcomeKind]: OutcomeRow<OutcomeOf<K>> } = {
  'nothing-to-run': { sign: '✓', tone: 'good', words: 'Nothing affected', title: nothingToRun },
  'not-evaluated': {
    ...ERROR,
    title: ({ problems }) => `Not judged: ${counted(problems, 'problem')} to fix`,
  },
  'not-judged': { ...ERROR, title: (_, { first }) => `Not judged: ${first}` },
  'ended-early': { ...ERROR, title: endedWords },
  waiting: {
    ...GREY,
    words: 'Waiting for a batch',
    title: (outcome) => `Waiting for a batch; run again to pick it up. ${endedWords(outcome)}`,
  },
  'without-keys': {
    ...GREY,
    words: ({ judged }) => (judged ? 'Partly evaluated' : 'Not evaluated'),
    title: () => 'Checked without a model key',
  },
  'no-verdict': {
    ...GREY,
    words: 'No verdict',
    title: (_, { first }) => first,
    evidence: 'judged',
  },
  'not-comparable': {
    ...OPEN,
    words: 'Not comparable',
    title: (_, { replaced }) => `Not comparable: ${replacedInShort(replaced) ?? ''}`,
  },
  'only-removed': {
    ...GREY,
    words: 'No verdict',
    title: ({ references }) =>
      `Nothing to run: ${counted(references, 'reference')} removed, newly skipped or quarantined`,
  },
  cancelled: { ...GREY, words: 'Cancelled', title: endedWords },
  'model-changed': {
    ...OPEN,
    words: MODEL_CHANGED,
    title: (_, { suites }) => {
      const drifted = driftedSuites(suites).map(({ name, base, head }) => moved(name, base, head));
      return `${MODEL_CHANGED}${drifted.length === 0 ? '' : `: ${drifted.join(', ')}`}`;
    },
  },
  fixed: {
    ...GOOD,
    words: 'Fixed',
    title: (_, { suites, figures }) =>
      `Fixed: ${namesOf(fixedReferences(suites))}${worseSuffix(figures)}`,
  },
  'new-failing': {
    ...{ sign: '+', tone: 'neutral', evidence: 'compared' },
    words: (_, { suites }) =>
      newFailing(suites).length === 1 ? 'A new reference fails' : 'New references fail',
    title: (_, { suites, figures }) => {
      const failing = newFailing(suites);
      const of = counted(newReferences(suites).length, 'new reference');
      const fail = failing.length === 1 ? 'fails' : 'fail';
      return `${count(failing.length)} of ${of} ${fail}: ${namesOf(failing)}${worseSuffix(figures)}`;
    },
  },
  regressed: {
    ...RED,
    words: 'Regressed',
    title: ({ pool }, { suites }) => {
      const fell = inShort(suites, 'regressed');
      const all = pool === undefined ? [] : [allSuites(pool)];
      return `Regressed: ${[...all, ...(fell === '' ? [] : [fell])].join('; ')}`;
    },
  },
  failed: {
    ...RED,
    words: ({ fails }) => (fails ? 'Failed' : 'Would fail'),
    title: ({ fails }, { first }) =>
      fails ? first : `Not failed, because fail_on is never: ${first}`,
  },
  overridden: {
    ...RED,
    words: ({ by }, found) => `${wordsOf(by, found)}, overridden`,
    title: ({ by }, found) => `Overridden: ${rowOf(by).title(by, found)}`,
  },
  inconclusive: {
    ...OPEN,
    words: 'Inconclusive',
    title: (_, { suites, figures }) => {
      const open = suites.filter(({ verdict }) => verdict === 'inconclusive').length;
      return `Inconclusive for ${counted(open, 'suite')} of ${String(figures.ran)}${worseSuffix(figures)}`;
    },
  },
  improved: {
    ...GOOD,
    words: 'Improved',
    title: (_, { suites, figures }) =>
      `Improved: ${inShort(suites, 'improved')}${worseSuffix(figures)}`,
  },
  'no-regression': {
    ...GOOD,
    words: (_, { figures }) => {
      if (comparesNothing(figures)) return 'Nothing compared';
      return figures.worse === 0 ? 'No regression' : 'No suite regressed';
    },
    title: (_, { figures }) => noRegressionTitle(figures),
  },
  'scoring-changed': {
    ...GOOD,
    words: 'Scoring changed',
    title: (_, found) => {
      const [first, ...more] = onlyScoringChanged(found).map(({ name }) => name);
      return `Scoring changed: ${first ?? ''}${more.length === 0 ? '' : ` and ${count(more.length)} more`}`;
    },
  },
  evaluated: {
    ...GOOD,
    words: 'Evaluated',
    title: (_, { suites, figures: { references } }) => {
      const size = `${counted(references, 'reference')} of ${counted(suites.length, 'suite')}`;
      const range = rateRange(suites);
      return `Evaluated ${size}${range === null ? '' : `: ${range}`}`;
    },
    evidence: 'judged',
  },
};

/** The table's type ties each key to its member, which TypeScript forgets. */
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
  /** Two or three words. */
  outcome: string;
}

export function outcomeLook(result: Result): OutcomeLook {
  const { sign, tone } = rowOf(result.outcome);
  return { sign, tone, outcome: wordsOf(result.outcome, foundIn(result)) };
}

type Parts = Partial<Pick<Result, 'reasons' | 'suites' | 'scoring' | 'replaced'>>;

function foundIn({ reasons = [], suites = [], scoring = [], replaced = [] }: Parts): Found {
  const [reason] = reasons;
  const first = reason === undefined ? NOTHING_RAN : reasonWords(reason, suites);
  return { reasons, suites, scoring, replaced, figures: figuresOf({ suites }), first };
}

const NOTHING_RAN = 'nothing ran';

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

/** Title and conclusion of an outcome. What is not given of a result is empty. */
export function outcomeFields(
  outcome: RunOutcome,
  parts: Parts = {},
): Pick<Result, 'outcome' | 'conclusion' | 'title' | 'reasons'> {
  const title = outcomeTitle(outcome, foundIn(parts));
  return { outcome, conclusion: conclusionOf(outcome), title, reasons: parts.reasons ?? [] };
}

/** The outcome in one line of at most 255 characters, its end kept. */
function outcomeTitle(outcome: RunOutcome, found: Found): string {
  const compared = evidenceFirst(outcome, found);
  const title = rowOf(outcome).title(outcome, found);
  const whole = `${compared === null ? '' : `${compared}. `}${title}`;
  const cautions = [replacedIn(outcome, found.replaced), ungradedIn(outcome, found.figures)].filter(
    (part) => part !== null,
  );
  if (cautions.length === 0) return shorten(whole, TITLE_LIMIT);
  const end = `; ${cautions.join('; ')}`;
  return `${shorten(whole.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

/** `19 of 20 references compared`, where some lack evidence; else null. */
export function evidenceFirst(
  outcome: RunOutcome,
  { suites, figures: { evidence } }: Pick<Found, 'suites' | 'figures'>,
): string | null {
  const { evidence: word } = rowOf(outcome);
  if (word === undefined || evidence === null) return null;
  // The reason itself says how many of the references were compared.
  if (outcome.kind === 'no-verdict' && suites.some(isUnasked)) return null;
  return `${count(evidence.references)} of ${counted(evidence.of, 'reference')} ${word}`;
}

function isUnasked({ verdict, evidence }: SuiteResult): boolean {
  return verdict === 'not_compared' && evidence.missing.length > 0;
}

/** What replaces a model, if the verdict is red all the same; else null. */
export function replacedIn(outcome: RunOutcome, replaced: Result['replaced']): string | null {
  return rowOf(outcome).sign === '✗' ? replacedInShort(replaced) : null;
}

export function ungradedIn(outcome: RunOutcome, { ungraded }: Figures): string | null {
  if (rowOf(outcome).evidence === undefined || ungraded === null) return null;
  const { tries, of } = ungraded;
  return `${count(tries)} of ${count(of)} tries have no readable grade`;
}

export function nothingToRun({ rubrics }: OutcomeOf<'nothing-to-run'>): string {
  return rubrics === 0
    ? 'No prompt, rubric or test changed: nothing to run.'
    : `No reference is affected; ${counted(rubrics, 'rubric')} tested on labelled examples`;
}

export function namesOf(references: readonly NamedReference[]): string {
  return firstWords(references.map(({ id }) => id));
}

function noRegressionTitle(figures: Figures): string {
  const { references, fresh, ran, worse, evidence } = figures;
  if (comparesNothing(figures))
    return `Nothing compared: ${counted(fresh, 'new reference')} in ${counted(ran, 'suite')}`;
  const all = evidence === null ? `${counted(references, 'affected reference')} of ` : '';
  const uncompared = fresh === 0 ? '' : `; ${count(fresh)} of them new, not compared`;
  const size = `${all}${counted(ran, 'suite')}${uncompared}`;
  return worse === 0
    ? `No regression in ${size}`
    : `No suite regressed in ${size}${worseSuffix(figures)}`;
}

function worseSuffix({ worse }: Figures): string {
  return worse === 0 ? '' : `; ${counted(worse, 'reference')} got worse`;
}

/** The suites with a verdict, with what moved; a variant's name where a suite has several. */
function inShort(suites: readonly SuiteResult[], verdict: SuiteResult['verdict']): string {
  return suites
    .filter((suite) => suite.verdict === verdict)
    .map((suite) => {
      const { path, name, variant } = suite;
      const variants = suites.filter((other) => other.path === path && other.name === name);
      return movedSuite(variants.length > 1 ? `${name} (${variantWords(variant)})` : name, suite);
    })
    .join(', ');
}

function movedSuite(name: string, suite: SuiteResult): string {
  const { base, head } = suite.pass_rate;
  const broke = brokenUnderRise(suite);
  if (broke !== null) return `${name}: ${brokenInWords(broke, { base, head })}`;
  const metric = fallenMetric(suite);
  if (metric !== null) return `${name}: ${metricInWords(metric)}`;
  const silent = unansweredIn(suite).length;
  if (silent === 0) return moved(name, base, head);
  const how = isSilent(suite) ? 'does not answer' : 'answers less often';
  return `head ${how} in ${count(silent)} of ${counted(suite.evidence.of, 'reference')} of ${name}`;
}

function moved(name: string, base: number | null, head: number | null): string {
  return `${name} ${percent(base)} → ${percent(head)} (${pointsBetween(base, head)})`;
}
