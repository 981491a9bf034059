import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type highsLoader from 'highs';
import type { AssignmentAnswer, AssignmentProgram } from '../types.ts';

/**
 * Solves the program with HiGHS, in matrix form: text would be read for longer than the program is
 * solved.
 */
export async function solveWithHighs(
  program: AssignmentProgram,
  seconds: number,
): Promise<AssignmentAnswer> {
  const { default: loadHighs } = (await import(/* webpackIgnore: true */ whereHighsIs())) as {
    default: typeof highsLoader;
  };
  const highs = await loadHighs();
  const { rows, perReference, lower, upper } = program;
  const [columns, cells] = [upper.length, rows.length * upper.length];
  const model = highs.createModel({
    numCols: cells,
    numRows: rows.length + columns,
    sense: highs.constants.objectiveSense.maximize,
    colCost: Float64Array.from(rows.flatMap(({ scores }) => scores)),
    colLower: new Float64Array(cells),
    colUpper: Float64Array.from(rows.flatMap(({ members }) => upper.map(() => members))),
    rowLower: Float64Array.from([...rows.map(({ members }) => perReference * members), ...lower]),
    rowUpper: Float64Array.from([...rows.map(({ members }) => perReference * members), ...upper]),
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
      return { status: 'failed', reason: `HiGHS ended with status ${String(status)}` };
    const values = model.getSolution().colValue;
    return {
      status: 'solved',
      counts: rows.map((_, row) => Array.from(values.slice(row * columns, (row + 1) * columns))),
    };
  } finally {
    model.dispose();
  }
}

/** Every count is in two sums: its row's, and its column's. */
function incidence(
  rows: number,
  columns: number,
): { starts: Int32Array; indices: Int32Array; values: Float64Array } {
  const cells = rows * columns;
  const starts = Int32Array.from({ length: cells + 1 }, (_, cell) => 2 * cell);
  const indices = new Int32Array(2 * cells);
  for (let cell = 0; cell < cells; cell++) {
    indices[2 * cell] = Math.floor(cell / columns);
    indices[2 * cell + 1] = rows + (cell % columns);
  }
  return { starts, indices, values: new Float64Array(2 * cells).fill(1) };
}

/**
 * Beside the bundle of the command line, whose folder may have been copied alone; the action's
 * bundle always lies next to that.
 */
const BUNDLED = ['highs.mjs', '../cli/highs.mjs'];

/**
 * Bundlers break the package, so it lies there as it is; scripts/place-highs.ts puts it there. In a
 * checkout it is a package like any other.
 */
function whereHighsIs(): string {
  const bundled = BUNDLED.map((path) => new URL(path, import.meta.url)).find((url) =>
    existsSync(fileURLToPath(url)),
  );
  return bundled?.href ?? 'highs';
}
