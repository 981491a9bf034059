import { onlyScoringChanged, showsOnly } from '../../kernel/result/counts.ts';
import type { ReferenceResult, ReferenceStatus } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { count, counted, inSize, percent } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { endingShares } from '../../wording/endings.ts';
import { driftedSuites, figuresOf, isSilent, unansweredIn } from '../../wording/figures.ts';
import { rateRange } from '../../wording/rates.ts';
import { reasonWords } from '../../wording/reasons.ts';
import { underBaseScoring } from '../../wording/scoring.ts';
import { unconfirmedWords } from '../../wording/suites.ts';
import { SENTENCE, code, joinLines, strong, text, type Inline, type Line } from './document.ts';
import type { Reports } from './feature-report.ts';
import {
  subjectOf,
  suiteNumbers,
  worstSuite,
  suitesThat,
  several,
  type HeadlineText,
} from './headline-suite.ts';
import { NO_RATE, withoutSubject } from './headline-sweep.ts';
import { referenceEntries } from './order.ts';
import { rates } from './phrases.ts';
import { suiteScoring } from './suites.ts';

function sentence(words: string): Inline {
  return text(shorten(words, SENTENCE));
}

/** The first reason, cut to one sentence. */
export function firstReason({ reasons: [reason], suites, title }: Result): HeadlineText {
  if (reason?.code === 'words')
    return withoutSubject([code(shorten(reason.text, SENTENCE), SENTENCE)]);
  return withoutSubject([sentence(reason === undefined ? title : reasonWords(reason, suites))]);
}

export function problemsLine({ problems, usage }: Result): HeadlineText {
  const sent = usage.calls === 0 ? ' Nothing was sent to a model.' : '';
  return withoutSubject([text(`${counted(problems.length, 'problem')} to fix.${sent}`)]);
}

export function regressionLine(result: Result, reports: Reports): HeadlineText {
  const regressed = suitesThat(result, 'regressed');
  const silent = regressed.flatMap(unansweredIn).length;
  const broken = countOfStatus(result, 'regressed') - silent;
  const fell = countOfStatus(result, 'fell');
  const { subject, line } = several(result, regressed, 'regressed');
  const clearly = broken === 0 ? [] : [`${counted(broken, 'reference')} clearly got worse`];
  const also =
    fell === 0
      ? []
      : [broken === 0 ? `${counted(fell, 'reference')} fell` : `${count(fell)} more fell`];
  const where = regressed.filter(({ references }) => references.some(isWorse)).length;
  const across = where < 2 ? [] : [`in ${counted(where, 'suite')}`];
  const words =
    clearly.length + also.length === 0 ? '' : [...clearly, ...also, ...across].join(', ');
  const found =
    words === ''
      ? []
      : [text(words), ...inOnePlace(result, broken + silent + fell, reports), text('. ')];
  const missing =
    silent === 0
      ? []
      : regressed.every(isSilent)
        ? [text(`Head does not answer in ${counted(silent, 'reference')} that base answers. `)]
        : [text(`Head answers less often in ${counted(silent, 'reference')}. `)];
  return { subject, line: [...missing, ...found, ...line, ...confirmedWords(regressed)] };
}

function countOfStatus({ suites }: Result, status: ReferenceStatus): number {
  return referenceEntries(suites).filter(({ reference }) => reference.status === status).length;
}

/** ` Confirmed by new answers; the oldest stored one is of 2026-11-14.` */
function confirmedWords(regressed: readonly SuiteResult[]): Line {
  const rested = regressed.flatMap(({ confirmation }) =>
    confirmation?.rests_on === 'stored' ? confirmation : [],
  );
  if (rested.length === 0) return [];
  const oldest = Math.min(...rested.flatMap(({ stored }) => stored.oldest ?? []));
  const date = Number.isFinite(oldest) ? new Date(oldest).toISOString().slice(0, 10) : null;
  const age = date === null ? '' : `; the oldest stored one is of ${date}`;
  return [text(` Confirmed by new answers${age}.`)];
}

function isWorse({ status }: ReferenceResult): boolean {
  return status === 'regressed' || status === 'fell';
}

/** Smallest share of worse references for an attribute to be named. */
const MIN_SHARED_ATTRIBUTE = 0.6;

