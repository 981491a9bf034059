/** A linear program of maximal affinity. Whole bounds have whole vertices. */
export interface AssignmentProgram {
  /** References with equal scores share a row. */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  /** Per attribute, the least and the most references. */
  columns: { least: number; most: number }[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/** `counts`: per row and attribute, the references assigned, unchecked and unrounded. */
export type AssignmentAnswer =
  { status: 'solved'; counts: number[][] } | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;
