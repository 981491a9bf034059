import type { AssignmentProgram } from '../types.ts';

/** A model as javascript-lp-solver reads it. */
export interface SimplexModel {
  optimize: string;
  opType: 'max' | 'min';
  constraints: Record<string, { min?: number; max?: number; equal?: number }>;
  variables: Record<string, Record<string, number>>;
}

/**
 * The program without whole-number variables: its vertices are whole by themselves, and branching
 * costs minutes.
 */
export function simplexModel({
  rows,
  perReference,
  lower,
  upper,
}: AssignmentProgram): SimplexModel {
  const constraints: SimplexModel['constraints'] = {};
  const variables: SimplexModel['variables'] = {};
  upper.forEach((max, column) => {
    constraints[`column${column}`] = { min: lower[column] ?? 0, max };
  });
  rows.forEach(({ members, scores }, row) => {
    constraints[`row${row}`] = { equal: perReference * members };
    scores.forEach((score, column) => {
      const name = variable(row, column);
      constraints[`most ${name}`] = { max: members };
      variables[name] = {
        affinity: score,
        [`row${row}`]: 1,
        [`column${column}`]: 1,
        [`most ${name}`]: 1,
      };
    });
  });
  return { optimize: 'affinity', opType: 'max', constraints, variables };
}

/** The values of a solution, row by row. The solver leaves out variables that are 0. */
export function simplexCounts(
  values: Readonly<Record<string, unknown>>,
  { rows }: AssignmentProgram,
): number[][] {
  return rows.map(({ scores }, row) =>
    scores.map((_, column) => {
      const value = values[variable(row, column)];
      return typeof value === 'number' ? value : 0;
    }),
  );
}

function variable(row: number, column: number): string {
  return `${row}/${column}`;
}
