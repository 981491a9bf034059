import { EVERYTHING } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { count, counted } from '../../text/amounts.ts';
import { countStatus, coverageBlocks, LINE_WORDS } from './lines-report.ts';
import type { CoveredLineResult, SuiteCoverage } from './result.ts';
import { LINE_KINDS } from './search.ts';

const SHOWN_LINES = 3;

export const coverageReport: FeatureReport = {
  sections: {
    why: ({ coverage = [] }) => coverage.map((suite) => changedLine(suite, coverage.length > 1)),
    belowReferences: ({ coverage = [] }, detail) =>
      detail !== EVERYTHING || coverage.length === 0
        ? []
        : group([text('Which line is tested?')], coverage.flatMap(coverageBlocks)),
  },
};

/** For example `New lines: 2 new or changed: 1 held (refund-a), 1 untested (shop.yaml:13 …)`. */
function changedLine({ suite, lines, reason }: SuiteCoverage, isNamed: boolean): Block {
  const named = isNamed ? [text(' in '), code(suite)] : [];
  if (lines.length === 0)
    return paragraph([
      ...[strong('New lines'), ...named],
      text(` were not examined, because ${reason ?? 'none can be taken away'}.`),
    ]);
  const parts = LINE_KINDS.flatMap((kind): Line[] => {
    const own = countStatus(lines, kind);
    if (own === 0) return [];
    return [[text(`${count(own)} ${LINE_WORDS[kind]}`), ...examples(lines, kind)]];
  });
  return paragraph([
    strong(counted(lines.length, 'new or changed line')),
    ...[...named, text(': '), ...joinLines(parts, ', ')],
    text(reason === null ? '.' : `. Not settled, because ${reason}.`),
  ]);
}

/** The tests that hold lines, or the lines that no test holds. */
function examples(lines: readonly CoveredLineResult[], kind: CoveredLineResult['status']): Line {
  const own = lines.filter(({ status }) => status === kind);
  const tests = [...new Set(own.flatMap(({ references }) => references))].slice(0, SHOWN_LINES);
  const shown: Line[] =
    kind === 'untested'
      ? own
          .slice(0, SHOWN_LINES)
          .map((line) => [place(line.file, line.lines.from), text(' '), code(line.text)])
      : tests.map((id) => [code(id)]);
  if (shown.length === 0) return [];
  return [
    text(kind === 'untested' ? ' (' : ' by '),
    ...joinLines(shown, ', '),
    text(kind === 'untested' ? ')' : ''),
  ];
}
