// A solver may run forever, so it runs in a thread that can be terminated.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type highsLoader from 'highs';
import { errorMessage } from '../../errors.ts';
import { isMap } from '../../types/plain.ts';
import type { AssignmentAnswer, AssignmentProgram, Solve } from '../../types/solver.ts';
import { serveThread, startThread } from '../thread.ts';

export async function solveWithHighs(
  program: AssignmentProgram,
  seconds: number,
): Promise<AssignmentAnswer> {
  const { default: loadHighs } = (await import(/* webpackIgnore: true */ whereHighsIs())) as {
    default: typeof highsLoader;
  };
  const highs = await loadHighs();
  const { rows, perReference, columns: bounds } = program;
  const columns = bounds.length;
  const cells = rows.length * columns;
  const places = rows.map(({ members }) => perReference * members);
  const model = highs.createModel({
    numCols: cells,
    numRows: rows.length + columns,
    sense: highs.constants.objectiveSense.maximize,
    colCost: Float64Array.from(rows.flatMap(({ scores }) => scores)),
    colLower: new Float64Array(cells),
    colUpper: Float64Array.from(rows.flatMap(({ members }) => bounds.map(() => members))),
    rowLower: Float64Array.from([...places, ...bounds.map(({ least }) => least)]),
    rowUpper: Float64Array.from([...places, ...bounds.map(({ most }) => most)]),
    matrix: {
      format: 'csc',
      numCols: cells,
      numRows: rows.length + columns,
      ...incidence(rows.length, columns),
    },
  });
  try {
    model.options.set({ output_flag: false, time_limit: seconds, random_seed: 0 });
    model.run();
    const status = model.getModelStatus();
    if (status !== highs.constants.modelStatus.optimal)
      return { status: 'failed', reason: `HiGHS ended with status ${status}` };
    const values = model.getSolution().colValue;
    return {
      status: 'solved',
      counts: rows.map((_, row) => Array.from(values.slice(row * columns, (row + 1) * columns))),
    };
  } finally {
    model.dispose();
  }
}

function incidence(rows: number, columns: number) {
  const cells = rows * columns;
  const starts = Int32Array.from({ length: cells + 1 }, (_, cell) => 2 * cell);
  const indices = new Int32Array(2 * cells);
  for (let cell = 0; cell < cells; cell++) {
    indices[2 * cell] = Math.floor(cell / columns);
    indices[2 * cell + 1] = rows + (cell % columns);
  }
  return { starts, indices, values: new Float64Array(2 * cells).fill(1) };
}

const BUNDLED = ['highs.mjs', '../cli/highs.mjs'];

/** Bundlers break the highs package, so scripts/place-highs.ts copies its file. */
function whereHighsIs(): string {
  const bundled = BUNDLED.map((path) => new URL(path, import.meta.url)).find((url) =>
    existsSync(fileURLToPath(url)),
  );
  return bundled?.href ?? 'highs';
}

export interface SimplexModel {
  optimize: string;
  opType: 'max' | 'min';
  constraints: Record<string, { min?: number; max?: number; equal?: number }>;
  variables: Record<string, Record<string, number>>;
}

/**
 * Declares no integer variables, because the optimum is integral anyway and branching would take
 * minutes.
 */
export function simplexModel({ rows, perReference, columns }: AssignmentProgram): SimplexModel {
  const constraints: SimplexModel['constraints'] = {};
  const variables: SimplexModel['variables'] = {};
  columns.forEach(({ least, most }, column) => {
    constraints[`column${column}`] = { min: least, max: most };
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

interface SolverOptions {
  /** Time limits in milliseconds: for the thread's start, and for each solver. */
  start: number;
  simplex: number;
  highs: number;
  modelOf(program: AssignmentProgram): SimplexModel;
}

type SolverJob = { program: AssignmentProgram } & (
  { solver: 'javascript-lp-solver'; model: SimplexModel } | { solver: 'highs'; seconds: number }
);

const SOLVER_ROLE = 'evaldiff-solver';

const MEMORY_MB = 1024;

/** On these linear programs, javascript-lp-solver finishes within a second or never. */
export function createSolver({
  start = 30_000,
  simplex = 10_000,
  highs = 120_000,
  modelOf = simplexModel,
}: Partial<SolverOptions> = {}): Solve {
  return async (program, solver) => {
    const limit = solver === 'highs' ? highs : simplex;
    const job: SolverJob =
      solver === 'highs'
        ? { solver, program, seconds: limit / 1000 }
        : { solver, program, model: modelOf(program) };
    const worker = startThread(import.meta.url, SOLVER_ROLE, { maxOldGenerationSizeMb: MEMORY_MB });
    try {
      await messageFrom(worker, start, `did not start within ${start / 1000} s`);
      worker.postMessage(job);
      const late = `did not finish within ${limit / 1000} s and was stopped`;
      return (await messageFrom(worker, limit, late)) as AssignmentAnswer;
    } catch (error) {
      return { status: 'failed', reason: errorMessage(error).split('\n', 1)[0] ?? '' };
    } finally {
      await worker.terminate();
    }
  };
}

async function messageFrom(worker: Worker, ms: number, late: string): Promise<unknown> {
  const heard = new AbortController();
  const { signal } = heard;
  const fail = (reason: string) => () => Promise.reject(new Error(reason));
  try {
    const [message] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(fail('ended without an answer')),
      setTimeout(ms, null, { signal }).then(fail(late)),
    ])) as unknown[];
    return message;
  } finally {
    heard.abort();
  }
}

async function solveWithSimplex(
  program: AssignmentProgram,
  model: SimplexModel,
): Promise<AssignmentAnswer> {
  const { default: solver } = await import('javascript-lp-solver');
  const solution: unknown = solver.Solve(model);
  if (!isMap(solution) || solution['feasible'] !== true)
    return { status: 'failed', reason: 'found no solution' };
  return { status: 'solved', counts: simplexCounts(solution, program) };
}

await serveThread(SOLVER_ROLE, (port) =>
  // The listener keeps the thread alive. An early exit would count as a failure.
  port.on('message', async (job: SolverJob) => {
    const answer =
      job.solver === 'highs'
        ? await solveWithHighs(job.program, job.seconds)
        : await solveWithSimplex(job.program, job.model);
    port.postMessage(answer);
  }),
);
