/**
 * Sizes and times of QualEval's assignment with the solver chosen for each size. Includes processor
 * time of threads.
 *
 *   npx node benchmarks/qualeval.ts
 */
import { createHash } from 'node:crypto';
import { createSolver } from '../src/edges/solver/thread.ts';
import {
  assign,
  type AttributeColumn,
  priorsOf,
  type RatedReference,
} from '../src/features/attributes/assignment-program.ts';
import { createRandom, nextFloat, nextIndex } from '../src/kernel/statistics/random.ts';
import type { Solve } from '../src/types/solver.ts';
import { spread, table } from './measure/markdown.ts';

const attributes = 15;
const rounds = 3;
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const kinds = ['clear', 'blurred'] as const;

/**
 * `clear`: one to three attributes at 4–5, the rest low, so that many rows are equal. `blurred`:
 * random scores.
 */
function references(count: number, kind: (typeof kinds)[number], seed: number): RatedReference[] {
  const random = createRandom(`${kind} ${String(count)} ${String(seed)}`);
  return Array.from({ length: count }, (_, index) => {
    const own = new Set(
      Array.from({ length: 1 + nextIndex(random, 3) }, () =>
        Math.floor(attributes * nextFloat(random) ** 1.5),
      ),
    );
    const affinities = Array.from({ length: attributes }, (__, column) => {
      if (kind === 'blurred') return 1 + nextIndex(random, 5);
      return own.has(column) ? 4 + nextIndex(random, 2) : nextFloat(random) < 0.1 ? 2 : 1;
    });
    return { id: `reference-${String(index)}`, affinities };
  });
}

function columnsOf(rated: readonly RatedReference[]): AttributeColumn[] {
  return priorsOf([...Array(attributes).keys()], (column) =>
    rated.flatMap(({ affinities }) => affinities[column] ?? []),
  ).map(({ prior, column }) => ({ id: `attribute-${String(column)}`, prior }));
}

interface Size {
  solver: string;
  classes: number;
  variables: number;
  constraints: number;
}

const solve = createSolver();
const rows: string[][] = [];
for (const count of [50, 250, 1000, 2000]) {
  for (const kind of kinds) {
    const times: { wall: number; processor: number }[] = [];
    const sizes: Size[] = [];
    const counting: Solve = (program, solver) => {
      const classes = program.rows.length;
      // One variable per class and attribute. One constraint per class and per attribute.
      sizes.push({
        solver,
        classes,
        variables: classes * attributes,
        constraints: classes + attributes,
      });
      return solve(program, solver);
    };
    for (let round = 0; round < rounds; round++) {
      const rated = references(count, kind, round);
      const [start, before] = [performance.now(), process.cpuUsage()];
      const assignment = await assign(
        rated,
        columnsOf(rated),
        { slack: 0.1 },
        { solve: counting, hash },
      );
      const { user, system } = process.cpuUsage(before);
      times.push({ wall: (performance.now() - start) / 1e3, processor: (user + system) / 1e6 });
      if (assignment.status === 'failed') throw new Error(assignment.reason);
    }
    const of = (key: 'classes' | 'variables' | 'constraints'): string =>
      spread(
        sizes.map((size) => size[key]),
        String,
      );
    rows.push([
      `${String(count)}, ${kind}`,
      of('classes'),
      of('variables'),
      of('constraints'),
      [...new Set(sizes.map(({ solver }) => solver))].join(', '),
      spread(times.map(({ wall }) => wall)),
      spread(times.map(({ processor }) => processor)),
    ]);
  }
}
console.log(
  [
    `A linear program assigns references to ${String(attributes)} attributes. References with equal ratings form one class. "Clear" references have one to three attributes rated 4 or 5 and`,
    `low ratings for the rest; "blurred" references have random ratings. Each row has ${String(rounds)} rounds with different ratings.`,
    '',
    table(
      ['references', 'classes', 'variables', 'constraints', 'solver', 's', 'processor, s'],
      rows,
    ),
  ].join('\n'),
);
