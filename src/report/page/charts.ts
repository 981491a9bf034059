import type { Result } from '../../kernel/result/result.ts';
import { percent, cost as inDollars, counted } from '../../text/amounts.ts';
import { type Markup, joinMarkup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { variantWords } from '../../wording/variants.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { rateInterval } from '../sections/phrases.ts';
import { rankedPrompts, type Ranked } from '../sections/tables.ts';
import { cardHtml, ownCell, tableHtml, wrappedCell } from './blocks.ts';
import type * as library from './line-charts.ts';

export async function costCharts(result: Result): Promise<ReadonlyMap<string, Markup>> {
  const prompts = rankedPrompts(result);
  if (prompts.length === 0) return new Map();
  const drawn = await import('./line-charts.ts');
  return new Map(
    prompts.flatMap((prompt): [string, Markup][] => {
      const card = costCard(prompt, drawn);
      return card === null ? [] : [[prompt.key, card]];
    }),
  );
}

function costCard(
  { name, ranked }: { name: string; ranked: readonly Ranked[] },
  { qualityCostChart }: typeof library,
): Markup | null {
  const placed = ranked.map((variant, at) => ({
    ...variant,
    rank: at + 1,
    cost: variant.suite.cost_per_1000_calls ?? null,
  }));
  const points = placed.flatMap((variant) => {
    const { rank, cost, rate, interval } = variant;
    return cost === null || rate === null || interval === null
      ? []
      : [{ variant, rank, cost, rate, low: interval.low, high: interval.high }];
  });
  if (points.length === 0) return null;
  const unknown = placed.filter(({ cost }) => cost === null);
  const unjudged = placed.filter(({ cost, rate }) => cost !== null && rate === null);
  const variantOf = ({ suite }: (typeof placed)[number]) =>
    markup`<code>${shorten(variantWords(suite.variant), NAME_LIMIT)}</code>`;
  const omitted = (some: typeof placed, because: string) =>
    some.length === 0
      ? null
      : markup` Not drawn, because ${because}: ${joinMarkup(some.map(variantOf), ', ')}.`;
  return cardHtml({
    title: `Quality against cost, ${shorten(name, NAME_LIMIT)}`,
    note: [
      'A dot for each variant, marked with its rank; the bar is the 95 % interval of its pass rate.',
      omitted(unknown, 'the cost is not known'),
      omitted(unjudged, 'nothing could be judged'),
    ],
    svg: qualityCostChart({
      label:
        `Pass rate against the cost of a thousand calls for ${counted(points.length, 'variant')}; ` +
        `the numbers are in the table below.`,
      points,
    }),
    table: tableHtml(
      ['Rank', 'Variant', 'Cost per 1,000 calls', 'Pass rate', '95 % interval'],
      points.map(({ variant, rank, cost, rate, low, high }) => [
        ownCell(rank),
        wrappedCell(variantOf(variant)),
        ...[inDollars(cost), percent(rate), rateInterval({ low, high })].map(ownCell),
      ]),
    ),
  });
}
