import { InternalError } from '../../errors.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { AssignmentProgram, Solve, Solver } from '../../types/solver.ts';
import {
  FLOAT_NOISE,
  attributeBounds,
  dealOut,
  objective,
  programOf,
  rowClasses,
  bandOf,
  columnSum,
  type RatedReference,
  type SolvedClass,
  wholeCounts,
} from './assignment-program.ts';
import { PER_REFERENCE } from './text.ts';

/** In suites up to this size, javascript-lp-solver is tried before HiGHS. */
const SIMPLEX_REFERENCES = 250;

export interface AssignTools {
  solve: Solve;
  hash(text: string): string;
}

interface AssignOptions {
  /** ε in the QualEval paper, from 0 to 1. */
  slack: number;
  each?: number;
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
  options: AssignOptions,
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
  const size = [rated.length, each, options.slack] as const;
  const priors = sorted.map(({ prior }) => prior);
  const classes = rowClasses(rated, tools.hash);
  const program = programOf(classes, attributeBounds(priors, ...size), each);
  const { counts, left } = await solveProgram(program, rated.length, tools.solve);
  if (counts === null) return { status: 'failed', reason: left.join('; ') };
  const outside = sorted.filter(({ prior }, column) => {
    const { low, high } = bandOf(prior, ...size);
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
