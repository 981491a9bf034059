import type { AssignmentProgram, Solve } from '../../types/solver.ts';
import { simplexModel, solveInThread, type Timeouts, type SimplexModel } from './thread.ts';

interface SolverOptions {
  /** Time limits in milliseconds: for the thread's start, and for each solver. */
  start: number;
  simplex: number;
  highs: number;
  modelOf(program: AssignmentProgram): SimplexModel;
}

/** On these linear programs, javascript-lp-solver finishes within a second or never. */
const DEFAULT_SOLVER: SolverOptions = {
  start: 30_000,
  simplex: 10_000,
  highs: 120_000,
  modelOf: simplexModel,
};

export function createSolver(options: Partial<SolverOptions> = {}): Solve {
  const { start, simplex, highs, modelOf } = { ...DEFAULT_SOLVER, ...options };
  return (program, solver) => {
    const patience: Timeouts = { start, solve: solver === 'highs' ? highs : simplex };
    return solveInThread(
      solver === 'highs' ? { solver, program } : { solver, program, model: modelOf(program) },
      patience,
    );
  };
}
