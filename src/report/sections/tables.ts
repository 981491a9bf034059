import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { percent, cost, counted } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { preferenceSummary } from '../../wording/suites.ts';
import { variantWords } from '../../wording/variants.ts';
import type { Detail } from './detail.ts';
import {
  code,
  group,
  list,
  paragraph,
  table,
  type Block,
  type Cell,
  moreBlock,
} from './document.ts';
import type { Reports } from './feature-report.ts';
import { type Interval, wilson } from './intervals.ts';
import { promptKey } from './order.ts';
import { differingSuites } from './pairing.ts';
import { suiteName } from './phrases.ts';

export function preferences({ suites }: Result, { collapsedItems: items }: Detail): Block[] {
  const found = suitesWorstFirst(suites).flatMap((suite) =>
    suite.preference ? [{ suite, preference: suite.preference }] : [],
  );
  const lines = found.map(({ suite, preference }) => [
    ...suiteName(suite, suites),
    `, ${preference.metric}: ${preferenceSummary(preference)}`,
  ]);
  return group('Preferred answers', list(lines, items));
}

interface HeadRate {
  passes: number;
  tries: number;
  rate: number | null;
  interval: Interval | null;
}

/** The rate weighs all references equally, but the Wilson interval counts individual tries. */
export function headRate({ references, pass_rate: { head: rate } }: SuiteResult): HeadRate {
  const sides = references.filter(countsForVerdict).flatMap(({ head }) => head ?? []);
  const passes = sides.reduce((sum, side) => sum + side.passes, 0);
  const tries = sides.reduce((sum, side) => sum + side.tries_judged, 0);
  return {
    passes,
    tries,
    rate,
    interval: rate === null ? null : wilson({ passes: rate * tries, tries }),
  };
}

interface Ranked extends HeadRate {
  suite: SuiteResult;
}

/**
 * A prompt's variants (models or parameters), the best first. Among equals, the cheapest comes
 * first.
 */
interface RankedPrompt {
  key: string;
  name: string;
  ranked: Ranked[];
}

export function rankedPrompts({ suites, mode }: Result): RankedPrompt[] {
  const rated = suites.filter(
    ({ pass_rate, unit }) => unit !== 'values' && (mode === 'sweep' || pass_rate.head !== null),
  );
  return [...Map.groupBy(rated, promptKey)]
    .filter(([, { length }]) => length > 1)
    .map(([key, variants]) => ({
      key,
      name: variants[0]?.name ?? '',
      ranked: variants
        .map((suite) => ({ suite, ...headRate(suite) }))
        .sort((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || rankedCost(a) - rankedCost(b)),
    }));
}

export function ranking(result: Result, { suites: limit }: Detail, reports: Reports): Block[] {
  return rankedPrompts(result).flatMap((prompt) =>
    group(
      ['Variants of ', code(prompt.name), ', best first'],
      rankingBlocks(prompt, limit, reports),
    ),
  );
}

export function rankingBlocks(
  { ranked }: RankedPrompt,
  limit: number,
  reports: Reports = [],
): Block[] {
  const shown = ranked.slice(0, limit);
  const own = shown.map(({ suite }) => reports.flatMap((report) => report.ranked?.(suite) ?? []));
  return [
    ...table(
      [...RANKING_COLUMNS, ...(own[0] ?? []).map(({ name }) => name)],
      shown.map((row, index) => [
        ...rankingRow(row, index),
        ...(own[index] ?? []).map(({ value }) => [value]),
      ]),
    ),
    paragraph(rankingVerdict(ranked)),
    ...moreBlock(ranked.length, shown.length, 'variants'),
  ];
}

const RANKING_COLUMNS = [
  'Rank',
  'Variant',
  'Pass rate',
  '95 % interval',
  'Tries',
  'Cost per 1,000 calls',
];

function rankedCost({ suite }: Ranked): number {
  return suite.cost_per_1000_calls ?? Number.MAX_VALUE;
}

function rankingRow({ suite, rate, interval, passes, tries }: Ranked, index: number): Cell[] {
  return [
    String(index + 1),
    code(variantWords(suite.variant)),
    percent(rate),
    interval === null ? '–' : `${percent(interval.low)} to ${percent(interval.high)}`,
    `${passes} of ${tries}`,
    cost(suite.cost_per_1000_calls ?? null),
  ];
}

function rankingVerdict([best, ...others]: readonly Ranked[]): string {
  if (best === undefined || best.interval === null) return 'No try could be judged.';
  const judged = others.filter(({ interval }) => interval !== null);
  const suites = judged.map(({ suite }) => suite);
  const close = suites.length - differingSuites(best.suite, suites).size;
  if (close === 0)
    return 'The first is ahead of all others: on the same references, each passes less often (paired test).';
  return (
    `On the same references, this run cannot distinguish ${counted(close, 'other variant')} from the first ` +
    `(paired test). More references or tries might.`
  );
}
