import type { Budget, Notice, Problem } from '../../types.ts';
import { dollars, plural } from '../../text/amounts.ts';
import type { Forecast } from './forecast.ts';

/**
 * The cap on cost that is in force, and who set it: a default that nobody wrote is kept as far as
 * it can be checked.
 */
export interface CostCap {
  dollars: number;
  by: 'max-cost' | 'budget.max_cost_usd' | 'default';
}

/** The cap that holds, `given` (US dollars) before the settings'; null: none. */
export function costCap(given: number | null, { max_cost_usd, assumed }: Budget): CostCap | null {
  if (given !== null) return { dollars: given, by: 'max-cost' };
  return max_cost_usd === null
    ? null
    : { dollars: max_cost_usd, by: assumed === true ? 'default' : 'budget.max_cost_usd' };
}

/**
 * A cap that somebody set and that nobody could check, and a plan that would surely pass it:
 * refused before anything is sent.
 */
export function costProblems(
  { unpriced, cost_usd, models }: Forecast,
  cap: CostCap | null,
  settingsFile: string,
): Problem[] {
  if (cap === null || models.length === 0) return [];
  const unchecked = uncheckedCap(unpriced, cap, settingsFile);
  if (unchecked.length > 0) return unchecked;
  if (cost_usd === null || cost_usd <= cap.dollars) return [];
  return [
    {
      place: null,
      message: `This run would cost about ${dollars(cost_usd)} for its first answers and grades; the limit is $${String(cap.dollars)} (${limitName(cap)}). Nothing was sent.`,
    },
  ];
}

/** A cap that somebody set cannot be kept for `unpriced`, models as forecasts name them. */
export function uncheckedCap(
  unpriced: readonly string[],
  cap: CostCap | null,
  settingsFile: string,
): Problem[] {
  if (cap === null || cap.by === 'default' || unpriced.length === 0) return [];
  const names = unpriced.map((name) => `"${name}"`).join(', ');
  const message =
    `${cap.by}: a cap of $${String(cap.dollars)} cannot be kept, because no price is known for ${names}. Give it one in ${settingsFile}` +
    ' (models: { NAME: { provider: …, price: { input: …, output: … } } }, in dollars per million tokens), or leave the cap out and use max-calls. Nothing was sent.';
  return [{ place: null, message }];
}

function limitName({ by }: CostCap): string {
  return by === 'default'
    ? 'the default of budget.max_cost_usd; a higher one goes into the settings or the input max-cost'
    : by === 'max-cost'
      ? 'input max-cost'
      : by;
}

/** A plan that takes more than half of what the run may spend is news for whoever reviews it. */
export function spendNotices(
  { cost_usd }: Forecast,
  planned: number,
  { calls, cost }: { calls: number | null; cost: CostCap | null },
): Notice[] {
  const notices: string[] = [];
  if (calls !== null && planned > calls / 2)
    notices.push(
      `the first answers and grades take up to ${plural(planned, 'call')} of the ${String(calls)} allowed`,
    );
  if (cost !== null && cost_usd !== null && cost_usd > cost.dollars / 2)
    notices.push(
      `the first answers and grades cost about ${dollars(cost_usd)} of the $${String(cost.dollars)} allowed`,
    );
  return notices.map((message) => ({ kind: 'capped', place: null, message }));
}
