import {
  code,
  joinLines,
  list,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { count, counted, firstWords } from '../../text/amounts.ts';
import type { CoveredLineResult, SuiteCoverage } from './result.ts';
import type { LineKind } from './search.ts';

export const LINE_WORDS: Readonly<Record<LineKind, string>> = {
  held: 'held',
  held_together: 'held together',
  untested: 'untested',
  idle: 'no effect seen',
  unsettled: 'not settled',
};

export function countStatus(lines: readonly CoveredLineResult[], ...kinds: LineKind[]): number {
  return lines.filter(({ status }) => kinds.includes(status)).length;
}

/** For example `9 of 14 lines held, 2 untested, 3 not settled`. */
function coverageWords({ lines }: SuiteCoverage): string {
  const held = countStatus(lines, 'held', 'held_together');
  const others = (['untested', 'idle', 'unsettled'] as const).flatMap((kind) => {
    const own = countStatus(lines, kind);
    if (own === 0) return [];
    return kind === 'idle'
      ? `${count(own)} without an effect seen`
      : `${count(own)} ${LINE_WORDS[kind]}`;
  });
  return [`${count(held)} of ${counted(lines.length, 'line')} held`, ...others].join(', ');
}

const SHOWN_TESTS = 3;

function statusLine(line: CoveredLineResult, lines: readonly CoveredLineResult[]): Line {
  const { status, references, answers, tokens } = line;
  const other = line.with === null ? undefined : lines[line.with];
  const tests = joinLines(
    references.slice(0, SHOWN_TESTS).map((id) => [code(id)]),
    ', ',
  );
  switch (status) {
    case 'held':
      return [text('held by '), ...tests];
    case 'held_together':
      return [text(`held together with ${lineWords(other)}, by `), ...tests];
    case 'untested':
      return [strong('untested'), text(': answers change without it, no test fails')];
    case 'idle':
      return [
        text(
          `no effect seen in ${counted(answers, 'answer')} (${counted(tokens, 'token')} a call)`,
        ),
      ];
    case 'unsettled':
      return [text('not settled')];
  }
}

function lineWords(line: CoveredLineResult | undefined): string {
  return line === undefined || line.lines.from === 0 ? 'another line' : `line ${line.lines.from}`;
}

/** The prompt's lines with their statuses, as a table. */
export function coverageBlocks(suite: SuiteCoverage): Block[] {
  const { path, lines, reason, tests, calls } = suite;
  const named = [strong(path), text(suite.suite === path ? '' : ` (${suite.suite})`)];
  if (lines.length === 0)
    return [paragraph([...named, text(`: not examined, because ${reason ?? 'it has no lines'}.`)])];
  const rows = lines.map((line) => [
    [place(line.file, line.lines.from)],
    [
      code(
        line.name !== null && line.kind !== 'message' ? `${line.name}: ${line.text}` : line.text,
      ),
    ],
    statusLine(line, lines),
  ]);
  return [
    paragraph(
      [...named, text(`: ${coverageWords(suite)} (${counted(calls, 'call')}).`)],
      'verdict',
    ),
    { kind: 'table', head: [[text('Place')], [text('Line')], [text('Tests')]], rows },
    ...list(noteLines({ reason, tests })),
  ];
}

function noteLines({ reason, tests }: Pick<SuiteCoverage, 'reason' | 'tests'>): Line[] {
  const { unsteady, spare } = tests;
  return [
    ...(reason === null ? [] : [[text(`Not settled, because ${reason}.`)]]),
    ...(unsteady.length === 0
      ? []
      : [
          [
            text(
              `${counted(unsteady.length, 'test')} pass in less than half of the tries and hold ` +
                `nothing: ${firstWords(unsteady)}.`,
            ),
          ],
        ]),
    ...(spare.length === 0
      ? []
      : [[text(`Without these tests, the same lines would be held: ${firstWords(spare)}.`)]]),
  ];
}
