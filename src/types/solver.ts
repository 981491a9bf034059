/**
 * Assigns attributes to references by a linear program: maximal affinity, `perReference` attributes
 * per reference, `lower` to `upper` references per attribute. Whole bounds have whole vertices.
 */
export interface AssignmentProgram {
  /**
   * References with equal scores share a row: their number, and their affinity with each attribute.
   */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  lower: number[];
  upper: number[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/** `counts`: per row and attribute, the references assigned, unchecked and unrounded. */
export type AssignmentAnswer =
  { status: 'solved'; counts: number[][] } | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;
