import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  paragraph,
  place,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { andMore, moreBlock } from '../../report/sections/phrases.ts';
import { shorten } from '../../text/visible.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import {
  GENERATED_WORDS,
  droppedWords,
  explainedSuites,
  insightsTitle,
} from './explained-suites.ts';
import type { Insight } from './result.ts';

const SHOWN_REFERENCES = 5;
const INSIGHT_CHARACTERS = 600;

export function insights(result: Result, { collapsedItems: items }: Detail): Block[] {
  const suites = explainedSuites(result, suitesWorstFirst(result.suites)).filter(
    (suite) => suite.insights.length + suite.dropped > 0,
  );
  const dropped = droppedWords(suites.reduce((sum, suite) => sum + suite.dropped, 0));
  const all = suites.flatMap((of) => of.insights.map((insight) => ({ insight, of })));
  const shown = all.slice(0, items);
  if (all.length === 0 && dropped === null) return [];
  return group(
    [text(insightsTitle(result.insights))],
    [
      ...(all.length === 0 ? [] : [paragraph([text(GENERATED_WORDS)])]),
      ...shown.flatMap(({ insight, of }) => [
        paragraph(insightLine(insight, suites.length > 1 ? of.name : null)),
        changeBlock(insight),
      ]),
      ...moreBlock(all.length, shown.length),
      ...(dropped === null ? [] : [paragraph([text(dropped)])]),
    ],
  );
}

function changeBlock({ change: { was, becomes } }: Insight): Block {
  return {
    kind: 'diff',
    lines: [
      { sign: 'removed', text: was },
      { sign: 'added', text: becomes },
    ],
  };
}

function insightLine(
  { text: words, references, change: { file, line } }: Insight,
  suite: string | null,
): Line {
  const names = references.slice(0, SHOWN_REFERENCES).map((id): Line => [code(id)]);
  const more = andMore(references.length, SHOWN_REFERENCES);
  return [
    ...(suite === null ? [] : [code(suite), text(': ')]),
    text(shorten(words, INSIGHT_CHARACTERS)),
    ...(names.length === 0 ? [] : [text(' (')]),
    ...joinLines(names, ', '),
    ...(names.length === 0 ? [] : [text(more === null ? ')' : ` ${more})`)]),
    text(' '),
    place(file, line),
  ];
}
