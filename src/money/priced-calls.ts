import type { Price } from '../kernel/plan/price.ts';
import { isBatched } from '../kernel/select/targets.ts';
import type { Purpose, Target } from '../types/model.ts';

/**
 * What one model is going to be asked for one purpose, as far as that can be said before the first
 * answer.
 */
export interface ModelForecast {
  /** `gpt-4o`, `model (endpoint)`, or `gpt-4o (batch)`. */
  model: string;
  purpose: Purpose;
  /** Calls that nothing stored answers. */
  calls: number;
  /** Estimated. */
  input_tokens: number;
  output_tokens: number;
  /** US dollars; null: no price is known. */
  cost_usd: number | null;
  /**
   * Requests at most that are refused first, to find out what a model takes of which nothing is
   * known. They are no calls, and no cap counts them. Absent: none.
   */
  refusals?: number;
}

export interface Forecast {
  models: ModelForecast[];
  /** Answers of the plan that are stored already. */
  stored: number;
  /** US dollars in all; null when a model has no price. */
  cost_usd: number | null;
  /** Models without a price. */
  unpriced: string[];
}

export type ForecastCount = Omit<ModelForecast, 'cost_usd' | 'model'> & { target: Target };

/**
 * Prices what is counted by model and purpose; counts without calls are left out. `stored`: as in
 * {@link Forecast}.
 */
export function priceCounts(
  counts: readonly ForecastCount[],
  stored: number,
  price: Price,
): Forecast {
  const models = counts
    .filter(({ calls }) => calls > 0)
    .map(({ target, ...count }): ModelForecast => {
      const usage = {
        input_tokens: Math.round(count.input_tokens),
        output_tokens: Math.round(count.output_tokens),
      };
      // By the call, for prices may depend on how long one is.
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

/** A model as forecasts name it. */
export function modelLabel(target: Target): string {
  if (isBatched(target)) return `${target.model} (batch)`;
  return 'endpoint' in target && target.endpoint !== null
    ? `${target.model} (${target.endpoint})`
    : target.model;
}

/** The forecast of a plan that is carried out several times, each time with answers of its own. */
export function timesForecast({ models, cost_usd, ...rest }: Forecast, times: number): Forecast {
  const cost = (price: number | null): number | null => (price === null ? null : price * times);
  return {
    ...rest,
    cost_usd: cost(cost_usd),
    models: models.map((model) => ({
      ...model,
      calls: model.calls * times,
      input_tokens: model.input_tokens * times,
      output_tokens: model.output_tokens * times,
      cost_usd: cost(model.cost_usd),
    })),
  };
}
