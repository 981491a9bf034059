/**
 * A linear program that assigns references to attributes. With integer bounds, its optimum is
 * integral.
 */
export interface AssignmentProgram {
  /** References with equal scores share a row. */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  columns: { least: number; most: number }[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/** `counts`: references per row and attribute, unchecked and not rounded. */
export type AssignmentAnswer =
  { status: 'solved'; counts: number[][] } | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;
