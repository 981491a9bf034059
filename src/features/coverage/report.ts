import type { Result } from '../../kernel/result/result.ts';
import { COVERED_HEAD, coveredRow } from '../../report/sections/covered-lines.ts';
import {
  code,
  markedLine,
  joinLines,
  list,
  paragraph,
  place,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { fixBlocks } from '../../report/sections/fixes.ts';
import { suiteIdentity } from '../../report/sections/order.ts';
import { count, counted, firstWords, inSize } from '../../text/amounts.ts';
import type { CoveredLineResult, SuiteCoverage } from './result.ts';

export const coverageReport: FeatureReport = {
  sections: {
    why: (result) =>
      (result.coverage ?? []).flatMap((suite) => [
        paragraph(summaryLine(suite, dropSeen(suite, result))),
        ...suite.lines.flatMap(({ fix = null }) => fixBlocks({ fix })),
        ...[...new Set(suite.lines.flatMap(({ no_fix }) => no_fix ?? []))].map((why) =>
          paragraph(['No test was drafted: ', ...markedLine(why), '.']),
        ),
      ]),
  },
  proposals: ({ coverage = [] }) =>
    coverage.flatMap(({ suite: name, path, variant, lines }) =>
      lines.flatMap((line) =>
        line.fix ? { suite: { path, name, variant }, fix: line.fix, why: placedLine(line) } : [],
      ),
    ),
};

export function isHeld({ status }: CoveredLineResult): boolean {
  return status === 'held' || status === 'held_together';
}

/** In the order of the summary. */
const OTHER_WORDS = {
  untested: 'untested',
  idle: 'without an effect seen',
  unsettled: 'not settled',
} as const;

const SHOWN_UNTESTED = 3;

/** For example `shop: 9 of 14 lines held, 2 untested (shop.yaml:7 …), 3 not settled`. */
function summaryLine(
  { suite, scope, lines, reason }: SuiteCoverage,
  drop: number | null = null,
): Line {
  const noun = scope === 'changed' ? 'new or changed line' : 'line';
  const name: Line = [strong('Tested lines'), ' of ', code(suite), ': '];
  if (lines.length === 0) return [...name, `not examined, because ${reason ?? ''}.`];
  const held = lines.filter(isHeld).length;
  const others = Object.entries(OTHER_WORDS).flatMap(([status, words]): Line[] => {
    const own = lines.filter((line) => line.status === status);
    const shown = status === 'untested' ? own.slice(0, SHOWN_UNTESTED).map(placedLine) : [];
    if (own.length === 0) return [];
    const named = shown.length === 0 ? [] : [' (', ...joinLines(shown, ', '), ')'];
    return [[`${count(own.length)} ${words}`, ...named]];
  });
  const first = [`${count(held)} of ${counted(lines.length, noun)} held`];
  const shows = drop === null ? '' : `; a drop above ${inSize(drop)} points would show`;
  const why = reason === null ? '.' : `. Not settled, because ${reason}.`;
  return [...name, ...joinLines([first, ...others], ', '), `${shows}${why}`];
}

/** What a green run would have noticed in most cases. */
function dropSeen({ suite: name, path, variant }: SuiteCoverage, result: Result): number | null {
  if (result.conclusion !== 'success') return null;
  const key = suiteIdentity({ path, name, variant });
  return result.suites.find((suite) => suiteIdentity(suite) === key)?.visible_drop ?? null;
}

function placedLine({ unit }: CoveredLineResult): Line {
  return [place(unit.file, unit.lines.from), ' ', code(unit.head_text ?? '')];
}

/** The prompt's lines and what holds them, as a table. */
export function coverageBlocks(suite: SuiteCoverage): Block[] {
  const { lines, unsteady, calls } = suite;
  const title = paragraph(summaryLine(suite), 'verdict');
  if (lines.length === 0) return [title];
  const named = (words: string, ids: readonly string[]): Line[] =>
    ids.length === 0 ? [] : [[`${words}: ${firstWords(ids)}.`]];
  const rows = lines.map((line) => coveredRow(line, lines));
  return [
    title,
    { kind: 'table', head: COVERED_HEAD.map((word) => [word]), rows },
    ...list([
      ...named('Tests that pass in less than half of the tries hold nothing', unsteady),
      [`${counted(calls, 'call')} without some of the lines.`],
    ]),
  ];
}
