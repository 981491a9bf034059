import type { Better, Metric, Rubric } from '../types/metric.ts';

/** What the file says about a metric's values. */
type Stated = Pick<Metric, 'threshold' | 'better' | 'min' | 'max' | 'pass'>;

/** Inclusive; one of them at least is there. */
export interface Bounds {
  min?: number;
  max?: number;
}

/**
 * The bounds within which the metric's number passes; null: the file sets none. A threshold is the
 * lower one, unless less is better.
 */
export function boundsOf({ threshold, min, max }: Stated, better: Better): Bounds | null {
  if (threshold !== null) return better === 'lower' ? { max: threshold } : { min: threshold };
  if (min === undefined && max === undefined) return null;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

type Words = Pick<Rubric, 'choice_scores' | 'better' | 'pass'>;

/**
 * The rubric's labels that pass: those named, else those of the best score where a direction says
 * which that is; null: nothing says what passes.
 */
export function passingLabels(
  rubric: Words,
  { pass, better }: Partial<Stated> = {},
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

/** Whether anything says which of the metric's values pass; without it the metric cannot gate. */
export function saysWhatPasses(metric: Metric, rubric: Words | undefined): boolean {
  if (metric.source.kind !== 'rubric' || rubric === undefined) return true;
  return boundsOf(metric, 'none') !== null || passingLabels(rubric, metric) !== null;
}

/**
 * Which way the metric's values should move: as the file says, as the built-in metric or the rubric
 * says, else as what passes says.
 */
export function directionOf(
  metric: Stated & Pick<Metric, 'source'>,
  known: { definition?: { better: Better } | undefined; rubric?: Words | undefined },
): Better {
  const { source, better } = metric;
  if (better !== undefined) return better;
  if (source.kind === 'built-in') {
    const own = known.definition?.better ?? 'none';
    return source.with['negate'] === true ? OPPOSITE[own] : own;
  }
  const { rubric } = source.kind === 'rubric' ? known : { rubric: undefined };
  if (rubric?.better !== undefined) return rubric.better;
  return ofLabels(rubric, metric.pass ?? rubric?.pass) ?? ofBounds(metric);
}

const OPPOSITE: Readonly<Record<Better, Better>> = {
  higher: 'lower',
  lower: 'higher',
  none: 'none',
};

/** The direction in which all labels that pass lie; null: there is no such. */
function ofLabels(rubric: Words | undefined, pass: readonly string[] | undefined): Better | null {
  if (rubric === undefined || pass === undefined) return null;
  return (
    (['higher', 'lower'] as const).find((way) => contradiction(rubric, pass, way) === null) ?? null
  );
}

function ofBounds({ threshold, min, max }: Stated): Better {
  if (threshold !== null) return 'higher';
  if (min !== undefined && max === undefined) return 'higher';
  return max !== undefined && min === undefined ? 'lower' : 'none';
}

/**
 * A label that passes and one that does not although it is better in this direction; null: there
 * are no two such.
 */
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
