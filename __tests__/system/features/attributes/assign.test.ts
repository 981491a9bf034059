import {
  assign,
  type AttributeColumn,
  attributeBounds,
  priorsOf,
  wholeCounts,
  type RatedReference,
} from '../../../../src/features/attributes/assignment-program.ts';
import type { AssignmentProgram, Solve, Solver } from '../../../../src/types/solver.ts';
import fc, { draws, forAllAsync } from '../../../fuzz.ts';
import { LP_INSTANCES } from '../../../unit/features/attributes/lp-instances.ts';
import { sha256, solveHere } from './solvers.ts';
const fails = (reason: string) => Promise.resolve({ status: 'failed' as const, reason });
const only =
  (solver: Solver): Solve =>
  (program, asked) =>
    asked === solver ? solveHere(program, asked) : fails('was not asked');

interface Setting {
  columns?: readonly AttributeColumn[];
  solve?: Solve;
  slack?: number;
}

async function assigned(references: readonly RatedReference[], of: Setting = {}) {
  const { columns = columnsOf(references), solve = solveHere, slack = 0.1 } = of;
  const assignment = await assign(references, columns, { slack }, { solve, hash: sha256 });
  if (assignment.status === 'failed') throw new Error(assignment.reason);
  return assignment;
}

const referencesOf = (rows: readonly (number | null)[][]): RatedReference[] =>
  rows.map((affinities, index) => ({ id: `r${index}`, affinities }));
const columnsOf = (references: readonly RatedReference[]): AttributeColumn[] =>
  priorsOf([...references[0]!.affinities.keys()], (column) =>
    references.flatMap(({ affinities }) => affinities[column] ?? []),
  ).map(({ prior, column }) => ({ id: `attribute-${column}`, prior }));
const evenly = (ids: string[]): AttributeColumn[] =>
  ids.map((id) => ({ id, prior: 1 / ids.length }));
const skewed = (references: readonly RatedReference[]): AttributeColumn[] =>
  references[0]!.affinities.map((_, column, all) => ({
    id: `a${column}`,
    prior: 2 ** -column / (2 - 2 ** (1 - all.length)),
  }));

/** Suites of all sizes. Few distinct scores give many equal rows, as in real suites. */
const size = (min: number, max: number) => fc.integer({ min, max });
const arrayOf = <T>(item: fc.Arbitrary<T>, length: number) =>
  fc.array(item, { minLength: length, maxLength: length });
const suites = fc
  .tuple(size(1, 15), size(1, 40), size(2, 5))
  .chain(([attributes, references, top]) => {
    const affinity = fc.option(fc.integer({ min: 1, max: top }), { nil: null, freq: 20 });
    return arrayOf(arrayOf(affinity, attributes), references).map(referencesOf);
  });

describe('every assignment', () => {
  test("gives each reference two attributes and stays within each attribute's bounds", async () => {
    await forAllAsync(
      [suites, fc.boolean(), fc.constantFrom(0, 0.1, 0.5)],
      async (references, skew, slack) => {
        const columns = (skew ? skewed : columnsOf)(references);
        const solve = only('javascript-lp-solver');
        const { attributes } = await assigned(references, { columns, solve, slack });
        const each = Math.min(2, columns.length);
        expect([...attributes.keys()].sort()).toEqual(references.map(({ id }) => id).sort());
        for (const ids of attributes.values()) expect(new Set(ids).size).toBe(each);
        const priors = columns.map(({ prior }) => prior);
        const bounds = attributeBounds(priors, { references: references.length, each, slack });
        columns.forEach(({ id }, column) => {
          const given = [...attributes.values()].filter((ids) => ids.includes(id)).length;
          expect(given).toBeGreaterThanOrEqual(bounds[column]!.least);
          expect(given).toBeLessThanOrEqual(bounds[column]!.most);
        });
      },
      { numRuns: draws(60) },
    );
  });

  test('has the same sum of ratings with either solver', async () => {
    await forAllAsync(
      [suites],
      async (references) => {
        const columns = columnsOf(references);
        const [simplex, highs] = [
          await assigned(references, { solve: only('javascript-lp-solver') }),
          await assigned(references, { solve: only('highs') }),
        ];
        expect(simplex.objective).toBe(highs.objective);
        for (const { objective, attributes } of [simplex, highs]) {
          const given = references.flatMap(({ id, affinities }) =>
            attributes.get(id)!.map((attribute) => {
              return affinities[columns.findIndex((column) => column.id === attribute)] ?? 0;
            }),
          );
          expect(given.reduce((sum, affinity) => sum + affinity, 0)).toBe(objective);
        }
      },
      { numRuns: draws(25) },
    );
  });

  test('does not depend on the order of references and attributes', async () => {
    const shuffled = <T>(all: readonly T[]) =>
      fc.shuffledSubarray([...all], { minLength: all.length });

    await forAllAsync(
      [
        suites.chain((references) =>
          fc.tuple(
            fc.constant(references),
            shuffled(references),
            shuffled([...references[0]!.affinities.keys()]),
            fc.constantFrom<Solver>('javascript-lp-solver', 'highs'),
          ),
        ),
      ],
      async ([references, others, order, solver]) => {
        const columns = columnsOf(references);
        const first = await assigned(references, { solve: only(solver) });
        const second = await assigned(
          others.map(({ id, affinities }) => ({
            id,
            affinities: order.map((i) => affinities[i]!),
          })),
          { columns: order.map((i) => columns[i]!), solve: only(solver) },
        );
        expect(Object.fromEntries(second.attributes)).toEqual(Object.fromEntries(first.attributes));
      },
      { numRuns: draws(25) },
    );
  });
});

