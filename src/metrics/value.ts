import type { Score } from '../types/metric.ts';
import { isMap, type Json } from '../types/plain.ts';

export function metricNumber(value: Score['value']): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return finite(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const [only, ...others] = Object.values(value);
  return others.length === 0 && typeof only === 'number' ? finite(only) : null;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function entryNumber(value: Json, name: string): number | null {
  return isMap(value) && Object.hasOwn(value, name) ? metricNumber(value[name] ?? null) : null;
}
