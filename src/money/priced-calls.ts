import { type Target, modelLabel } from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';

export interface ModelForecast {
  /** For example `gpt-4o`, `model (endpoint)`, or `gpt-4o (batch)`. */
  model: string;
  purpose: Purpose;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  /** The dearest call among those that limit their output. */
  limited?: { max_tokens: number; cost_usd: number };
}

export interface Forecast {
  models: ModelForecast[];
  stored: number;
  /** Upper limits. `cost_usd` does not include agents. */
  agents?: { runs: number; most_calls: number; most_usd: number };
  file_tokens?: number;
  /** Set if a prompt's own code runs, which may make calls that evaldiff does not see. */
  own_code?: true;
  cost_usd: number | null;
  unpriced: string[];
}

export type ForecastCount = Pick<
  ModelForecast,
  'purpose' | 'calls' | 'input_tokens' | 'output_tokens'
> & {
  target: Target;
  /** Input tokens and output limit of the calls with the highest limit. */
  limited?: { input: number; output: number };
};

export function priceCounts(
  counts: readonly ForecastCount[],
  stored: number,
  price: Price,
): Forecast {
  const models = counts
    .filter(({ calls }) => calls > 0)
    .map((given): ModelForecast => {
      const { target, limited: _, ...count } = given;
      const usage = {
        input_tokens: Math.round(count.input_tokens),
        output_tokens: Math.round(count.output_tokens),
      };
      const ofOneCall = price(target, {
        input_tokens: usage.input_tokens / count.calls,
        output_tokens: usage.output_tokens / count.calls,
      });
      return {
        model: modelLabel(target),
        ...count,
        ...usage,
        calls: Math.round(count.calls),
        cost_usd: ofOneCall === null ? null : ofOneCall * count.calls,
        ...(ofOneCall === null ? {} : limitBound(given, price)),
      };
    });
  const unpriced = [
    ...new Set(models.filter(({ cost_usd }) => cost_usd === null).map(({ model }) => model)),
  ];
  return {
    models,
    stored,
    unpriced,
    cost_usd:
      unpriced.length > 0 ? null : models.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
  };
}

function limitBound(
  { target, limited }: ForecastCount,
  price: Price,
): Pick<ModelForecast, 'limited'> {
  if (limited === undefined) return {};
  const { input: input_tokens, output: output_tokens } = limited;
  const cost_usd = price(target, { input_tokens, output_tokens }) ?? 0;
  return { limited: { max_tokens: output_tokens, cost_usd } };
}
