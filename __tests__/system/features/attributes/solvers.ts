import { createHash } from 'node:crypto';
import simplex from 'javascript-lp-solver';
import {
  simplexCounts,
  simplexModel,
  solveWithHighs,
} from '../../../../src/edges/solver/thread.ts';
import type { Solve } from '../../../../src/types/solver.ts';

/** Runs both real solvers on the main thread, for programs that finish quickly. */
export const solveHere: Solve = async (program, solver) => {
  if (solver === 'highs') return await solveWithHighs(program, 60);
  const solution = simplex.Solve(simplexModel(program));
  return {
    status: 'solved',
    counts: simplexCounts(solution as unknown as Record<string, unknown>, program),
  };
};

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
