import type { DependsOn, Score } from '../types/metric.ts';
import { isMap } from '../types/plain.ts';
import { entryNumber, metricNumber } from './value.ts';

export function unmetReason(
  condition: DependsOn,
  score: Pick<Score, 'value'> | undefined,
): string | null {
  const { name, metric_name, metric_min_value: min, metric_max_value: max } = condition;
  const shown = metric_name ?? name;
  if (score === undefined || score.value === null)
    return `depends on ${name}, which has no value for this answer`;
  const isEntry = metric_name !== null && metric_name !== name && isMap(score.value);
  const value = isEntry ? entryNumber(score.value, metric_name) : metricNumber(score.value);
  if (value === null) return `depends on ${shown}, which is not a single number for this answer`;
  return value >= min && value <= max
    ? null
    : `depends on ${shown} ${bounds(min, max)}; it is ${value}`;
}

function bounds(min: number, max: number): string {
  if (max === Number.MAX_VALUE) return `of at least ${min}`;
  return min === -Number.MAX_VALUE ? `of at most ${max}` : `between ${min} and ${max}`;
}