describe('the choice of solver', () => {
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
    referencesOf(
      Array.from({ length: count }, (_, i) => [1 + (i % 5), 1 + (i % 3), 1 + (i % 4), 2]),
    );

  test('is javascript-lp-solver up to 250 references and HiGHS for more', async () => {
    const { solve, asked } = counted();
    for (const count of [250, 251]) await assigned(many(count), { solve });
    expect(asked).toEqual([
      ['javascript-lp-solver', 250],
      ['highs', 251],
    ]);
  });

  test('falls back to the other solver, and fails only if neither finds a solution', async () => {
    const references = many(12);
    const wrong: Solve = (program, solver) =>
      solver === 'highs'
        ? solveHere(program, solver)
        : Promise.resolve({ status: 'solved', counts: program.rows.map(() => Array(4).fill(0.5)) });
    expect((await assigned(references, { solve: wrong })).left).toEqual([
      'javascript-lp-solver gave counts that are not integers',
    ]);
    const never = { solve: () => fails('is out'), hash: sha256 };
    expect(await assign(references, columnsOf(references), { slack: 0.1 }, never)).toEqual({
      status: 'failed',
      reason: 'javascript-lp-solver is out; highs is out',
    });
  });
});

describe("a solver's answer", () => {
  const program: AssignmentProgram = {
    rows: [{ members: 2, scores: [1, 1, 1] }],
    perReference: 2,
    columns: [
      { least: 1, most: 2 },
      { least: 1, most: 2 },
      { least: 0, most: 1 },
    ],
  };
  const NOT_WHOLE = 'gave counts that are not integers';
  const UNEVEN = 'gave references too many or too few attributes';

  test.each([
    ['is rounded when it is whole within 1e-6', [2 - 1e-9, 1 + 1e-9, 1], null],
    ['is rejected when it is not whole', [1.5, 1.5, 1], NOT_WHOLE],
    ['is rejected when a value is missing', [2, 2], NOT_WHOLE],
    ['is rejected when a row is incomplete', [2, 1, 0], UNEVEN],
    ['is rejected when a reference would get an attribute twice', [3, 1, 0], UNEVEN],
    ['is rejected when a column leaves its bounds', [2, 0, 2], 'left the bounds'],
  ])('is accepted only if it assigns attributes as required: it %s', (_, counts, reason) => {
    const expected = reason === null ? { counts: [[2, 1, 1]] } : { reason };
    expect(wholeCounts([counts], program)).toEqual(expected);
  });
});

test.each(LP_INSTANCES.map((instance) => [instance.name, instance] as const))(
  "QualEval's linear program is solved optimally on %s, and its bounds are widened only if infeasible",
  async (_, { scores, priors, objective, paper }) => {
    const found = await assigned(referencesOf(scores), {
      columns: priors.map((prior, column) => ({
        id: `attribute-${String(column).padStart(2, '0')}`,
        prior,
      })),
    });
    expect(found.objective).toBe(paper ?? objective);
    expect(found.outsideBand > 0).toBe(paper === null);
  },
);

test('an assignment reports how many attributes are outside their bounds if the bounds contain no whole number', async () => {
  const three = (count: number) =>
    assigned(
      referencesOf(
        Array.from({ length: count }, (_, i) => (i < 0.8 * count ? [5, 3, 3] : [1, 5, 5])),
      ),
      { columns: evenly(['a', 'b', 'c']) },
    );
  // The bounds are 6.67 ± 0.67 each, so six and seven are allowed. Eight would fit better but is
  // outside.
  const ten = await three(10);
  expect([...ten.attributes.values()].filter((ids) => ids.includes('a'))).toHaveLength(7);
  expect(ten).toMatchObject({ outsideBand: 0 });
  // The bounds are 2.67 ± 0.27 each, which contain no whole number.
  expect(await three(4)).toMatchObject({ outsideBand: 3 });
  const twenty = referencesOf(Array.from({ length: 20 }, () => [3, 3, 3, 3]));
  const columns = evenly(['a', 'b', 'c', 'd']);
  expect(await assigned(twenty, { columns })).toMatchObject({ outsideBand: 0 });
});
