/**
 * Which references get which attributes, as a linear program: most affinity in all, `perReference`
 * attributes for each reference, from `lower` to `upper` references for each attribute. Whole
 * bounds make its vertices whole.
 */
export interface AssignmentProgram {
  /**
   * References with equal scores are one row: how many they are, and their affinity with each
   * attribute.
   */
  rows: { members: number; scores: number[] }[];
  perReference: number;
  lower: number[];
  upper: number[];
}

export type Solver = 'javascript-lp-solver' | 'highs';

/**
 * `counts`: how many of each row's references get each attribute, as the solver gives it; to be
 * checked, then rounded.
 */
export type AssignmentAnswer =
  { status: 'solved'; counts: number[][] } | { status: 'failed'; reason: string };

export type Solve = (program: AssignmentProgram, solver: Solver) => Promise<AssignmentAnswer>;
