import { describe, expect, test } from '@jest/globals';
import {
  assign,
  type Assignment,
  type Column,
} from '../../../../src/features/attributes/assign.ts';
import {
  attributeBounds,
  priorsOf,
  type RatedReference,
  wholeCounts,
} from '../../../../src/features/attributes/assignment-program.ts';
import type { AssignmentProgram, Solve, Solver } from '../../../../src/types/solver.ts';
import fc, { draws } from '../../../fuzz.ts';
import { LP_INSTANCES } from '../../../unit/features/attributes/lp-instances.ts';
import { sha256, solveHere } from './solvers.ts';

type Assigned = Extract<Assignment, { status: 'assigned' }>;
const only =
  (solver: Solver): Solve =>
  (program, asked) =>
    asked === solver
      ? solveHere(program, asked)
      : Promise.resolve({ status: 'failed', reason: 'was not asked' });

async function assigned(
  references: readonly RatedReference[],
  columns: readonly Column[],
  solve: Solve = solveHere,
  slack = 0.1,
  batch?: number,
): Promise<Assigned> {
  const assignment = await assign(
    references,
    columns,
    { slack, ...(batch === undefined ? {} : { batch }) },
    { solve, hash: sha256 },
  );
  if (assignment.status === 'failed') throw new Error(assignment.reason);
  return assignment;
}

function columnsOf(references: readonly RatedReference[], count: number): Column[] {
  return priorsOf(
    references.map(({ affinities }) => affinities),
    count,
  ).map(({ prior }, column) => ({ id: `attribute-${column}`, prior }));
}

/** Suites of all sizes; few distinct scores make many equal rows, as in life. */
const suites = fc
  .tuple(
    fc.integer({ min: 1, max: 15 }),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 2, max: 5 }),
  )
  .chain(([attributes, references, top]) =>
    fc
      .array(
        fc.array(fc.option(fc.integer({ min: 1, max: top }), { nil: null, freq: 20 }), {
          minLength: attributes,
          maxLength: attributes,
        }),
        { minLength: references, maxLength: references },
      )
      .map((rows) => rows.map((affinities, index) => ({ id: `r${index}`, affinities }))),
  );
const skewed = (references: readonly RatedReference[]): Column[] =>
  references[0]!.affinities.map((_, column, all) => ({
    id: `a${column}`,
    prior: 2 ** -column / (2 - 2 ** (1 - all.length)),
  }));

describe('every assignment', () => {
  test('gives each reference two different attributes, each attribute as many as its bounds say, whatever the priors', async () => {
    await fc.assert(
      fc.asyncProperty(
        suites,
        fc.boolean(),
        fc.constantFrom(0, 0.1, 0.5),
        async (references, skew, slack) => {
          const columns = skew
            ? skewed(references)
            : columnsOf(references, references[0]!.affinities.length);
          const { attributes } = await assigned(
            references,
            columns,
            only('javascript-lp-solver'),
            slack,
          );
          const each = Math.min(2, columns.length);
          expect([...attributes.keys()].sort()).toEqual(references.map(({ id }) => id).sort());
          for (const ids of attributes.values()) expect(new Set(ids).size).toBe(each);
          const { lower, upper } = attributeBounds(
            columns.map(({ prior }) => prior),
            references.length,
            each,
            slack,
          );
          columns.forEach(({ id }, column) => {
            const given = [...attributes.values()].filter((ids) => ids.includes(id)).length;
            expect(given).toBeGreaterThanOrEqual(lower[column]!);
            expect(given).toBeLessThanOrEqual(upper[column]!);
          });
        },
      ),
      { numRuns: draws(60) },
    );
  }, 60_000);

  test('has the same objective from both solvers, and it is the sum of what was assigned', async () => {
    await fc.assert(
      fc.asyncProperty(suites, async (references) => {
        const columns = columnsOf(references, references[0]!.affinities.length);
        const [simplex, highs] = [
          await assigned(references, columns, only('javascript-lp-solver')),
          await assigned(references, columns, only('highs')),
        ];
        expect(simplex.objective).toBe(highs.objective);
        for (const { objective, attributes } of [simplex, highs]) {
          const sum = references.reduce(
            (total, { id, affinities }) =>
              total +
              attributes
                .get(id)!
                .reduce(
                  (own, attribute) =>
                    own + (affinities[columns.findIndex((column) => column.id === attribute)] ?? 0),
                  0,
                ),
            0,
          );
          expect(sum).toBe(objective);
        }
      }),
      { numRuns: draws(25) },
    );
  }, 120_000);

  test('is the same for every order of references and attributes, with either solver', async () => {
    await fc.assert(
      fc.asyncProperty(
        suites.chain((references) =>
          fc.tuple(
            fc.constant(references),
            fc.shuffledSubarray(references, { minLength: references.length }),
            fc.shuffledSubarray([...references[0]!.affinities.keys()], {
              minLength: references[0]!.affinities.length,
            }),
            fc.constantFrom<Solver>('javascript-lp-solver', 'highs'),
          ),
        ),
        async ([references, shuffled, order, solver]) => {
          const columns = columnsOf(references, references[0]!.affinities.length);
          const first = await assigned(references, columns, only(solver));
          const second = await assigned(
            shuffled.map(({ id, affinities }) => ({
              id,
              affinities: order.map((place) => affinities[place]!),
            })),
            order.map((place) => columns[place]!),
            only(solver),
          );
          expect(Object.fromEntries(second.attributes)).toEqual(
            Object.fromEntries(first.attributes),
          );
        },
      ),
      { numRuns: draws(25) },
    );
  }, 120_000);
});

