import type { Result, SuiteResult } from '../types.ts';
import { percent } from '../core/compare/wording.ts';
import { code, group, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { headRate, type HeadRate } from './head-rate.ts';
import { andMore, cost, variantWords } from './phrases.ts';

/** One variant of a prompt with what it achieved. */
interface Ranked extends HeadRate { suite: SuiteResult }

/**
 * A sweep's variants of each prompt, the best first: pass rate over judged tries with its 95 % interval (Wilson), and what a
 * thousand calls cost. Variants whose intervals overlap the best one's are not told apart by this run, and that is said.
 */
export function ranking({ suites, mode }: Result, { suites: limit }: Detail): Block[] {
  if (mode !== 'sweep') return [];
  const prompts = new Map<string, SuiteResult[]>();
  for (const suite of suites) prompts.set(`${suite.path}\n${suite.name}`, [...prompts.get(`${suite.path}\n${suite.name}`) ?? [], suite]);
  return [...prompts.values()].filter(({ length }) => length > 1).flatMap((variants) => {
    const ranked = variants.map((suite): Ranked => ({ suite, ...headRate(suite) })).sort((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || (priceOf(a) - priceOf(b)));
    const shown = ranked.slice(0, limit);
    const more = andMore(ranked.length, shown.length);
    return group([text('Variants of '), code(variants[0]?.name ?? ''), text(', the best first')], [
      { kind: 'table', head: COLUMNS.map((name) => [text(name)]), rows: shown.map((one, index) => rowOf(one, index)) },
      paragraph([text(verdictOf(ranked))]),
      ...(more === null ? [] : [paragraph([text(`${more} variants.`)])]),
    ]);
  });
}

const COLUMNS = ['Rank', 'Variant', 'Pass rate', '95 % interval', 'Tries', 'Cost per 1,000 calls'];

function priceOf({ suite }: Ranked): number {
  return suite.cost_per_1000_calls ?? Number.MAX_VALUE;
}

function rowOf({ suite, rate, interval, passes, tries }: Ranked, index: number): Line[] {
  return [
    [text(String(index + 1))], [code(variantWords(suite.variant))], [text(percent(rate))],
    [text(interval === null ? '–' : `${percent(interval.low)} to ${percent(interval.high)}`)], [text(`${String(passes)} of ${String(tries)}`)],
    [text(cost(suite.cost_per_1000_calls ?? null))],
  ];
}

/** What the order is worth. */
function verdictOf([best, ...others]: readonly Ranked[]): string {
  const floor = best?.interval?.low;
  if (floor === undefined) return 'No try could be judged.';
  const close = others.filter(({ interval }) => interval !== null && interval.high >= floor).length;
  if (close === 0) return 'The first is ahead of all others: their intervals do not overlap.';
  const words = close === 1 ? 'The interval of one more variant overlaps' : `The intervals of ${String(close)} more variants overlap`;
  return `${words} the first's: this run does not tell them apart. More references or tries would.`;
}
