import { sum } from '../kernel/statistics/sums.ts';
import type { Budget } from '../project/settings.ts';
import { formatDollars, count, counted } from '../text/amounts.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { Forecast, ModelForecast } from './priced-calls.ts';

export interface Cap {
  limit: number;
  /** Where the cap is set, and how to change one that the user did not set. */
  from: string;
  isDefault: boolean;
}

/** Null means no limit. */
export interface Caps {
  maxCalls: Cap | null;
  maxCost: Cap | null;
  /** Assumed cost of a call without a known price, in US dollars. Absent: the call is free. */
  unknownCall?: number | null;
  /** What other parts of the run have used already. */
  spent?: { calls: number; cost: number };
}

/** Assumed cost of a call without a known price, in US dollars. */
const UNKNOWN_CALL = 0.05;

interface GivenCaps {
  maxCalls: number | null;
  maxCost: number | null;
  /** How the user writes `max-cost`: as an input of the action, or as an option. */
  writes?: 'input ' | '--';
  /** True if evaldiff, not the user, chose `maxCost`. */
  assumesCost?: boolean;
}

/** The default cost cap counts only calls with a known price. */
export function capsOf(given: GivenCaps, budget: Budget, ofBase = false): Caps {
  const { writes = 'input ', assumesCost = false } = given;
  const cap = (name: 'max-calls' | 'max-cost', own: number | null, key: BudgetKey): Cap | null => {
    const option = `${writes}${name}`;
    if (own !== null) return { limit: own, from: option, isDefault: false };
    const limit = budget[key];
    const place = budget.written?.[key];
    if (limit === null) return null;
    return { limit, from: sourceWords(place, { key, option, ofBase }), isDefault: !place };
  };
  const maxCost = cap('max-cost', given.maxCost, 'max_cost_usd');
  const isOfUser = maxCost !== null && !maxCost.isDefault && !assumesCost;
  return {
    maxCalls: cap('max-calls', given.maxCalls, 'max_calls'),
    maxCost: maxCost && { ...maxCost, isDefault: !isOfUser },
    unknownCall: isOfUser ? UNKNOWN_CALL : null,
  };
}

type BudgetKey = keyof NonNullable<Budget['written']>;

function sourceWords(
  place: Place | undefined,
  { key, option, ofBase }: { key: BudgetKey; option: string; ofBase: boolean },
): string {
  const setting = `budget.${key}`;
  if (place === undefined)
    return `the default; to change it, set ${option}, or ${setting} in the settings file`;
  if (place.file === 'overrides') return `the override ${setting}`;
  const line = `${setting} in ${place.file}:${place.line}`;
  return ofBase ? `${line} of base; ${option} overrides it` : line;
}

export function capWords({ limit, from }: Cap, unit = '$'): string {
  return `${unit}${unit === '' ? count(limit) : String(limit)} (${from})`;
}

const ZERO_COST =
  ' A cap of $0 allows only stored answers, recordings and models whose price is 0.';

export function costProblems({ unpriced, models }: Forecast, { maxCost: cap }: Caps): Problem[] {
  if (cap === null) return [];
  const isUnknown = cap.isDefault && unpriced.length > 0;
  const cost = sum(models.map(({ cost_usd, calls }) => cost_usd ?? calls * UNKNOWN_CALL));
  const zero = cap.limit === 0 ? ZERO_COST : '';
  const whole =
    `This run would cost about ${formatDollars(cost)} for its first answers and grades; ` +
    `the limit is ${capWords(cap)}. Nothing was sent.${zero}`;
  const ofCalls = models.flatMap(({ model, limited }) =>
    limited === undefined || limited.cost_usd <= cap.limit
      ? []
      : `One call of ${model} can cost ${formatDollars(limited.cost_usd)}, because its request ` +
        `allows ${count(limited.max_tokens)} output tokens; the limit is ${capWords(cap)}. ` +
        `Nothing was sent. Lower max_tokens, or raise the limit.`,
  );
  return [...(cost > cap.limit && !isUnknown ? [whole] : []), ...ofCalls].map((message) => ({
    place: null,
    message,
  }));
}

export function unknownPriceWords(
  unpriced: readonly string[],
  { maxCost: cap }: Caps,
): string | null {
  if (cap === null || cap.isDefault || unpriced.length === 0) return null;
  const names = unpriced.map((name) => `"${name}"`).join(', ');
  return (
    `No price is known for ${names}. evaldiff assumes $${UNKNOWN_CALL} per call, so ` +
    `the limit of ${capWords(cap)} allows at most ` +
    `${counted(Math.floor(cap.limit / UNKNOWN_CALL), 'such call')}. ${PRICE_ADVICE}`
  );
}

export const PRICE_ADVICE =
  'Give the price in dollars per million tokens in the settings file: ' +
  'models: { NAME: { provider: …, price: { input: …, output: … } } }';

export function spendNotices(
  { cost_usd, unpriced }: Forecast,
  planned: number,
  caps: Caps,
): Notice[] {
  const { maxCalls, maxCost } = caps;
  const notices: string[] = [];
  if (maxCalls !== null && planned > maxCalls.limit / 2)
    notices.push(
      `the first answers and grades take up to ${counted(planned, 'call')}; the limit is ` +
        capWords(maxCalls, ''),
    );
  if (maxCost !== null && cost_usd !== null && cost_usd > maxCost.limit / 2)
    notices.push(
      `the first answers and grades cost about ${formatDollars(cost_usd)}; the limit is ` +
        capWords(maxCost),
    );
  notices.push(...[unknownPriceWords(unpriced, caps) ?? []].flat());
  return notices.map((message) => ({ kind: 'capped', place: null, message }));
}

export function capLine({ maxCalls, maxCost }: Caps): string {
  const calls = maxCalls === null ? 'none' : capWords(maxCalls, '');
  const cost = maxCost === null ? 'none' : capWords(maxCost);
  return `limits: model calls: ${calls}; cost: ${cost}`;
}

const PURPOSE_WORDS: Readonly<Record<ModelForecast['purpose'], string>> = {
  prompt: 'answer',
  grader: 'grade',
  embedding: 'embedding',
  moderation: 'moderation',
  evaluator: 'evaluation',
  qualeval: 'attribute question',
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
  own_code,
}: Forecast): string {
  const free = own_code ? 'cost unknown (prompt code may make calls of its own)' : 'free of charge';
  const runs = agents === undefined ? '' : `; ${agentWords(agents)}`;
  const reuse = `${runs}${stored === 0 ? '' : `; ${counted(stored, 'answer')} stored already`}`;
  if (models.length === 0) return runs === '' ? `${free}${reuse}` : reuse.replace('; ', '');
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
  return `${total}, with tokens estimated: ` + `${parts.join('; ')}${files}${reuse}`;
}

function agentWords({ runs, most_calls, most_usd }: NonNullable<Forecast['agents']>): string {
  return (
    `${counted(runs, 'run')} of agents with at most ${counted(most_calls, 'call')} and ` +
    `${formatDollars(most_usd)}, because of the limits in their suites`
  );
}

function shortTokens(tokens: number): string {
  return tokens < 10_000 ? String(tokens) : `${String(Math.round(tokens / 1000))}k`;
}
