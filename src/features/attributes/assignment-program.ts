import { meanOrNull, sum } from '../../kernel/statistics/sums.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { AssignmentProgram } from '../../types/solver.ts';

/** Ratings from 1 to 5. Null if not rated. */
type Affinities = readonly (number | null)[];

interface Prior<Column> {
  column: Column;
  mean: number | null;
  /** The attribute's mean rating divided by the sum of all means. */
  prior: number;
}

export function priorsOf<Column>(
  columns: readonly Column[],
  affinitiesOf: (column: Column) => number[],
): Prior<Column>[] {
  const means = columns.map((column) => ({ column, mean: meanOrNull(affinitiesOf(column)) }));
  const total = sum(means.map(({ mean }) => mean ?? 0));
  const even = 1 / columns.length;
  return means.map((own) => ({ ...own, prior: total === 0 ? even : (own.mean ?? 0) / total }));
}

const TINY = 1e-12;

/**
 * Lowers priors to `cap` and distributes the excess in proportion. `cap` times the number of priors
 * must be at least 1.
 */
export function capPriors(priors: readonly number[], cap: number): number[] {
  let current = [...priors];
  while (current.some((prior) => prior > cap + TINY)) {
    const full = current.map((prior) => prior >= cap - TINY);
    const rest = current.reduce(
      (sum, prior, index) => (full[index] === true ? sum : sum + prior),
      0,
    );
    const fixed = full.filter(Boolean).length;
    const left = 1 - cap * fixed;
    const even = left / (current.length - fixed);
    current = current.map((prior, index) =>
      full[index] === true ? cap : rest > TINY ? (prior * left) / rest : even,
    );
  }
  return current;
}

type Bounds = AssignmentProgram['columns'][number];

/**
 * QualEval's bounds for the number of references with an attribute: kNp(1 − ε) to kNp(1 + ε), for k
 * attributes per reference, N references and prior p.
 */
export function bandOf(
  prior: number,
  references: number,
  each: number,
  slack: number,
): { low: number; high: number } {
  const wanted = each * references * prior;
  return { low: wanted * (1 - slack), high: wanted * (1 + slack) };
}

export const FLOAT_NOISE = 1e-9;

/**
 * The bounds rounded outwards: ⌊kNp(1 − ε)⌋ to min(N, ⌈kNp(1 + ε)⌉), with p at most 1/k. A solution
 * always exists.
 */
export function outwardBounds(
  priors: readonly number[],
  references: number,
  each: number,
  slack: number,
): Bounds[] {
  const within = (count: number) => Math.min(references, Math.max(0, count));
  return capPriors(priors, 1 / each).map((prior) => {
    const { low, high } = bandOf(prior, references, each, slack);
    return {
      least: within(Math.floor(low + FLOAT_NOISE)),
      most: within(Math.ceil(high - FLOAT_NOISE)),
    };
  });
}

/** The bounds rounded inwards: ⌈kNp(1 − ε)⌉ to min(N, ⌊kNp(1 + ε)⌋). Null if no solution exists. */
function inwardBounds(
  priors: readonly number[],
  references: number,
  each: number,
  slack: number,
): Bounds[] | null {
  const bounds = priors.map((prior) => {
    const { low, high } = bandOf(prior, references, each, slack);
    return {
      least: Math.max(0, Math.ceil(low - FLOAT_NOISE)),
      most: Math.min(references, Math.floor(high + FLOAT_NOISE)),
    };
  });
  const places = each * references;
  const fits =
    bounds.every(({ least, most }) => least <= most) &&
    sum(bounds.map(({ least }) => least)) <= places &&
    places <= sum(bounds.map(({ most }) => most));
  return fits ? bounds : null;
}

export function attributeBounds(
  priors: readonly number[],
  references: number,
  each: number,
  slack: number,
): Bounds[] {
  return (
    inwardBounds(priors, references, each, slack) ?? outwardBounds(priors, references, each, slack)
  );
}

export interface RatedReference {
  id: string;
  affinities: Affinities;
}

/** References with equal ratings share a row of the linear program. */
interface RowClass {
  scores: number[];
  members: string[];
}

const UNSCORED = 0;

export function rowClasses(
  references: readonly RatedReference[],
  hash: (text: string) => string,
): RowClass[] {
  const classes = new Map<string, { scores: number[]; members: { id: string; place: string }[] }>();
  for (const { id, affinities } of references) {
    const scores = affinities.map((affinity) => affinity ?? UNSCORED);
    const key = scores.join();
    const found = classes.get(key) ?? { scores, members: [] };
    classes.set(key, found);
    found.members.push({ id, place: hash(id) });
  }
  return [...classes.entries()]
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([, { scores, members }]) => ({
      scores,
      members: members
        .sort((a, b) => byCodeUnits(a.place, b.place) || byCodeUnits(a.id, b.id))
        .map(({ id }) => id),
    }));
}

export function programOf(
  classes: readonly RowClass[],
  columns: Bounds[],
  perReference: number,
): AssignmentProgram {
  return {
    rows: classes.map(({ scores, members }) => ({ members: members.length, scores })),
    perReference,
    columns,
  };
}

const TOLERANCE = 1e-6;

export function wholeCounts(
  counts: readonly (readonly number[])[],
  program: AssignmentProgram,
): { counts: number[][] } | { reason: string } {
  const { rows, perReference, columns } = program;
  const whole = counts.map((row) => row.map((value) => Math.round(value) + 0));
  const isShaped =
    counts.length === rows.length && counts.every((row) => row.length === columns.length);
  const isWhole = counts.flat().every((value) => Math.abs(Math.round(value) - value) <= TOLERANCE);
  if (!isShaped || !isWhole) return { reason: 'gave counts that are not integers' };
  const fits = rows.every(({ members }, i) => {
    const row = whole[i] ?? [];
    return (
      row.every((value) => value >= 0 && value <= members) && sum(row) === perReference * members
    );
  });
  if (!fits) return { reason: 'gave references too many or too few attributes' };
  const within = columns.every(({ least, most }, column) => {
    const total = columnSum(whole, column);
    return total >= least && total <= most;
  });
  return within ? { counts: whole } : { reason: 'left the bounds' };
}

export function columnSum(counts: readonly (readonly number[])[], column: number): number {
  return sum(counts.flatMap((row) => row.slice(column, column + 1)));
}

/** No reference gets the same attribute twice. */
export function dealOut({ members, counts }: SolvedClass): Map<string, number[]> {
  const dealt = new Map(members.map((id): [string, number[]] => [id, []]));
  let next = 0;
  counts.forEach((count, column) => {
    for (let place = 0; place < count; place++) {
      const id = members[next % members.length];
      if (id !== undefined) dealt.get(id)?.push(column);
      next++;
    }
  });
  return dealt;
}

export interface SolvedClass extends RowClass {
  counts: readonly number[];
}

export function objective(solved: readonly SolvedClass[]): number {
  return sum(
    solved.map(({ scores, counts }) =>
      sum(scores.map((score, column) => score * (counts[column] ?? 0))),
    ),
  );
}
