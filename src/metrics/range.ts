import type { Bounds } from './passing.ts';

export function boundsProblem(bounds: Bounds | null, range: string): string | null {
  if (bounds === null) return null;
  if (/^(?:a text$|one of )/.test(range))
    return `its values are ${range}, so it cannot have a bound`;
  const { min = -Infinity, max = Infinity } = bounds;
  const values = min > max ? [] : rangeValues(range, [min, max]);
  const passing = values.filter((value) => value >= min - 1e-9 && value <= max + 1e-9);
  if (values.length < 2 || (passing.length > 0 && passing.length < values.length)) return null;
  const verdict = passing.length === 0 ? 'fails' : 'passes';
  return (
    `every value ${verdict} (values: ${range}); to show a metric without an effect on the ` +
    'verdict, write skip: true'
  );
}

function rangeValues(range: string, bounds: readonly number[]): number[] {
  const numbers = (range.replaceAll('−', '-').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  const isCount = /^(?:0 and up|a map of .* number$)/.test(range);
  if (range.startsWith('a map') && !isCount) return [];
  const [low = 0, high = 0] = isCount ? [0, Infinity] : numbers;
  return isCount || range.includes(' to ')
    ? [low, high, ...bounds.filter((bound) => bound > low && bound < high)]
    : numbers;
}

export function parameterBounds(options: Record<string, unknown>, range: string): string[] {
  const { min, max } = options as Bounds;
  if (min === undefined && max === undefined) return [];
  if (min !== undefined && max !== undefined && min > max)
    return [`with.max: ${max} is below min ${min}, so nothing can pass`];
  const found = boundsProblem(options, range);
  return found === null ? [] : [`with.${min === undefined ? 'max' : 'min'}: ${found}`];
}
