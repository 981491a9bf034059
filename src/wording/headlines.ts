import { countsForVerdict, onlyScoringChanged } from '../kernel/result/counts.ts';
import type { Reason } from '../kernel/result/reason.ts';
import type { Result } from '../kernel/result/result.ts';
import type { ScoringResult } from '../kernel/result/scoring-result.ts';
import type { SuiteResult, Verdict } from '../kernel/result/suite-result.ts';
import { count, counted, wholeRates } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import type { Fact } from './facts.ts';
import { figuresOf, hasComparison, suitesWorstFirst } from './figures.ts';
import { rateRange } from './rates.ts';
import { fallInWords, scoringEffect } from './scoring.ts';
import { suiteWords } from './variants.ts';
import { blindWords, suiteRates, suiteSentence, unnoticedDrop } from './verdicts.ts';
import { firstOf, type Words } from './words.ts';

export interface HeadlineText {
  subject?: Words;
  /** One line per suite or fact. Titles show these lines instead of `subject`. */
  rows?: readonly Words[];
  /** Not in titles. */
  notes?: readonly Words[];
  fact?: Fact['word'];
}

/** In UTF-16 units. */
const MAX_SENTENCE = 400;

export function oneNote(sentence: string): HeadlineText {
  return { notes: [[shorten(sentence, MAX_SENTENCE)]] };
}

export function reasonText(reason: Reason | undefined, words: string): HeadlineText {
  if (reason?.code !== 'words') return oneNote(words);
  const name = shorten(reason.text, MAX_SENTENCE);
  return { notes: [[{ name, limit: MAX_SENTENCE }]] };
}

/** For example `support 100 → 70 %: 6 of 20 tests broke`. */
export function suiteRow(
  suite: SuiteResult,
  suites: readonly SuiteResult[],
  sentence: Words,
): Words {
  const { base, head } = suite.pass_rate;
  const [first] = sentence;
  const isRate = typeof first === 'string' && first.startsWith(wholeRates(base, head));
  return [...suiteWords(suite, suites), isRate ? ' ' : ': ', ...sentence];
}

const MOST_ROWS = 3;

export function suitesThat(
  verdict: Verdict,
  suites: readonly SuiteResult[],
): Required<Omit<HeadlineText, 'fact'>> {
  const chosen = suitesWorstFirst(suites.filter((suite) => suite.verdict === verdict));
  const isOnly = chosen.length === 1;
  return {
    subject: firstOf(
      chosen.map((suite) => suiteWords(suite, suites)),
      MOST_ROWS,
    ),
    rows: chosen
      .slice(0, MOST_ROWS)
      .map((suite) => suiteRow(suite, suites, suiteSentence(suite, { isOnly }))),
    notes: blindNotes(chosen, suites),
  };
}

export function nothingWorse({
  suites,
  scoring,
}: Pick<Result, 'suites' | 'scoring'>): HeadlineText {
  const compared = suitesWorstFirst(suites.filter(hasComparison));
  const [worst] = compared;
  if (worst === undefined) {
    const [first, ...more] = onlyScoringChanged({ suites, scoring });
    return first === undefined ? nothingCompared(suites) : scoringAlone([first, ...more], suites);
  }
  if (suites.length === 1) {
    const unnoticed = unnoticedDrop(worst);
    return {
      subject: suiteRow(worst, suites, suiteRates(worst)),
      notes: [...(unnoticed === null ? [] : [[unnoticed.sentence]]), ...blindNotes(suites, suites)],
    };
  }
  const rest = compared.length === suites.length ? [] : [[`${count(compared.length)} compared`]];
  const fell = (worst.pass_rate.difference ?? 0) < 0;
  const largest: Words = fell
    ? ['Largest drop: ', ...suiteRow(worst, suites, suiteRates(worst))]
    : [
        compared.some(({ unit }) => unit === 'values')
          ? 'No suite is clearly worse'
          : 'No pass rate is lower',
      ];
  return {
    subject: [counted(suites.length, 'suite')],
    notes: [
      largest,
      ...rest,
      ...unnoticedAnywhere(compared, suites),
      ...blindNotes(suites, suites),
    ],
  };
}

