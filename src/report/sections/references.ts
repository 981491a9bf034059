import { countsForVerdict } from '../../result/counts.ts';
import type { Result } from '../../result/result.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SuiteResult,
  TryResult,
} from '../../result/suite-result.ts';
import { count, counted } from '../../text/amounts.ts';
import type { Score } from '../../types/metric.ts';
import type { Json } from '../../types/plain.ts';
import {
  code,
  group,
  joined,
  paragraph,
  place,
  text,
  type Block,
  type Detail,
  type Line,
} from './document.ts';
import { emphasise, whole } from './emphasis.ts';
import { casesOf, exampleTries, transcriptLine, type Case } from './order.ts';
import {
  STATUS_WORDS,
  andMore,
  passed,
  rolledUpWords,
  statusWords,
  variantWords,
} from './phrases.ts';
import { repeatedNames } from './suites.ts';

/**
 * Regressed references and those that fell with their suite (failed ones of a sweep), the worst
 * first and those that only are shown last: with answers, then with counts, then their number.
 */
export function brokenCases(result: Result, detail: Detail): Block[] {
  const found =
    result.mode === 'sweep'
      ? casesOf(result, 'fail', 'error')
      : casesOf(result, 'regressed', 'fell');
  const cases = [
    ...found.filter(({ reference }) => countsForVerdict(reference)),
    ...found.filter(({ reference }) => !countsForVerdict(reference)),
  ];
  if (cases.length === 0) return [];
  const repeated = repeatedNames(result.suites);
  const blocks = cases.slice(0, detail.answers).map((one) => answersOf(one, repeated, detail));
  const rows = cases.slice(detail.answers, detail.answers + detail.counts);
  if (rows.length > 0) blocks.push(countsTable(rows, repeated));
  const more = andMore(cases.length, detail.answers + rows.length);
  if (more !== null) blocks.push(paragraph([text(`${more}.`)]));
  return group(
    [text(`${brokenWords(result, cases)}${cases.length === 1 ? '' : ', worst first'}`)],
    blocks,
  );
}

/** `2 regressed references and 3 that fell with their suite`. */
function brokenWords({ mode }: Result, cases: readonly Case[]): string {
  if (mode === 'sweep') return counted(cases.length, 'failed reference');
  const fell = cases.filter(({ reference }) => reference.status === 'fell').length;
  const regressed = cases.length - fell;
  if (fell === 0) return counted(regressed, 'regressed reference');
  return regressed === 0
    ? `${counted(fell, 'reference')} that fell, with too few tries to name ${fell === 1 ? 'it' : 'each'} alone`
    : `${counted(regressed, 'regressed reference')} and ${count(fell)} that fell with the suite`;
}

/**
 * References that moved without being called regressed: improved, flipped within noise, in error,
 * new. Counts only.
 */
export function movedCases(result: Result, detail: Detail): Block[] {
  if (result.mode === 'sweep') return [];
  const cases = MOVED.flatMap((status) => casesOf(result, status));
  if (cases.length === 0) return [];
  const words = MOVED.map((status) => ({
    status,
    number: cases.filter(({ reference }) => reference.status === status).length,
  }))
    .filter(({ number }) => number > 0)
    .map(({ status, number }) => `${count(number)} ${STATUS_WORDS[status]}`);
  const rows = cases.slice(0, detail.items);
  const more = andMore(cases.length, rows.length);
  const blocks = rows.length === 0 ? [] : [countsTable(rows, repeatedNames(result.suites))];
  return group(
    [text(`Other references: ${words.join('; ')}`)],
    [...blocks, ...(more === null ? [] : [paragraph([text(`${more}.`)])])],
  );
}

const MOVED: readonly ReferenceStatus[] = [
  'error',
  'ungraded',
  'inconclusive',
  'flaky',
  'added',
  'edited',
  'removed',
  'improved',
];