/**
 * `, 5 of them in Refunds (100.0 % → 55.0 %)`: where it broke, if most of it broke in one place.
 */
function inOnePlace(result: Result, all: number, reports: Reports): Line {
  const [worst] = suitesThat(result, 'regressed');
  if (worst === undefined) return [];
  const broken = worst.references.filter(isWorse).map(({ id }) => id);
  const [most] = reports.flatMap(({ inCommon }) => inCommon?.(result, worst, broken) ?? []);
  if (most === undefined || broken.length < 2 || most.shared < MIN_SHARED_ATTRIBUTE * broken.length)
    return [];
  const how = most.shared === all ? 'all' : `${count(most.shared)} of them`;
  return [text(`, ${how} in `), strong(most.name), text(` (${rates(most.base, most.head)})`)];
}

export function improvedLine(result: Result): HeadlineText {
  return withMore(
    several(result, suitesThat(result, 'improved'), 'improved'),
    worseAloneLine(result),
  );
}

/** References that got worse in suites that did not regress. */
function worseAloneLine(result: Result): Line {
  const worse = figuresOf(result).worse;
  const excused = excusedIn(result);
  return worse === 0
    ? excused
    : [
        text(
          ` ${counted(worse, 'reference')} got worse, which is not enough to call a suite regressed.`,
        ),
        ...excused,
      ];
}

export function inconclusiveLine(result: Result): HeadlineText {
  const open = suitesThat(result, 'inconclusive');
  const why = worstSuite(open);
  const told = several(result, open, 'inconclusive');
  const hidden = why === undefined ? null : hiddenBy(why, result);
  if (hidden !== null) {
    const { subject, line } = withMore(told, worseAloneLine(result));
    return { subject, line: [text(`${hidden} `), ...line] };
  }
  const because = why === undefined ? [] : openBecause(why);
  const space = told.line.length === 0 || because.length === 0 ? [] : [text(' ')];
  return withMore(told, [...space, ...because, ...worseAloneLine(result)]);
}

/** What base lost since its answers were stored, by suite. */
export function modelChangedLine(result: Result): HeadlineText {
  const suites = driftedSuites(result.suites);
  const shown = suites
    .slice(0, MAX_HEADLINE_NAMES)
    .map(({ name, base, head }): Line => [code(name), text(` ${rates(base, head)}`)]);
  const more = suites.length - MAX_HEADLINE_NAMES;
  const line = [
    ...(shown.length === 0
      ? [text("asked again today, base's own values are worse, too. ")]
      : [
          text('asked again today, base itself gives '),
          ...joinLines(shown, ', '),
          text(more > 0 ? ` and ${count(more)} more. ` : '. '),
        ]),
    text("Base's stored answers were replaced."),
  ];
  return { subject: [], line: [...line, ...worseAloneLine(result)] };
}

/** Regressions that the scoring change hides in a suite, or how its answers ended; null: none. */
function hiddenBy(suite: SuiteResult, { scoring }: Result): string | null {
  const { reason, references } = suite;
  if (reason?.by === 'endings') return `Answers ${endingShares(references).join('; ')}.`;
  if (reason?.by !== 'scoring') return null;
  const found = suiteScoring(suite, scoring);
  if (found === undefined) return null;
  return `${underBaseScoring(found, found.excused ?? false)}.`;
}

/** What head's scoring passes and base's fails, where the verdict is about something else. */
function excusedIn({ scoring, suites }: Result): Line {
  return scoring.flatMap((change) => {
    const { path, name, excused } = change;
    const suite = suites.find((candidate) => candidate.path === path && candidate.name === name);
    if (excused !== true || suite?.reason?.by === 'scoring') return [];
    const whose = suites.length === 1 ? '' : `${name}: `;
    return [text(` ${whose}${underBaseScoring(change, true)}.`)];
  });
}

/** What keeps a suite from green: named references, or a possible drop. */
function openBecause(suite: SuiteResult): Line {
  const { low } = suite.pass_rate;
  const { by = null, references = [] } = suite.reason ?? {};
  if (by === 'uncompared') return openNames('Without evidence: ', references);
  if (by === 'suspicious') return openNames('Looks worse by itself: ', references);
  if (by === 'unconfirmed' && suite.confirmation !== undefined)
    return [text(unconfirmedWords(suite.confirmation))];
  if (showsOnly(suite)) return [text('No metric of it gates, so its values are only shown.')];
  if (low === null || low >= 0) return [];
  // Only too few references keep it open.
  const next = by === 'unsettled' ? ' More references would narrow that.' : '';
  return [text(`A drop of up to ${inSize(low)} points is not ruled out.${next}`)];
}

