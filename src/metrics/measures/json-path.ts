import type { ExactJson } from '../../types/exact-json.ts';
import { isMap } from '../../types/plain.ts';

type PathStep = string | number | null;

const STEP =
  /\.(?<name>[^.[\]'"*\s]+|\*)|\[\s*(?:(?<at>-?\d{1,9})|\*|'(?<single>[^']*)'|"(?<double>[^"]*)")\s*\]/gy;

/**
 * Reads paths such as `order.items[0].name`, `$.items[*].id` or `['a.b']` (RFC 9535, child segments
 * only; `$.` is optional).
 */
export function parsePath(path: string): PathStep[] | null {
  const rest = path.startsWith('$') ? path.slice(1) : path.replace(/^(?!\[)/, '.');
  const found = [...rest.matchAll(STEP)];
  if (found.map(([text]) => text).join('') !== rest) return null;
  return found.map(({ groups: { name, at, single, double } = {} }) => {
    if (at !== undefined) return Number(at);
    return (name === '*' ? undefined : name) ?? single ?? double ?? null;
  });
}

export function valuesAt(value: ExactJson, [step, ...further]: readonly PathStep[]): ExactJson[] {
  if (step === undefined) return [value];
  return entriesAt(value, step).flatMap((entry) => valuesAt(entry, further));
}

function entriesAt(value: ExactJson, step: PathStep): ExactJson[] {
  if (Array.isArray(value)) {
    if (step === null) return value;
    const entry = typeof step === 'number' ? value.at(step) : undefined;
    return entry === undefined ? [] : [entry];
  }
  if (!isMap(value)) return [];
  if (step === null) return Object.values(value);
  const key = String(step);
  return Object.hasOwn(value, key) ? [value[key] as ExactJson] : [];
}
