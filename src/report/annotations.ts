import { countsForVerdict, failingMetrics, isNewFailing } from '../kernel/result/counts.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { andMore, counted, firstWords } from '../text/amounts.ts';
import { shorten, visible, visibleLine } from '../text/visible.ts';
import type { ChangedFile } from '../types/repository.ts';
import { brokeWord, suitesWorstFirst } from '../wording/figures.ts';
import { suiteFacts } from '../wording/suite-facts.ts';
import { joinSentences, plainWords } from '../wording/words.ts';
import { firstLine } from './sections/changes.ts';
import { failures, sharedFailures, worstOf, type Failure } from './sections/failures.ts';
import { foundLines, type FoundLines, type Reports } from './sections/feature-report.ts';
import {
  referenceWords,
  entriesWithStatus,
  referenceEntries,
  suiteIdentity,
  type ReferenceEntry,
} from './sections/order.ts';
import { sidesPassWords } from './sections/phrases.ts';

interface Annotation {
  path: string;
  /** Counted from 1, inclusive. */
  startLine: number;
  endLine: number;
  level: 'notice' | 'warning' | 'failure';
  title: string;
  message: string;
}

/** GitHub limits titles in UTF-16 units, and messages in bytes. */
export const ANNOTATION_TITLE_LIMIT = 255;

export const ANNOTATION_MESSAGE_LIMIT = 64_000;

/** In UTF-16 units, for one answer or reason. */
const MAX_ANNOTATION_PART = 2_000;

export function annotations(
  result: Result,
  changed: readonly ChangedFile[],
  reports: Reports,
  workingDirectory = '.',
): Annotation[] {
  const files = new Map(changed.filter(({ deleted }) => !deleted).map((file) => [file.path, file]));
  const failed = result.conclusion === 'failure' ? 'failure' : 'warning';
  const lines = foundLines(result, reports);
  const fresh =
    result.mode === 'sweep'
      ? []
      : referenceEntries(result.suites).filter(({ suite, reference }) =>
          isNewFailing(reference, suite),
        );
  const onFailures = (
    entries: readonly ReferenceEntry[],
    level: Annotation['level'],
    file: string,
  ) =>
    failures(
      entries.filter(({ reference }) => reference.file === file),
      reports,
    ).flatMap((failure) => onReferences(failure, level, reports));
  const all = [
    ...result.problems.flatMap(({ place, message }) =>
      place === null || !files.has(place.file)
        ? []
        : [at(place.file, place.line, 'failure', 'Not judged: this has to be fixed', message)],
    ),
    ...[...files.values()].flatMap((file) => {
      const summary = onFile(file, result, lines, failed, reports);
      const shown = new Set(summary.map(({ startLine }) => startLine));
      const others = onLines(file, lines, failed);
      return [...summary, ...others.filter(({ startLine }) => !shown.has(startLine))];
    }),
    ...[...files.keys()].flatMap((file) => [
      ...onFailures(entriesWithStatus(result, reports, 'regressed', 'fell'), failed, file),
      ...onFailures(fresh, result.gate.new === 'fail' ? failed : 'notice', file),
    ]),
  ];
  const root = rootOf(workingDirectory);
  return all.map((line) => ({
    ...line,
    path: `${root}${line.path}`,
    title: shorten(visibleLine(line.title), ANNOTATION_TITLE_LIMIT),
    message: fitMessage(visible(line.message)),
  }));
}

export function rootOf(workingDirectory: string): string {
  const parts = workingDirectory.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '' : `${parts.join('/')}/`;
}

function at(
  path: string,
  line: number,
  level: Annotation['level'],
  title: string,
  message: string,
): Annotation {
  // GitHub counts lines from 1. Line 0 means the whole file.
  const shown = Math.max(1, line);
  return { path, startLine: shown, endLine: shown, level, title, message };
}

/** Tests that fail in the same way share one annotation, at the line of the worst test. */
function onReferences(
  { entries: [worst, ...others] }: Failure,
  failed: Annotation['level'],
  reports: Reports,
): Annotation[] {
  if (worst === undefined) return [];
  const { suite, reference } = worst;
  const gates = [worst, ...others].some((entry) => countsForVerdict(entry.reference));
  const names = firstWords(
    others.map(({ reference: { id, line } }) => `${shorten(id, 120)} (line ${line})`),
  );
  return [
    at(
      reference.file,
      reference.line,
      gates ? failed : 'notice',
      `${suite.name}: ${reference.id}${andMore(others.length, 0)} ${failureWord([worst, ...others])}`,
      [
        `${sidesPassWords(reference)}.`,
        ...referenceWords(reference, MAX_ANNOTATION_PART, reports),
        ...(names === '' ? [] : [`These failed in the same way: ${names}.`]),
      ].join('\n'),
    ),
  ];
}

function failureWord(entries: readonly ReferenceEntry[]): string {
  if (entries.some(({ suite, reference }) => isNewFailing(reference, suite)))
    return entries.length === 1 ? 'is new and fails' : 'are new and fail';
  return brokeWord(entries.map(({ reference }) => reference));
}

