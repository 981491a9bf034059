import type { Result } from '../../kernel/result/result.ts';
import { answerLine } from '../../report/sections/answers.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  list,
  paragraph,
  strong,
  type Block,
  type Line,
  moreBlock,
} from '../../report/sections/document.ts';
import { shortFace } from '../../report/sections/faces.ts';
import { fixBlocks } from '../../report/sections/fixes.ts';

import { andMore, counted, wholePercent } from '../../text/amounts.ts';
import {
  GENERATED_WORDS,
  explainedSuites,
  insightsTitle,
  type ExplainedSuite,
} from './explained-suites.ts';
import { rateSentence } from './insight.ts';
import type { Insight } from './result.ts';

const SHOWN_REFERENCES = 5;

export function insights(result: Result, { collapsedItems: items }: Detail): Block[] {
  const suites = explainedSuites(result).filter((suite) => suite.insights.length > 0);
  const all = suites.flatMap((of) => of.insights.map((insight) => ({ insight, of })));
  const shown = all.slice(0, items);
  if (all.length === 0 || result.mode === 'sweep') return [];
  return group(insightsTitle(result.insights), [
    ...(all.some(({ insight }) => insight.fix !== null) ? [paragraph(GENERATED_WORDS)] : []),
    ...shown.flatMap(({ insight, of }) => [
      paragraph(insightLine(insight, of, suites.length > 1)),
      ...fixBlocks(insight),
    ]),
    ...moreBlock(all.length, shown.length),
  ]);
}

export function insightLine(
  { attribute, references }: Insight,
  of: ExplainedSuite,
  named: boolean,
): Line {
  const names = references.slice(0, SHOWN_REFERENCES).map((id): Line => [code(id)]);
  const regressed = of.attributes.find(({ id }) => id === attribute);
  return [
    ...(named ? [code(of.name), ': '] : []),
    ...(regressed === undefined ? [] : [rateSentence(regressed)]),
    ...(names.length === 0
      ? []
      : [' (', ...joinLines(names, ', '), `${andMore(references.length, SHOWN_REFERENCES)})`]),
  ];
}

const MOST_SUITES = 3;

/** A sweep's insights: what each suite or model is weak in, with a failing answer. */
export function weakBlocks(result: Result, { characters }: { characters: number }): Block[] {
  const weak = explainedSuites(result).filter(
    ({ insights }) => result.mode === 'sweep' && insights.length > 0,
  );
  return list(weak.slice(0, MOST_SUITES).map((of) => weakLine(of, characters)));
}

function weakLine({ name, suite, attributes, insights }: ExplainedSuite, characters: number): Line {
  const named = insights.flatMap(({ attribute: id }) =>
    attributes
      .filter((attribute) => attribute.id === id)
      .map(({ name: words, head, n }): Line => [
        strong(words),
        ` (${wholePercent(head)} of ${counted(n, 'test')} pass)`,
      ]),
  );
  const failing = suite.references.find(({ id }) => insights[0]?.references.includes(id));
  const answer = failing?.head?.tries.find(({ outcome }) => outcome === 'fail') ?? null;
  return [
    ...[code(name), ' is weak in ', ...joinLines(named, ', ')],
    ...(failing === undefined
      ? ['.']
      : [
          ...['. For example, ', code(shortFace(failing)), ': '],
          ...answerLine(answer, characters),
        ]),
  ];
}
