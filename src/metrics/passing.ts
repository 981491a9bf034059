import type { Better, Metric, Rubric, Score } from '../types/metric.ts';

type StatedPassing = Pick<Metric, 'threshold' | 'better' | 'min' | 'max' | 'pass'>;

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

export function boundsOf({ threshold, min, max }: StatedPassing, better: Better): Bounds | null {
  if (threshold !== null) return better === 'lower' ? { max: threshold } : { min: threshold };
  if (min === undefined && max === undefined) return null;
  return { min, max };
}

type RubricPassing = Pick<Rubric, 'choice_scores' | 'better' | 'pass'>;

export function passingLabels(
  rubric: RubricPassing,
  { pass, better }: Partial<StatedPassing> = {},
): ReadonlySet<string> | null {
  const named = pass ?? rubric.pass;
  if (named !== undefined) return new Set(named);
  const direction = better ?? rubric.better ?? 'none';
  if (direction === 'none') return null;
  const scores = [...rubric.choice_scores.values()];
  const best = direction === 'higher' ? Math.max(...scores) : Math.min(...scores);
  return new Set(
    [...rubric.choice_scores].flatMap(([label, score]) => (score === best ? [label] : [])),
  );
}

export function saysWhatPasses(metric: Metric, rubric: RubricPassing | undefined): boolean {
  if (metric.source.kind !== 'rubric' || rubric === undefined) return true;
  return boundsOf(metric, 'none') !== null || passingLabels(rubric, metric) !== null;
}

/**
 * Whether an answer can fail the metric by its value. If not, only an error or an empty answer
 * fails.
 */
export function canFail(metric: Metric, rubrics: ReadonlyMap<string, RubricPassing>): boolean {
  const { source, definition } = metric;
  if (boundsOf(metric, 'none') !== null) return true;
  if (source.kind === 'code')
    return FAILING_CODE.test(source.code) || !/\bresult\s*=/.test(source.code);
  if (source.kind === 'built-in')
    return definition?.limits?.some((name) => source.with[name] !== undefined) ?? true;
  const rubric = rubrics.get(source.rubric);
  if (rubric === undefined) return true;
  const passing = passingLabels(rubric, metric);
  return passing !== null && passing.size < rubric.choice_scores.size;
}

/** Matches code that may fail an answer: `result` is not always true, or it raises an error itself. */
const FAILING_CODE = /\bresult\s*=(?!\s*[Tt]rue\s*(?:[;}#\n]|\/\/|$))|\b(?:raise|assert|throw)\b/;

/** Rubrics without a passing label are always skipped. */
export function comparesShare(metric: Metric): boolean {
  const { every, level, skip } = metric;
  return (
    every !== undefined && every < 1 && level !== 'Thread' && !skip && canFail(metric, NO_RUBRICS)
  );
}

const NO_RUBRICS: ReadonlyMap<string, RubricPassing> = new Map();

export function directionIn(
  metric: Metric,
  rubrics: ReadonlyMap<string, RubricPassing>,
  entry: string | null = null,
): Better {
  return entry === null && comparesShare(metric) ? 'higher' : valueDirection(metric, rubrics);
}

/**
 * Whether higher values are better, as the metric, its definition or its rubric says. By default,
 * this follows from the passing labels or bounds.
 */
export function valueDirection(
  metric: Metric,
  rubrics: ReadonlyMap<string, RubricPassing>,
): Better {
  const { source, better, definition } = metric;
  if (better !== undefined) return better;
  if (source.kind === 'built-in') {
    const own = definition?.better ?? 'none';
    return source.with['negate'] === true ? OPPOSITE[own] : own;
  }
  const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
  if (rubric?.better !== undefined) return rubric.better;
  return ofLabels(rubric, metric.pass ?? rubric?.pass) ?? ofBounds(metric);
}

const OPPOSITE: Readonly<Record<Better, Better>> = {
  higher: 'lower',
  lower: 'higher',
  none: 'none',
};

function ofLabels(
  rubric: RubricPassing | undefined,
  pass: readonly string[] | undefined,
): Better | null {
  if (rubric === undefined || pass === undefined) return null;
  return (
    (['higher', 'lower'] as const).find((way) => contradiction(rubric, pass, way) === null) ?? null
  );
}

function ofBounds({ threshold, min, max }: StatedPassing): Better {
  if (threshold !== null) return 'higher';
  if (min !== undefined && max === undefined) return 'higher';
  return max !== undefined && min === undefined ? 'lower' : 'none';
}

export function contradiction(
  { choice_scores }: Pick<Rubric, 'choice_scores'>,
  pass: readonly string[],
  better: Better,
): { passes: string; fails: string } | null {
  if (better === 'none') return null;
  const sign = better === 'higher' ? 1 : -1;
  const ranked = [...choice_scores].sort(([, a], [, b]) => sign * (a - b));
  const worst = ranked.find(([label]) => pass.includes(label));
  const best = ranked.findLast(([label]) => !pass.includes(label));
  if (worst === undefined || best === undefined) return null;
  return sign * (best[1] - worst[1]) > 0 ? { passes: worst[0], fails: best[0] } : null;
}

/**
 * If a truncated answer fails, the reason says that it was truncated, because the missing part
 * might have passed.
 */
export function withCut(score: Score): Score {
  if (score.status !== 'fail') return score;
  const cut = 'the answer was cut off at its token limit';
  return { ...score, reason: score.reason === null ? cut : `${score.reason}; ${cut}` };
}

/** Swaps the sides of a comparison's score: head's win becomes base's loss. */
export function seenFromHead(score: Score): Score {
  if (score.status !== 'pass' && score.status !== 'fail') return score;
  const value = typeof score.value === 'number' ? 1 - score.value : score.value;
  if (value === 0.5) return score;
  const reason = score.reason === null ? null : `seen from head: ${score.reason}`;
  return { ...score, status: value === 1 ? 'pass' : 'fail', value, reason };
}

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
