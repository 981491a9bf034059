import { bothTries, countsForVerdict } from '../../kernel/result/counts.ts';
import type { ReferenceResult, ReferenceStatus } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { count, counted } from '../../text/amounts.ts';
import { brokeWord, suitesWorstFirst } from '../../wording/figures.ts';
import type { Detail } from './detail.ts';
import {
  code,
  group,
  lineBreak,
  paragraph,
  table,
  type Block,
  type Line,
  moreBlock,
} from './document.ts';
import { errorCauses, opensErrors } from './errors.ts';
import { evidence } from './evidence.ts';
import { linkedFace } from './faces.ts';
import { sharedFailures, type Failure } from './failures.ts';
import type { Reports } from './feature-report.ts';
import { entriesWithStatus, promptKey, type ReferenceEntry } from './order.ts';
import { passWords, rolledUpWords, statusWord, statusWords, suiteName } from './phrases.ts';

export function opensWorst({ mode }: Result, { answers }: Detail): boolean {
  return mode === 'diff' && answers > 0;
}

/**
 * Returns references that got worse or failed. Those of the headline's suite come first. Those that
 * do not affect the verdict come last.
 */
export function brokenOf(result: Result, reports: Reports): ReferenceEntry[] {
  const found =
    result.mode === 'sweep'
      ? entriesWithStatus(
          result,
          reports,
          'fail',
          ...(opensErrors(result) ? [] : ['error' as const]),
        ).filter(isBroken)
      : entriesWithStatus(result, reports, 'regressed', 'fell');
  const [worst] = result.mode === 'sweep' ? [] : suitesWorstFirst(result.suites);
  const rank = ({ suite, reference }: ReferenceEntry) =>
    !countsForVerdict(reference) ? 2 : suite === worst || worst === undefined ? 0 : 1;
  return found.toSorted((a, b) => rank(a) - rank(b));
}

export function brokenReferences(result: Result, detail: Detail, reports: Reports): Block[] {
  const entries = brokenOf(result, reports);
  const open = opensWorst(result, detail) ? 1 : 0;
  if (entries.length <= open) return [];
  const { suites } = result;
  let answers = Math.max(0, detail.answers - open);
  let counts = detail.counts;
  const shared = sharedFailures(entries, reports);
  const blocks = shared.flatMap((failure, index) => {
    const above = index === 0 ? open : 0;
    const left = failure.entries.slice(above);
    const inFull = left.slice(0, Math.min(answers, (detail.answersPerFailure ?? Infinity) - above));
    const rows = left.slice(inFull.length, inFull.length + counts);
    answers -= inFull.length;
    counts -= rows.length;
    return inFull.length + rows.length === 0
      ? []
      : [
          paragraph(failureLine(failure, suites)),
          ...inFull.flatMap((entry) => answerBlocks(entry, suites, detail, reports)),
          ...countsTable(rows, suites),
        ];
  });
  const shown = open + detail.counts - counts + Math.max(0, detail.answers - open) - answers;
  return group(brokenWords(result, shared, open), [...blocks, ...moreBlock(entries.length, shown)]);
}

function failureLine(
  { metric, unjudged, reason, entries }: Failure,
  all: readonly SuiteResult[],
): Line {
  const subject: Line =
    metric === null ? ['No answer'] : [code(metric), unjudged ? ' could not judge' : ' failed'];
  const [first] = entries;
  const suites = new Set(entries.map(({ suite }) => promptKey(suite))).size;
  const variants = new Set(entries.map(({ suite }) => suite)).size;
  return [
    ...subject,
    `${unjudged ? '' : ' in'} ${counted(entries.length, 'test')}`,
    ...(all.length < 2 || first === undefined
      ? []
      : suites > 1
        ? [` of ${counted(suites, 'suite')}`]
        : variants > 1
          ? [` of ${counted(variants, 'variant')} of `, code(first.suite.name)]
          : [' of ', ...suiteName(first.suite, all)]),
    ...(reason === null ? [] : [': ', code(reason, REASON_CHARACTERS)]),
  ];
}

const REASON_CHARACTERS = 200;

function brokenWords({ mode }: Result, failures: readonly Failure[], open: number): string {
  const entries = failures.flatMap((failure) => failure.entries);
  if (mode === 'sweep') return failedWords(entries);
  const word = brokeWord(entries.slice(open).map(({ reference }) => reference));
  return `${counted(entries.length - open, open === 0 ? 'test' : 'more test')} ${word}`;
}

function failedWords(entries: readonly ReferenceEntry[]): string {
  const failed = entries.filter(({ reference }) => reference.status === 'fail').length;
  const rest = entries.length - failed;
  if (rest === 0) return counted(failed, 'failed test');
  const was = rest === 1 ? 'was' : 'were';
  return failed === 0
    ? `${counted(rest, 'test')} that ${was} not judged`
    : `${counted(failed, 'failed test')} and ${count(rest)} that ${was} not judged`;
}

function isBroken({ reference }: ReferenceEntry): boolean {
  return (
    reference.status !== 'error' ||
    bothTries(reference).some(
      ({ parts, error, scores }) =>
        parts === null ||
        error !== null ||
        scores.some((score) => score.status === 'error' || score.status === 'ungraded'),
    )
  );
}

export function movedReferences(result: Result, detail: Detail, reports: Reports): Block[] {
  if (result.mode === 'sweep') return [];
  const open = opensErrors(result);
  const entries = MOVED.filter((status) => !(open && status === 'error')).flatMap((status) =>
    entriesWithStatus(result, reports, status),
  );
  const causes = open ? [] : errorCauses(result, detail);
  if (entries.length + causes.length === 0) return [];
  const words = [...Map.groupBy(entries, ({ reference: { status } }) => statusWord(status))].map(
    ([word, { length }]) => `${count(length)} ${word}`,
  );
  return group(
    entries.length === 0 ? 'Tries that ended in an error' : `Tests by status: ${words.join(', ')}`,
    [...countsTable(entries, result.suites, detail.collapsedItems), ...causes],
  );
}

const MOVED: readonly ReferenceStatus[] = [
  'error',
  'ungraded',
  'inconclusive',
  'flaky',
  'edited',
  'improved',
  'rose',
];

function answerBlocks(
  { suite, reference }: ReferenceEntry,
  suites: readonly SuiteResult[],
  detail: Detail,
  reports: Reports,
): Block[] {
  const title: Line = [
    ...suiteName(suite, suites),
    ' › ',
    ...linkedFace(reference),
    ` – ${passCounts(reference, suite)}${countsForVerdict(reference) ? '' : ', does not gate'}`,
  ];
  return evidence(title, reference, detail, reports);
}

/** For example `3 of 3 → 1 of 3 passed, majority: pass → fail`. */
export function passCounts(reference: ReferenceResult, suite: SuiteResult): string {
  const { base, head } = reference;
  const before = passWords(base);
  const after = passWords(head);
  const both = before.endsWith(PASSED) && after.endsWith(PASSED);
  const counts =
    base === null ? after : `${both ? before.slice(0, -PASSED.length) : before} → ${after}`;
  return `${counts}${rolledUpWords(reference, suite)}`;
}

const PASSED = ' passed';

function countsTable(
  entries: readonly ReferenceEntry[],
  suites: readonly SuiteResult[],
  most?: number,
): Block[] {
  return table(
    ['Test', 'Status', 'Base → head'],
    entries.map(({ suite, reference }) => [
      [...suiteName(suite, suites), ' › ', lineBreak, ...linkedFace(reference)],
      statusWords(reference),
      [passWords(reference.base), ' →', lineBreak, passWords(reference.head)],
    ]),
    most,
  );
}