function openNames(words: string, references: readonly string[]): Line {
  const ids = references.slice(0, MAX_HEADLINE_NAMES).map((id) => [code(id)]);
  const more = references.length - MAX_HEADLINE_NAMES;
  return [text(words), ...joinLines(ids, ', '), text(more > 0 ? ` and ${count(more)} more.` : '.')];
}

const MAX_HEADLINE_NAMES = 3;

export function nothingWorseLine(result: Result): HeadlineText {
  return withMore(comparedNumbers(result), worseAloneLine(result));
}

/** One suite by its numbers, several by count and largest drop. */
export function noRegressionLine(result: Result): HeadlineText {
  const { suites } = result;
  const moved = suites.filter(({ pass_rate }) => pass_rate.difference !== null);
  if (moved.length === 0) return nothingWorseLine(result);
  if (suites.length === 1)
    return withMore(comparedNumbers(result), [...ruledOut(moved), ...worseAloneLine(result)]);
  const worst = worstSuite(moved);
  const fell = worst !== undefined && (worst.pass_rate.difference ?? 0) < 0;
  const largest = fell
    ? [text('Largest drop: '), ...subjectOf(worst, suites), text(`, ${suiteNumbers(worst)}.`)]
    : [text('No pass rate is lower.')];
  const rest = moved.length === suites.length ? '' : ` ${count(moved.length)} of them compared.`;
  const told = {
    subject: [text(counted(suites.length, 'suite'))],
    line: [...largest, ...(rest === '' ? [] : [text(rest)])],
  };
  return withMore(told, [...ruledOut(moved), ...worseAloneLine(result)]);
}

/** ` A drop above 7.8 points is ruled out.`: how far green reaches. */
function ruledOut(all: readonly SuiteResult[]): Line {
  const compared = all.filter(({ pass_rate: { base } }) => base !== 0);
  if (compared.length === 0) return [text(' Nothing passes on base, so nothing could fall.')];
  const lows = compared.flatMap(({ pass_rate: { low } }) => low ?? []);
  const least = Math.min(0, ...lows);
  const which = compared.length < all.length ? ' suite in which something passes on base' : '';
  const where = all.length === 1 ? '' : ` in each${which}`;
  return least === 0 ? [] : [text(` A drop above ${inSize(least)} points is ruled out${where}.`)];
}

function scoringAlone(
  moved: readonly [ScoringResult, ...ScoringResult[]],
  { suites }: Result,
): HeadlineText {
  const [first] = moved;
  const more = moved.length - 1;
  const of = suites.length === 1 ? '' : ` in ${counted(moved.length, 'suite')}`;
  return {
    subject: [code(first.name), text(more === 0 ? '' : ` and ${count(more)} more`)],
    line: [
      text(
        `Only the scoring changed${of}: the same answers pass ${percent(first.rates.base_base)} ` +
          `of the time under base's and ${percent(first.rates.base_head)} under head's.`,
      ),
    ],
  };
}

export function withMore({ subject, line }: HeadlineText, more: Line): HeadlineText {
  return { subject, line: [...line, ...more] };
}

function comparedNumbers(result: Result): HeadlineText {
  const compared = result.suites.filter(({ pass_rate }) => pass_rate.difference !== null);
  if (compared.length > 0) return several(result, compared, 'compared');
  const fresh = result.suites.filter(({ verdict }) => verdict === 'new');
  if (fresh.length === 0) {
    const [first, ...others] = onlyScoringChanged(result);
    return first === undefined
      ? withoutSubject([sentence(result.title)])
      : scoringAlone([first, ...others], result);
  }
  const [only] = fresh;
  if (fresh.length === 1)
    return {
      subject: subjectOf(only, result.suites),
      line: [text('1 new suite, nothing to compare with.')],
    };
  return {
    subject: [text(counted(fresh.length, 'new suite'))],
    line: [text(`Nothing to compare with; ${rateRange(fresh) ?? NO_RATE}.`)],
  };
}
