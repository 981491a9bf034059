/**
 * A linear program that assigns references (tests) to attributes. If all bounds are integers, so is
 * its optimum.
 */
export interface AssignmentProgram {
  /** References with equal scores share a row. */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  columns: { least: number; most: number }[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/** `counts`: how many references of each row get each attribute, unchecked and not rounded. */
export type AssignmentAnswer =
  { status: 'solved'; counts: number[][] } | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;
