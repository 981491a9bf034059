import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { twoDecimals, pValue, percent, pointsBetween } from '../../text/amounts.ts';
import { isOfPrompt } from '../../wording/figures.ts';
import { scoringSummary } from '../../wording/scoring.ts';
import type { Detail } from './detail.ts';
import { code, group, paragraph, table, type Block, type Line, moreBlock } from './document.ts';
import { flippedLine } from './flipped-references.ts';

import { becauseLine } from './suites.ts';

export function scorings({ scoring, suites }: Result, { collapsedItems: items }: Detail): Block[] {
  const shown = scoring.slice(0, items);
  const blocks = shown.flatMap((change) => {
    const own = suites.filter(isOfPrompt(change));
    return scoringBlocks(
      change,
      own.flatMap(({ references }) => references),
      items,
    );
  });
  return group('Scoring', [...blocks, ...moreBlock(scoring.length, shown.length)]);
}

function scoringBlocks(
  scoring: ScoringResult,
  references: readonly ReferenceResult[],
  items: number,
): Block[] {
  const { rates } = scoring;
  return [
    paragraph([code(scoring.name), `: ${scoringSummary(scoring)}`]),
    ...table(
      ['', "Base's scoring", "Head's scoring"],
      [
        ["Base's answers", percent(rates.base_base), percent(rates.base_head)],
        ["Head's answers", percent(rates.head_base), percent(rates.head_head)],
      ].map((row) => row.map((cell) => [cell])),
    ),
    paragraph([
      `Prompt ${pointsBetween(rates.base_head, rates.head_head)}, ` +
        `scoring ${pointsBetween(rates.base_base, rates.base_head)}, ` +
        `together ${pointsBetween(rates.base_base, rates.head_head)}. Changed: `,
      ...becauseLine(scoring.because),
      '.',
    ]),
    paragraph(['By both scorings: ', ...flippedLine(scoring, references, items)]),
  ];
}

export function scoringFigures({ scoring }: Result): Line[] {
  return scoring.flatMap(({ name, same_answers: { judged, p, kappa } }) => {
    if (judged === 0) return [];
    const agree = kappa === null ? '' : `, Cohen's κ ${twoDecimals(kappa)}`;
    return [[code(name), `: both scorings of the same answers, McNemar mid-${pValue(p)}${agree}`]];
  });
}
