import { type Target, modelLabel } from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import { mostOutput } from './tokens.ts';

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
  /** Some calls do not limit their output. Costs of the input of one, and of an output token. */
  unlimited?: { input_usd: number; token_usd: number; longest?: number };
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
  /** Input tokens of a call without a limit. */
  unlimited?: number;
};

export function priceCounts(
  counts: readonly ForecastCount[],
  stored: number,
  price: Price,
): Forecast {
  const models = counts
    .filter(({ calls }) => calls > 0)
    .map((given): ModelForecast => {
      const { target, limited: _, unlimited: __, ...count } = given;
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
        ...(ofOneCall === null ? {} : limitBounds(given, price)),
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

function limitBounds(
  { target, limited, unlimited }: Pick<ForecastCount, 'target' | 'limited' | 'unlimited'>,
  price: Price,
): Pick<ModelForecast, 'limited' | 'unlimited'> {
  const cost = (input_tokens: number, output_tokens: number): number =>
    price(target, { input_tokens, output_tokens }) ?? 0;
  const longest = mostOutput(target);
  return {
    ...(limited && {
      limited: { max_tokens: limited.output, cost_usd: cost(limited.input, limited.output) },
    }),
    ...(unlimited !== undefined && {
      unlimited: {
        input_usd: cost(unlimited, 0),
        token_usd: cost(0, 1e6) / 1e6,
        ...(longest === null ? {} : { longest }),
      },
    }),
  };
}