function answersOf(
  { suite, reference }: Case,
  repeated: ReadonlySet<string>,
  { characters }: Detail,
): Block {
  const { base, head } = exampleTries(reference);
  const answers = answerPieces(base, head, characters);
  return {
    kind: 'facts',
    title: [
      ...suiteName(suite, repeated),
      text(' › '),
      code(reference.id),
      text(
        ` – ${countsOf(reference, suite)}${countsForVerdict(reference) ? '' : ', does not gate'} – `,
      ),
      place(reference.file, reference.line),
    ],
    rows: [
      { name: [text('Input')], value: inputLine(reference, characters) },
      ...(reference.expected === null
        ? []
        : [{ name: [text('Expected')], value: [code(jsonText(reference.expected), characters)] }]),
      ...(base === null ? [] : [{ name: [text('Base')], value: answers.base }]),
      ...(head === null
        ? []
        : [{ name: [text(reference.base === null ? 'Answer' : 'Head')], value: answers.head }]),
      ...failedScores(head).map((score) => ({
        name: [code(score.metric)],
        value: scoreLine(score, base, characters),
      })),
    ],
  };
}

/** `3 of 3 passed → 1 of 3 passed, majority: pass → fail`; one side where there is one. */
function countsOf(reference: ReferenceResult, suite: SuiteResult): string {
  const { base, head } = reference;
  const counts = base === null ? passed(head) : `${passed(base)} → ${passed(head)}`;
  return `${counts}${rolledUpWords(reference, suite)}`;
}

function answerPieces(
  base: TryResult | null,
  head: TryResult | null,
  characters: number,
): { base: Line; head: Line } {
  if (base?.conversation || head?.conversation)
    return { base: dialogueLine(base, characters), head: dialogueLine(head, characters) };
  const [before, after] = [base?.actual ?? null, head?.actual ?? null];
  if (before !== null && after !== null) {
    const { base: left, head: right } = emphasise(before, after, { characters, gaps: true });
    return { base: [{ kind: 'pieces', pieces: left }], head: [{ kind: 'pieces', pieces: right }] };
  }
  return { base: answerLine(base, characters), head: answerLine(head, characters) };
}

function dialogueLine(one: TryResult | null, characters: number): Line {
  return one?.conversation
    ? transcriptLine(one.conversation, characters)
    : answerLine(one, characters);
}

function answerLine(one: TryResult | null, characters: number): Line {
  if (one === null) return [text('not run')];
  if (one.actual === null)
    return [text('no answer: '), code(one.error ?? 'unknown error', characters)];
  return [{ kind: 'pieces', pieces: whole(one.actual, characters) }];
}

function inputLine({ input }: ReferenceResult, characters: number): Line {
  const entries = Object.entries(input);
  if (entries.length === 0) return [text('none')];
  const one = Math.max(40, Math.floor(characters / entries.length));
  return joined(
    entries.map(([name, value]): Line => [code(name), text(' = '), code(String(value), one)]),
    ', ',
  );
}

function failedScores(head: TryResult | null): Score[] {
  return (head?.scores ?? []).filter(({ status }) => status !== 'pass' && status !== 'skipped');
}

/** The metric's word on head's try, why, and its value on base's. */
function scoreLine(score: Score, base: TryResult | null, characters: number): Line {
  const before = base?.scores.find(({ metric }) => metric === score.metric);
  const line: Line = [text(score.status)];
  if (score.value !== null && typeof score.value !== 'boolean')
    line.push(text(', value '), code(jsonText(score.value), characters));
  if (before !== undefined && before.value !== null && typeof before.value !== 'boolean')
    line.push(text(', on base '), code(jsonText(before.value), characters));
  if (score.reason !== null) line.push(text(': '), code(score.reason, characters));
  if (score.skip) line.push(text(' (shown, does not gate)'));
  return line;
}

/** The suite's name; one of several variants with what tells it apart. */
function suiteName({ name, variant }: SuiteResult, repeated: ReadonlySet<string>): Line {
  return repeated.has(name)
    ? [code(name), text(' ('), code(variantWords(variant)), text(')')]
    : [code(name)];
}

function countsTable(cases: readonly Case[], repeated: ReadonlySet<string>): Block {
  return {
    kind: 'table',
    head: ['Suite', 'Reference', 'Status', 'Base', 'Head', 'Place'].map((name) => [text(name)]),
    rows: cases.map(({ suite, reference }) => [
      suiteName(suite, repeated),
      [code(reference.id)],
      [text(statusWords(reference))],
      [text(passed(reference.base))],
      [text(passed(reference.head))],
      [place(reference.file, reference.line)],
    ]),
  };
}

/** Text as it is, anything else as JSON. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