function onFile(
  file: ChangedFile,
  result: Result,
  found: readonly FoundLines[],
  failed: Annotation['level'],
  reports: Reports,
): Annotation[] {
  const isNamed = ({ because }: Pick<SuiteResult, 'because'>) =>
    because.some((changed) => changed.file === file.path);
  const rescored = new Set(result.scoring.filter(isNamed).map(({ path }) => path));
  const suites = suitesWorstFirst(
    result.suites.filter(
      (suite) => suite.path === file.path || isNamed(suite) || rescored.has(suite.path),
    ),
  );
  if (suites.length === 0) return [];
  const facts = suites.flatMap((suite) => suiteFacts(suite, result));
  const [word = '', ...others] = new Set(facts.map((fact) => fact.word));
  const words = [word, ...others.map((other) => other.toLowerCase())].join(', ');
  const keys = new Set(suites.map(suiteIdentity));
  const own = found.filter(({ suite }) => keys.has(suiteIdentity(suite)));
  const [foundLine] = own.flatMap((each) => linesIn(each, file));
  const line = foundLine?.line ?? changedLine(file, result);
  const worst = worstWords(suites, result, reports);
  return [
    at(
      file.path,
      line,
      overallLevel(suites, failed),
      `${words} in ${counted(suites.length, 'suite')}`,
      [
        ...own.map(({ sentence }) => sentence),
        ...worst,
        ...facts.map(({ word, words: fact }) =>
          plainWords(joinSentences([[`${word}: `, ...fact]])),
        ),
      ].join('\n'),
    ),
  ];
}

function overallLevel(
  suites: readonly SuiteResult[],
  failed: Annotation['level'],
): Annotation['level'] {
  const hasVerdict = (verdict: SuiteResult['verdict']) =>
    suites.some((suite) => suite.verdict === verdict);
  if (hasVerdict('regressed') || suites.some((suite) => failingMetrics(suite).length > 0))
    return failed;
  const isNewFailure = ({ suite, reference }: ReferenceEntry) => isNewFailing(reference, suite);
  return hasVerdict('inconclusive') && !referenceEntries(suites).some(isNewFailure)
    ? 'warning'
    : 'notice';
}

const SHOWN_AROUND = 3;

function linesIn({ lines: all, proof }: FoundLines, { path, lines }: ChangedFile) {
  const found = proof === 'likely' ? all.slice(0, 1) : all;
  return found.flatMap(({ head: { file, line }, side }) => {
    if (file !== path || line === 0) return [];
    const nearest = lines
      .map(({ start, end }) =>
        Math.min(Math.max(line, Math.max(1, start - SHOWN_AROUND)), end + SHOWN_AROUND),
      )
      .sort((a, b) => Math.abs(a - line) - Math.abs(b - line));
    return nearest.slice(0, 1).map((shown) => ({ line: shown, isRemoved: side === 'base' }));
  });
}

function onLines(
  file: ChangedFile,
  found: readonly FoundLines[],
  failed: Annotation['level'],
): Annotation[] {
  const lines = Map.groupBy(
    found.flatMap((each) => linesIn(each, file).map((own) => ({ ...own, each }))),
    ({ line }) => line,
  );
  return [...lines].map(([line, own]) => {
    const distinct = (words: (each: FoundLines) => string) => [
      ...new Set(own.map(({ each }) => words(each))),
    ];
    const suites = distinct(({ suite }) => suite.name).join(', ');
    return at(
      file.path,
      line,
      failed,
      lineTitle(
        new Set(own.map(({ each }) => each.proof)),
        own.every(({ isRemoved }) => isRemoved),
        suites,
      ),
      distinct(({ sentence }) => sentence).join('\n'),
    );
  });
}

function lineTitle(
  proofs: ReadonlySet<FoundLines['proof']>,
  isRemoved: boolean,
  suites: string,
): string {
  const line = isRemoved ? 'The line removed here' : 'This line';
  if (proofs.has('alone')) return `${line} made ${suites} worse`;
  if (proofs.has('together')) return `${line} with others made ${suites} worse`;
  return proofs.has('likely')
    ? `This line or another made ${suites} worse`
    : `The only change before ${suites} got worse`;
}

function changedLine({ path, lines }: ChangedFile, { changes = [] }: Result): number {
  const changed = changes.find(({ file }) => file === path);
  const line = changed === undefined ? 0 : firstLine(changed);
  if (lines.some(({ start, end }) => start <= line && line <= end)) return line;
  const first = lines.reduce((least, { start }) => Math.min(least, start), Infinity);
  return Number.isFinite(first) ? first : 1;
}

function worstWords(suites: readonly SuiteResult[], result: Result, reports: Reports): string[] {
  const entries = entriesWithStatus(
    { ...result, suites: [...suites] },
    reports,
    'regressed',
    'fell',
  );
  const found = worstOf(
    sharedFailures(
      entries.filter(({ reference }) => countsForVerdict(reference)),
      reports,
    ),
  );
  if (found === null) return [];
  const {
    worst: { reference },
    others,
  } = found;
  const alike = others === 0 ? '' : `; ${others} more failed in the same way`;
  return [
    `${shorten(reference.id, 120)}: ${sidesPassWords(reference)}${alike}.`,
    ...referenceWords(reference, MAX_ANNOTATION_PART, reports),
  ];
}

/** A UTF-16 unit takes at most three bytes. */
function fitMessage(message: string): string {
  if (Buffer.byteLength(message) <= ANNOTATION_MESSAGE_LIMIT) return message;
  return shorten(message, Math.floor(ANNOTATION_MESSAGE_LIMIT / 3));
}
