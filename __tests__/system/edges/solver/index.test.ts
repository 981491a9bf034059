import { readFileSync } from 'node:fs';
import { createSolver, type SimplexModel } from '../../../../src/edges/solver/thread.ts';
import { assign, wholeCounts } from '../../../../src/features/attributes/assignment-program.ts';
import type { AssignmentProgram } from '../../../../src/types/solver.ts';
import { LP_INSTANCES, type LpInstance } from '../../../unit/features/attributes/lp-instances.ts';
import { sha256, solveHere } from '../../features/attributes/solvers.ts';

/** A cutting-plane form of an assignment on which javascript-lp-solver cycles. */
const endless = JSON.parse(
  readFileSync(
    new URL('../../../../fixtures/qualeval/endless-simplex.json', import.meta.url),
    'utf8',
  ),
) as SimplexModel;

const programOf = ({ scores, lower, upper }: LpInstance): AssignmentProgram => ({
  rows: scores.map((row) => ({ members: 1, scores: row })),
  perReference: 2,
  columns: lower.map((least, column) => ({ least, most: upper[column]! })),
});
/** The smallest and the largest are solved in threads, as all are in the product. */
const inThread = [LP_INSTANCES[0], LP_INSTANCES.at(-1)];
const threads = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

describe.each(['javascript-lp-solver', 'highs'] as const)('%s', (solver) => {
  test.each(LP_INSTANCES.map((instance) => [instance.name, instance] as const))(
    'finds the known optimum of %s, with exactly two attributes per reference',
    async (_, instance) => {
      const program = programOf(instance);
      const solve = inThread.includes(instance) ? createSolver() : solveHere;
      const answer = await solve(program, solver);
      const checked = answer.status === 'solved' ? wholeCounts(answer.counts, program) : answer;
      if (!('counts' in checked)) throw new Error(checked.reason);
      const rows = checked.counts;
      expect(rows.map((row) => row.filter((count) => count === 1).length)).toEqual(
        instance.scores.map(() => 2),
      );
      expect(rows.flat().every((count) => count === 0 || count === 1)).toBe(true);
      expect(
        rows.reduce(
          (sum, row, i) =>
            sum + row.reduce((own, count, j) => own + count * instance.scores[i]![j]!, 0),
          0,
        ),
      ).toBe(instance.objective);
    },
  );

  test('reports a linear program without a solution', async () => {
    const answer = await createSolver()(
      {
        rows: [{ members: 1, scores: [1, 2] }],
        perReference: 2,
        columns: [
          { least: 2, most: 2 },
          { least: 0, most: 2 },
        ],
      },
      solver,
    );
    expect(answer.status).toBe('failed');
  });
});

describe('a solver that does not end', () => {
  const references = Array.from({ length: 12 }, (_, i) => ({
    id: `r${i}`,
    affinities: [1 + (i % 5), 3, 5 - (i % 4)],
  }));
  const columns = ['a', 'b', 'c'].map((id) => ({ id, prior: 1 / 3 }));

  test('is stopped, and HiGHS solves the linear program instead', async () => {
    const before = threads();
    const solve = createSolver({ simplex: 500, modelOf: () => endless });
    const assignment = await assign(references, columns, { slack: 0.1 }, { solve, hash: sha256 });
    expect(assignment).toMatchObject({
      status: 'assigned',
      left: ['javascript-lp-solver did not finish within 0.5 s and was stopped'],
    });
    expect(
      assignment.status === 'assigned'
        ? [...assignment.attributes.values()].map((ids) => ids.length)
        : [],
    ).toEqual(references.map(() => 2));
    expect(threads()).toBe(before);
  });

  test('leaves the attributes unassigned if HiGHS also runs out of time', async () => {
    const assignment = await assign(
      references,
      columns,
      { slack: 0.1 },
      { solve: createSolver({ start: 1 }), hash: sha256 },
    );
    expect(assignment).toEqual({
      status: 'failed',
      reason:
        'javascript-lp-solver did not start within 0.001 s; highs did not start within 0.001 s',
    });
  });
});

test('a linear program that the solver cannot read returns a failed result and does not throw', async () => {
  const answer = await createSolver({ modelOf: () => null as unknown as SimplexModel })(
    { rows: [], perReference: 2, columns: [] },
    'javascript-lp-solver',
  );
  expect(answer).toMatchObject({ status: 'failed' });
});
