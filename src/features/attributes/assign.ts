import { InternalError } from '../../errors.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { AssignmentProgram, Solve, Solver } from '../../types/solver.ts';
import {
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

/** javascript-lp-solver runs first up to this size, HiGHS above it. */
const SIMPLEX_REFERENCES = 250;

const MAX_BATCH_SIZE = 10_000;

const FLOAT_NOISE = 1e-9;

export interface AssignTools {
  solve: Solve;
  hash(text: string): string;
}

interface AssignOptions {
  /** ε of the paper, 0–1. */
  slack: number;
  /** Attributes per reference. With fewer attributes, every reference gets all of them. */
  each?: number;
  batch?: number;
}

export type Assignment =
  | {
      status: 'assigned';
      attributes: ReadonlyMap<string, readonly string[]>;
      objective: number;
      batches: number;
      /** Attributes outside the paper's band in some batch, because no integers fit it. */
      outsideBand: number;
      /** Why the other solver was used. */
      left: string[];
    }
  | { status: 'failed'; reason: string };

export interface AttributeColumn {
  id: string;
  prior: number;
}

/** QualEval's assignment. Does not depend on the order of references and attributes. */
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
  const attributes = new Map<string, readonly string[]>();
  const total = { objective: 0, outside: new Set<string>(), left: [] as string[] };
  const batches = batchesOf(rated, options.batch ?? MAX_BATCH_SIZE, tools.hash);
  for (const batch of batches) {
    const size = [batch.length, each, options.slack] as const;
    const bounds = attributeBounds(
      sorted.map(({ prior }) => prior),
      ...size,
    );
    const classes = rowClasses(batch, tools.hash);
    const program = programOf(classes, bounds, each);
    const { counts, left } = await solveProgram(program, batch.length, tools.solve);
    total.left.push(...left);
    if (counts === null) return { status: 'failed', reason: left.join('; ') };
    sorted.forEach(({ id, prior }, column) => {
      const { low, high } = bandOf(prior, ...size);
      const given = columnSum(counts, column);
      if (given < low - FLOAT_NOISE || given > high + FLOAT_NOISE) total.outside.add(id);
    });
    const solved = classes.map((own, row) => ({ ...own, counts: counts[row] ?? [] }));
    total.objective += objective(solved);
    for (const [id, places] of dealAll(solved, each))
      attributes.set(
        id,
        places.flatMap((place) => sorted[place]?.id ?? []),
      );
  }
  return {
    status: 'assigned',
    attributes,
    objective: total.objective,
    batches: batches.length,
    outsideBand: total.outside.size,
    left: total.left,
  };
}

function batchesOf(
  references: readonly RatedReference[],
  most: number,
  hash: (text: string) => string,
): RatedReference[][] {
  const count = Math.ceil(references.length / most);
  if (count <= 1) return references.length === 0 ? [] : [[...references]];
  const mixed = references
    .map((reference) => ({ reference, place: hash(reference.id) }))
    .sort((a, b) => byCodeUnits(a.place, b.place));
  return Array.from({ length: count }, (_, batch) =>
    mixed
      .slice(
        Math.floor((batch * mixed.length) / count),
        Math.floor(((batch + 1) * mixed.length) / count),
      )
      .map(({ reference }) => reference),
  );
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
    throw new InternalError('a reference was dealt the wrong number of attributes');
  return all;
}