/** What would let suites show a fall that cannot show one. */
function blindNotes(chosen: readonly SuiteResult[], suites: readonly SuiteResult[]): Words[] {
  return chosen.flatMap((suite) => {
    const words = blindWords(suite);
    if (words === null) return [];
    return [suites.length === 1 ? words : [...suiteWords(suite, suites), ': ', ...words]];
  });
}

function unnoticedAnywhere(
  compared: readonly SuiteResult[],
  suites: readonly SuiteResult[],
): Words[] {
  const found = compared.flatMap((suite) => {
    const drop = unnoticedDrop(suite);
    return drop === null ? [] : [{ suite, ...drop }];
  });
  const [least] = found.sort((a, b) => b.points - a.points);
  if (least === undefined) return [];
  return least.isSmall
    ? [[...suiteWords(least.suite, suites), `: ${least.sentence}`]]
    : [[least.sentence.replace(/\.$/, ' in any suite.')]];
}

function nothingCompared(suites: readonly SuiteResult[]): HeadlineText {
  const [only] = suites;
  return only === undefined || suites.length > 1
    ? { subject: [counted(suites.length, 'suite')], notes: [['Nothing is compared']] }
    : { subject: suiteRow(only, suites, suiteSentence(only, { isOnly: true })) };
}

function scoringAlone(
  [scoring, ...more]: readonly [ScoringResult, ...ScoringResult[]],
  suites: readonly SuiteResult[],
): HeadlineText {
  const { name, rates, same_answers: same } = scoring;
  const suite: Words = suites.length === 1 && more.length === 0 ? [] : [' of ', { name }];
  const others = more.length === 0 ? '' : `; ${counted(more.length, 'more suite')}`;
  return {
    subject: [...scoringEffect(scoring, suite), others],
    notes: [
      [
        `${wholeRates(rates.base_base, rates.base_head)} of the ` +
          (same.unit === 'tests' ? 'tests pass with the same answers' : 'same answers pass'),
      ],
    ],
  };
}

/**
 * Tests that got worse although their suite did not regress, and suites that got worse under base's
 * scoring (metrics).
 */
export function lookedWorse({ suites }: Pick<Result, 'suites'>): Words[] {
  const { worse } = figuresOf({ suites: suites.filter(({ reason }) => reason?.by !== 'named') });
  const excused = suites.filter(({ reason }) => reason?.by !== 'scoring' && reason?.under_base);
  return [
    ...(worse === 0
      ? []
      : [[`${counted(worse, 'test')} got worse, too few to call a suite regressed`]]),
    ...excused.map((suite): Words => {
      const { base = null, head = null, excused: passes = false } = suite.reason?.under_base ?? {};
      return [...suiteWords(suite, suites), `: ${fallInWords(base, head, passes)}`];
    }),
  ];
}

export function evaluatedText(suites: readonly SuiteResult[]): HeadlineText {
  const [only] = suites;
  const counting = suites.flatMap(({ references }) => references.filter(countsForVerdict));
  const failed = counting.filter(({ status }) => status === 'fail').length;
  const all = failed === 0 ? suites.flatMap(({ references }) => references) : counting;
  const tests = counted(all.length, 'test');
  const how = failed === 0 ? `${tests}.` : `${count(failed)} of ${tests} failed.`;
  if (suites.length === 1 && only !== undefined)
    return { subject: suiteRow(only, suites, suiteRates(only)), notes: [[how]] };
  const range = rateRange(suites) ?? 'nothing could be judged';
  return {
    notes: [[`${counted(suites.length, 'result')}, ${range}. ${how}`]],
  };
}
