import type { Result, SuiteResult } from '../../types.ts';
import { percent } from '../../text/amounts.ts';
import { code, group, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { headRate, type HeadRate } from './head-rate.ts';
import { andMore, cost, variantWords } from './phrases.ts';

/** One variant of a prompt with what it achieved. */
export interface Ranked extends HeadRate {
  suite: SuiteResult;
}

/** The variants of one prompt, the best first; the cheaper one of equals. */
export interface RankedPrompt {
  key: string;
  name: string;
  ranked: Ranked[];
}

/** The prompts of a sweep that ran in more than one variant. */
export function rankedPrompts({ suites, mode }: Result): RankedPrompt[] {
  if (mode !== 'sweep') return [];
  const prompts = new Map<string, SuiteResult[]>();
  for (const suite of suites)
    prompts.set(`${suite.path}\n${suite.name}`, [
      ...(prompts.get(`${suite.path}\n${suite.name}`) ?? []),
      suite,
    ]);
  return [...prompts]
    .filter(([, { length }]) => length > 1)
    .map(([key, variants]) => ({
      key,
      name: variants[0]?.name ?? '',
      ranked: variants
        .map((suite): Ranked => ({ suite, ...headRate(suite) }))
        .sort((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || priceOf(a) - priceOf(b)),
    }));
}

/**
 * A sweep's variants of each prompt, the best first: pass rate over judged tries with its 95 %
 * interval (Wilson), and what a thousand calls cost. Variants whose intervals overlap the best
 * one's are not told apart by this run, and that is said.
 */
export function ranking(result: Result, { suites: limit }: Detail): Block[] {
  return rankedPrompts(result).flatMap((prompt) =>
    group(
      [text('Variants of '), code(prompt.name), text(', the best first')],
      rankingBlocks(prompt, limit),
    ),
  );
}

/** The table of one prompt's variants, at most `limit` rows, and what its order is worth. */
export function rankingBlocks({ ranked }: RankedPrompt, limit: number): Block[] {
  const shown = ranked.slice(0, limit);
  const more = andMore(ranked.length, shown.length);
  return [
    {
      kind: 'table',
      head: COLUMNS.map((name) => [text(name)]),
      rows: shown.map((one, index) => rowOf(one, index)),
    },
    paragraph([text(verdictOf(ranked))]),
    ...(more === null ? [] : [paragraph([text(`${more} variants.`)])]),
  ];
}

const COLUMNS = ['Rank', 'Variant', 'Pass rate', '95 % interval', 'Tries', 'Cost per 1,000 calls'];

function priceOf({ suite }: Ranked): number {
  return suite.cost_per_1000_calls ?? Number.MAX_VALUE;
}

function rowOf({ suite, rate, interval, passes, tries }: Ranked, index: number): Line[] {
  return [
    [text(String(index + 1))],
    [code(variantWords(suite.variant))],
    [text(percent(rate))],
    [text(interval === null ? '–' : `${percent(interval.low)} to ${percent(interval.high)}`)],
    [text(`${String(passes)} of ${String(tries)}`)],
    [text(cost(suite.cost_per_1000_calls ?? null))],
  ];
}

/** What the order is worth. */
function verdictOf([best, ...others]: readonly Ranked[]): string {
  const floor = best?.interval?.low;
  if (floor === undefined) return 'No try could be judged.';
  const close = others.filter(({ interval }) => interval !== null && interval.high >= floor).length;
  if (close === 0) return 'The first is ahead of all others: their intervals do not overlap.';
  const words =
    close === 1
      ? 'The interval of one more variant overlaps'
      : `The intervals of ${String(close)} more variants overlap`;
  return `${words} the first's: this run does not tell them apart. More references or tries would.`;
}
