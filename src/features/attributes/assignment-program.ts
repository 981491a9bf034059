import { InternalError } from '../../errors.ts';
import { meanOrNull, sum } from '../../kernel/statistics/sums.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { AssignmentProgram, Solve, Solver } from '../../types/solver.ts';
import { PER_REFERENCE } from './text.ts';

/** `prior`: the attribute's mean rating divided by the sum of all means. */
export function priorsOf<Column>(
  columns: readonly Column[],
  affinitiesOf: (column: Column) => number[],
) {
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

interface AssignmentSize {
  references: number;
  /** Attributes per reference. */
  each: number;
  /** ε in the QualEval paper, from 0 to 1. */
  slack: number;
}

/**
 * QualEval's bounds for the number of references with an attribute: kNp(1 − ε) to kNp(1 + ε), for k
 * attributes per reference, N references and prior p.
 */
function bandOf(prior: number, { references, each, slack }: AssignmentSize) {
  const wanted = each * references * prior;
  return { low: wanted * (1 - slack), high: wanted * (1 + slack) };
}

const FLOAT_NOISE = 1e-9;

/**
 * The bounds rounded outwards: ⌊kNp(1 − ε)⌋ to min(N, ⌈kNp(1 + ε)⌉), with p at most 1/k. A solution
 * always exists.
 */
export function outwardBounds(priors: readonly number[], size: AssignmentSize): Bounds[] {
  const within = (count: number) => Math.min(size.references, Math.max(0, count));
  return capPriors(priors, 1 / size.each).map((prior) => {
    const { low, high } = bandOf(prior, size);
    return {
      least: within(Math.floor(low + FLOAT_NOISE)),
      most: within(Math.ceil(high - FLOAT_NOISE)),
    };
  });
}

/** The bounds rounded inwards: ⌈kNp(1 − ε)⌉ to min(N, ⌊kNp(1 + ε)⌋). Null if no solution exists. */
function inwardBounds(priors: readonly number[], size: AssignmentSize): Bounds[] | null {
  const bounds = priors.map((prior) => {
    const { low, high } = bandOf(prior, size);
    return {
      least: Math.max(0, Math.ceil(low - FLOAT_NOISE)),
      most: Math.min(size.references, Math.floor(high + FLOAT_NOISE)),
    };
  });
  const places = size.each * size.references;
  const fits =
    bounds.every(({ least, most }) => least <= most) &&
    sum(bounds.map(({ least }) => least)) <= places &&
    places <= sum(bounds.map(({ most }) => most));
  return fits ? bounds : null;
}

export function attributeBounds(priors: readonly number[], size: AssignmentSize): Bounds[] {
  return inwardBounds(priors, size) ?? outwardBounds(priors, size);
}

export interface RatedReference {
  id: string;
  /** Ratings from 1 to 5. Null if not rated. */
  affinities: readonly (number | null)[];
}

/** References with equal ratings share a row of the linear program. */
interface RowClass {
  scores: number[];
  members: string[];
}

const UNSCORED = 0;

function rowClasses(
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

function columnSum(counts: readonly (readonly number[])[], column: number): number {
  return sum(counts.flatMap((row) => row.slice(column, column + 1)));
}

/** No reference gets the same attribute twice. */
function dealOut({ members, counts }: SolvedClass): Map<string, number[]> {
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

interface SolvedClass extends RowClass {
  counts: readonly number[];
}

function objective(solved: readonly SolvedClass[]): number {
  return sum(
    solved.map(({ scores, counts }) =>
      sum(scores.map((score, column) => score * (counts[column] ?? 0))),
    ),
  );
}

/** In suites up to this size, javascript-lp-solver is tried before HiGHS. */
const SIMPLEX_REFERENCES = 250;

export interface AssignTools {
  solve: Solve;
  hash(text: string): string;
}

export type Assignment =
  | {
      status: 'assigned';
      attributes: ReadonlyMap<string, readonly string[]>;
      objective: number;
      /** How many attributes got more or fewer references than QualEval allows. */
      outsideBand: number;
      left: string[];
    }
  | { status: 'failed'; reason: string };

export interface AttributeColumn {
  id: string;
  prior: number;
}

/** Assigns attributes to references as QualEval does. The order of the input does not matter. */
export async function assign(
  references: readonly RatedReference[],
  columns: readonly AttributeColumn[],
  options: Pick<AssignmentSize, 'slack'> & Partial<AssignmentSize>,
  tools: AssignTools,
): Promise<Assignment> {
  const order = columns
    .map((column, place) => ({ column, place }))
    .sort((a, b) => byCodeUnits(a.column.id, b.column.id));
  const sorted = order.map(({ column }) => column);
  const rated = references.map(({ id, affinities }) => ({
    id,
    affinities: order.map(({ place }) => affinities[place] ?? null),
  }));
  const each = Math.min(options.each ?? PER_REFERENCE, columns.length);
  const size = { references: rated.length, each, slack: options.slack };
  const priors = sorted.map(({ prior }) => prior);
  const classes = rowClasses(rated, tools.hash);
  const program: AssignmentProgram = {
    rows: classes.map(({ scores, members }) => ({ members: members.length, scores })),
    perReference: each,
    columns: attributeBounds(priors, size),
  };
  const { counts, left } = await solveProgram(program, rated.length, tools.solve);
  if (counts === null) return { status: 'failed', reason: left.join('; ') };
  const outside = sorted.filter(({ prior }, column) => {
    const { low, high } = bandOf(prior, size);
    const given = columnSum(counts, column);
    return given < low - FLOAT_NOISE || given > high + FLOAT_NOISE;
  });
  const solved = classes.map((own, row) => ({ ...own, counts: counts[row] ?? [] }));
  const dealt = dealAll(solved, each).map(([id, places]): [string, string[]] => [
    id,
    places.flatMap((place) => sorted[place]?.id ?? []),
  ]);
  return {
    status: 'assigned',
    attributes: new Map(dealt),
    objective: objective(solved),
    outsideBand: outside.length,
    left,
  };
}

async function solveProgram(
  program: AssignmentProgram,
  references: number,
  solve: Solve,
): Promise<{ counts: number[][] | null; left: string[] }> {
  const order: Solver[] =
    references <= SIMPLEX_REFERENCES
      ? ['javascript-lp-solver', 'highs']
      : ['highs', 'javascript-lp-solver'];
  const left: string[] = [];
  for (const solver of order) {
    const answer = await solve(program, solver);
    const checked = answer.status === 'failed' ? answer : wholeCounts(answer.counts, program);
    if ('counts' in checked) return { counts: checked.counts, left };
    left.push(`${solver} ${checked.reason}`);
  }
  return { counts: null, left };
}

function dealAll(solved: readonly SolvedClass[], each: number): [string, number[]][] {
  const all = solved.flatMap((own) => [...dealOut(own)]);
  if (all.some(([, columns]) => new Set(columns).size !== each))
    throw new InternalError('a reference got the wrong number of attributes');
  return all;
}
