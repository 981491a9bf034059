import type { Bounds } from './passing.ts';

/** Where a count may lie, of one name or of several. */
const COUNTS = /^(?:0 and up|a map of .* number$)/;

const WORDS = /^(?:a text$|one of )/;

/**
 * Why bounds on values of this range (as a metric's record words it) give the same verdict for
 * every answer, with the key that is wrong; null: they do not, or the range is not known.
 */
export function boundsProblem(
  { min, max }: Partial<Bounds>,
  range: string,
): { key: 'min' | 'max'; message: string } | null {
  if (min === undefined && max === undefined) return null;
  const key = min === undefined ? 'max' : 'min';
  if (WORDS.test(range)) return { key, message: `the values are ${range}, which have no bounds` };
  if (min !== undefined && max !== undefined && min > max)
    return {
      key: 'max',
      message: `max ${String(max)} is below min ${String(min)}, so that nothing passes`,
    };
  const inside = (value: number): boolean =>
    value >= (min ?? -Infinity) - 1e-9 && value <= (max ?? Infinity) + 1e-9;
  const found = verdictsIn(range, inside, { min: min ?? -Infinity, max: max ?? Infinity });
  if (found === null || found.size > 1) return null;
  return found.has(true)
    ? { key, message: `every value passes (${range}); leave the bound out, or write skip: true` }
    : { key, message: `no value passes (${range})` };
}

/** The verdicts that values of the range can get; null: the range is not known. */
function verdictsIn(
  range: string,
  inside: (value: number) => boolean,
  { min, max }: Required<Bounds>,
): Set<boolean> | null {
  const numbers = (range.replaceAll('−', '-').match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  if (COUNTS.test(range)) numbers.splice(0, numbers.length, 0, Infinity);
  else if (range.startsWith('a map') || numbers.length < 2) return null;
  const [low = 0, high = 0] = numbers;
  const isContinuous = COUNTS.test(range) || / to /.test(range);
  // Any value from `low` to `high`: the ends, and the nearest to each bound from inside.
  const values = isContinuous
    ? [low, high, ...[min, max].filter((bound) => bound > low && bound < high)]
    : numbers;
  return new Set(values.map(inside));
}

/** What is wrong with `min` and `max` among a metric's parameters. */
export function parameterBounds(options: Record<string, unknown>, range: string): string[] {
  const { min, max } = options;
  const found = boundsProblem(
    {
      ...(typeof min === 'number' ? { min } : {}),
      ...(typeof max === 'number' ? { max } : {}),
    },
    range,
  );
  return found === null ? [] : [`with.${found.key}: ${found.message}`];
}
