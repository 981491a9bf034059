import { sum } from '../kernel/statistics/sums.ts';
import type { Budget } from '../project/settings.ts';
import { formatDollars, counted } from '../text/amounts.ts';
import type { Notice, Problem } from '../types/plain.ts';
import type { Caps } from './budget.ts';
import type { CostCap } from './price.ts';
import type { Forecast, ModelForecast } from './priced-calls.ts';

/** Assumed cost of a call without a known price, in US dollars. */
const UNKNOWN_CALL = 0.05;

export function costCap(
  given: number | null,
  { max_cost_usd, assumed }: Budget,
  ofBase = false,
): CostCap | null {
  if (given !== null) return { dollars: given, by: 'max-cost' };
  if (max_cost_usd === null) return null;
  const by = assumed === true ? 'default' : 'budget.max_cost_usd';
  return { dollars: max_cost_usd, by, ofBase };
}

export function capsOf(maxCalls: number | null, cost: CostCap | null): Caps {
  const isOfUser = cost !== null && cost.by !== 'default';
  return { maxCalls, maxCost: cost?.dollars ?? null, unknownCall: isOfUser ? UNKNOWN_CALL : null };
}

export function costProblems({ unpriced, models }: Forecast, cap: CostCap | null): Problem[] {
  if (cap === null || (cap.by === 'default' && unpriced.length > 0)) return [];
  const cost = sum(models.map(({ cost_usd, calls }) => cost_usd ?? calls * UNKNOWN_CALL));
  if (cost <= cap.dollars) return [];
  return [
    {
      place: null,
      message:
        `This run would cost about ${formatDollars(cost)} for its first answers and grades; ` +
        `the limit is $${String(cap.dollars)} (${limitName(cap)}). Nothing was sent.`,
    },
  ];
}

export function unknownPriceWords(unpriced: readonly string[], cap: CostCap | null): string | null {
  if (cap === null || cap.by === 'default' || unpriced.length === 0) return null;
  const names = unpriced.map((name) => `"${name}"`).join(', ');
  return (
    `No price is known for ${names}. evaldiff assumes $${String(UNKNOWN_CALL)} per call, so ` +
    `the limit of $${String(cap.dollars)} (${limitName(cap)}) allows at most ` +
    `${counted(Math.floor(cap.dollars / UNKNOWN_CALL), 'such call')}. ${PRICE_ADVICE}`
  );
}

export const PRICE_ADVICE =
  'Give the price in dollars per million tokens in the settings file: ' +
  'models: { NAME: { provider: …, price: { input: …, output: … } } }';

function limitName({ by, ofBase }: CostCap): string {
  if (by === 'max-cost') return 'input max-cost';
  if (by === 'default')
    return 'the default of budget.max_cost_usd; to raise it, change the settings or the input max-cost';
  return ofBase === true ? `${by} of base's settings; the input max-cost overrides it` : by;
}

export function spendNotices(
  { cost_usd, models, unpriced }: Forecast,
  planned: number,
  { calls, cost }: { calls: number | null; cost: CostCap | null },
): Notice[] {
  const notices: string[] = [];
  if (calls !== null && planned > calls / 2)
    notices.push(
      `the first answers and grades take up to ${counted(planned, 'call')} of the ` +
        `${String(calls)} allowed${refusedRequestsClause(models)}`,
    );
  if (cost !== null && cost_usd !== null && cost_usd > cost.dollars / 2)
    notices.push(
      `the first answers and grades cost about ${formatDollars(cost_usd)} of the ` +
        `$${String(cost.dollars)} allowed`,
    );
  notices.push(...[unknownPriceWords(unpriced, cost) ?? []].flat());
  return notices.map((message) => ({ kind: 'capped', place: null, message }));
}

const PURPOSE_WORDS: Readonly<Record<ModelForecast['purpose'], string>> = {
  prompt: 'answer',
  grader: 'grade',
  embedding: 'embedding',
  evaluator: 'evaluation',
  qualeval: 'attribute question',
  insight: 'insight',
  fix: 'draft',
};

/** For example: `about $0.13, with tokens estimated: gpt-4o 48 answers, 12k tokens in, 5k out`. */
export function forecastWords({
  models,
  stored,
  file_tokens,
  unpriced,
  cost_usd,
  agents,
}: Forecast): string {
  const runs = agents === undefined ? '' : `; ${agentWords(agents)}`;
  const reuse = `${runs}${stored === 0 ? '' : `; ${counted(stored, 'answer')} stored already`}`;
  if (models.length === 0) return runs === '' ? `free of charge${reuse}` : reuse.replace('; ', '');
  const parts = models.map(
    ({ model, purpose, calls, input_tokens, output_tokens, cost_usd: cost }) =>
      [
        `${model} ${counted(calls, PURPOSE_WORDS[purpose])}, ${shortTokens(input_tokens)} tokens in, `,
        `${shortTokens(output_tokens)} out`,
        cost === null || models.length === 1 ? '' : `, ${formatDollars(cost)}`,
      ].join(''),
  );
  const total =
    cost_usd === null
      ? `cost unknown (no price for ${unpriced.join(', ')})`
      : `about ${formatDollars(cost_usd)}`;
  const files =
    file_tokens === undefined
      ? ''
      : `; images and PDFs take at most about ${shortTokens(file_tokens)} of the tokens in`;
  return (
    `${total}, with tokens estimated: ` +
    `${parts.join('; ')}${files}${reuse}${refusedRequestsClause(models)}`
  );
}

function agentWords({ runs, most_calls, most_usd }: NonNullable<Forecast['agents']>): string {
  return (
    `${counted(runs, 'run')} of agents with at most ${counted(most_calls, 'call')} and ` +
    `${formatDollars(most_usd)}, because of the limits in their suites`
  );
}

function refusedRequestsClause(models: readonly ModelForecast[]): string {
  const unknown = models.filter(({ refusals = 0 }) => refusals > 0);
  if (unknown.length === 0) return '';
  const most = unknown.reduce((sum, { refusals = 0 }) => sum + refusals, 0);
  const names = [...new Set(unknown.map(({ model }) => model))];
  return (
    `; and up to ${counted(most, 'refused request')}, which do not count for the cap, to ` +
    `find out which parameters ${names.join(', ')} ` +
    `${names.length === 1 ? 'accepts' : 'accept'}`
  );
}

function shortTokens(tokens: number): string {
  return tokens < 10_000 ? String(tokens) : `${String(Math.round(tokens / 1000))}k`;
}