describe('the choice of a solver', () => {
  const counted = (): { solve: Solve; asked: [Solver, number][] } => {
    const asked: [Solver, number][] = [];
    return {
      asked,
      solve: (program, solver) => {
        asked.push([solver, program.rows.reduce((sum, { members }) => sum + members, 0)]);
        return solveHere(program, solver);
      },
    };
  };
  const many = (count: number): RatedReference[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `r${index}`,
      affinities: [1 + (index % 5), 1 + (index % 3), 1 + (index % 4), 2],
    }));

  test('is javascript-lp-solver up to 250 references, HiGHS above', async () => {
    const { solve, asked } = counted();
    await assigned(many(250), columnsOf(many(250), 4), solve);
    await assigned(many(251), columnsOf(many(251), 4), solve);
    expect(asked).toEqual([
      ['javascript-lp-solver', 250],
      ['highs', 251],
    ]);
  });

  test('cuts what is too large into even batches by the hash of the ids, and says so', async () => {
    const { solve, asked } = counted();
    const { attributes, batches } = await assigned(
      many(301),
      columnsOf(many(301), 4),
      solve,
      0.1,
      100,
    );
    expect(asked.map(([, size]) => size)).toEqual([75, 75, 75, 76]);
    expect(batches).toBe(4);
    expect(attributes.size).toBe(301);
    expect(
      Object.fromEntries(
        (await assigned(many(301).reverse(), columnsOf(many(301), 4), solve, 0.1, 100)).attributes,
      ),
    ).toEqual(Object.fromEntries(attributes));
  });

  test('turns to the other solver when an answer is not a solution, and fails only when neither gives one', async () => {
    const references = many(12);
    const wrong: Solve = (program, solver) =>
      solver === 'highs'
        ? solveHere(program, solver)
        : Promise.resolve({
            status: 'solved',
            counts: program.rows.map(() => [0.5, 0.5, 0.5, 0.5]),
          });
    expect((await assigned(references, columnsOf(references, 4), wrong)).left).toEqual([
      'javascript-lp-solver gave counts that are not whole',
    ]);
    const never: Solve = () => Promise.resolve({ status: 'failed', reason: 'is out' });
    expect(
      await assign(
        references,
        columnsOf(references, 4),
        { slack: 0.1 },
        { solve: never, hash: sha256 },
      ),
    ).toEqual({ status: 'failed', reason: 'javascript-lp-solver is out; highs is out' });
  });
});

describe('an answer of a solver', () => {
  const program: AssignmentProgram = {
    rows: [{ members: 2, scores: [1, 1, 1] }],
    perReference: 2,
    lower: [1, 1, 0],
    upper: [2, 2, 1],
  };

  test.each<[string, number[][], string | null]>([
    ['is rounded when it is whole within 1e-6', [[2 - 1e-9, 1 + 1e-9, 1]], null],
    ['is refused when it is not whole', [[1.5, 1.5, 1]], 'gave counts that are not whole'],
    ['is refused when a value is missing', [[2, 2]], 'gave counts that are not whole'],
    [
      'is refused when a row is incomplete',
      [[2, 1, 0]],
      'gave references too many or too few attributes',
    ],
    [
      'is refused when somebody would get an attribute twice',
      [[3, 1, 0]],
      'gave references too many or too few attributes',
    ],
    ['is refused when a column leaves its bounds', [[2, 0, 2]], 'left the bounds'],
  ])('%s', (_, counts, reason) => {
    expect(wholeCounts(counts, program)).toEqual(
      reason === null ? { counts: [[2, 1, 1]] } : { reason },
    );
  });
});

describe('the published program', () => {
  test.each(LP_INSTANCES.map((instance) => [instance.name, instance] as const))(
    'is solved to its optimum on %s, and widened only where it has no solution',
    async (_, { scores, priors, objective, paper }) => {
      const found = await assigned(
        scores.map((affinities, index) => ({ id: `r${String(index)}`, affinities })),
        priors.map((prior, column) => ({
          id: `attribute-${String(column).padStart(2, '0')}`,
          prior,
        })),
      );
      expect(found.objective).toBe(paper ?? objective);
      if (paper === null) expect(found.outsideBand).toBeGreaterThan(0);
      else expect(found.outsideBand).toBe(0);
    },
  );
});

describe('what is said of the bounds', () => {
  test('counts the attributes whose number of references left the slack, where whole numbers have no solution in it', async () => {
    const three = (count: number) =>
      assigned(
        Array.from({ length: count }, (_, index) => ({
          id: `r${index}`,
          affinities: index < 0.8 * count ? [5, 3, 3] : [1, 5, 5],
        })),
        ['a', 'b', 'c'].map((id) => ({ id, prior: 1 / 3 })),
      );
    // 6.67 each, give or take 0.67: six and seven are within, though eight would fit better.
    const ten = await three(10);
    expect([...ten.attributes.values()].filter((ids) => ids.includes('a'))).toHaveLength(7);
    expect(ten).toMatchObject({ batches: 1, outsideBand: 0 });
    // 2.67 each, give or take 0.27: no whole number is within.
    expect(await three(4)).toMatchObject({ batches: 1, outsideBand: 3 });
    const twenty = Array.from({ length: 20 }, (_, index) => ({
      id: `r${index}`,
      affinities: [3, 3, 3, 3],
    }));
    expect(
      await assigned(
        twenty,
        ['a', 'b', 'c', 'd'].map((id) => ({ id, prior: 0.25 })),
      ),
    ).toMatchObject({ outsideBand: 0 });
  });
});
