import type { ClusteredTries } from '../../src/kernel/statistics/clusters.ts';
import { nextFloat, nextIndex, shuffle, type Random } from '../../src/kernel/statistics/random.ts';
import type { Outcome } from '../../src/types/metric.ts';

/** Ratings from 1 to 5, by reference and attribute. */
export type Matrix = number[][];

/** True ratings. Domains come before sub-tasks. */
export interface Truth {
  domains: number;
  ratings: Matrix;
}

export interface Plant {
  kind: 'domain' | 'subtask';
  count: number;
}

export type Rater = 'fair' | 'flat' | 'one value per test' | 'of other tests' | 'inverted';

export interface Scenario {
  name: string;
  references: number;
  tries?: number;
  plant?: readonly Plant[];
  /** Pass rate of planted attributes on head, as a share of base's. */
  left?: number;
  /**
   * Adds a rival of the same size that shares this share of the first planted attribute's tests.
   */
  overlap?: number;
  /** Adds an attribute whose tests are inside, or around, those of the first planted one. */
  nested?: 'inside' | 'around';
  /** Chance that a rating is drawn at random. */
  noise?: number;
  /** Chance that a rating is missing. */
  refused?: number;
  rater?: Rater;
  /** Drop of every test's pass rate. */
  fall?: number;
  /** Chance that a test breaks for a reason outside all attributes. */
  scattered?: number;
  uneven?: true;
  /** Planted attributes improve instead of breaking. */
  better?: true;
  /** The ratings are uninformative, so naming nothing is right. */
  isSilenceRight?: true;
}

export interface Drawn {
  rows: ClusteredTries[];
  /** Null: the rater refused. */
  ratings: (number | null)[][];
  planted: number[];
}

const SIZES: Readonly<Record<number, { domains: number; subtasks: number }>> = {
  20: { domains: 4, subtasks: 3 },
  50: { domains: 6, subtasks: 5 },
  150: { domains: 10, subtasks: 8 },
};

const low = (random: Random): number => 1 + Number(nextFloat(random) < 0.3);

const high = (random: Random): number => 3 + nextIndex(random, 3);

/** A main domain for each test, sometimes a second one; sub-tasks in 20 to 60 % of the tests. */
export function drawTruth(references: number, random: Random): Truth {
  const { domains, subtasks } = SIZES[references] ?? { domains: 6, subtasks: 5 };
  const main = shuffle(
    Array.from({ length: references }, (_, at) => at % domains),
    random,
  );
  const ratings = main.map((own) => [
    ...Array.from({ length: domains }, (_, domain) =>
      domain === own
        ? 4 + nextIndex(random, 2)
        : nextFloat(random) < 0.25 / (domains - 1)
          ? 3
          : low(random),
    ),
    ...Array.from({ length: subtasks }, (_, subtask) =>
      nextFloat(random) < 0.2 + (0.4 * subtask) / (subtasks - 1) ? high(random) : low(random),
    ),
  ]);
  return { domains, ratings };
}

const MEMBER = 3;

/** Draws a pull request over a suite whose true ratings are known. */
export function drawSuite(
  { tries = 3, plant = [], left = 0.02, fall = 0, scattered = 0, ...scenario }: Scenario,
  truth: Truth,
  random: Random,
): Drawn {
  const ratings = truth.ratings.map((row) => [...row]);
  const columns = [...(ratings[0] ?? []).keys()];
  const planted = plant.flatMap(({ kind, count }) =>
    shuffle(
      columns.filter(
        (column) =>
          column < truth.domains === (kind === 'domain') && membersOf(ratings, column).length >= 4,
      ),
      random,
    ).slice(0, count),
  );
  if (planted[0] !== undefined) addRival(ratings, planted, scenario, random);
  const hard = columns.map(() => 0.5 + 0.5 * nextFloat(random));
  const rows = ratings.map((row): ClusteredTries => {
    const domain = row.indexOf(Math.max(...row.slice(0, truth.domains)));
    const drawn = nextFloat(random);
    const mixed = drawn < 0.7 ? 0.98 : drawn < 0.9 ? 0.7 : 0.2;
    const base = scenario.uneven === true ? (hard[domain] ?? 1) : fall > 0 ? 0.97 : mixed;
    const isBroken =
      planted.some((column) => (row[column] ?? 0) >= MEMBER) || nextFloat(random) < scattered;
    const head = Math.max(0, (isBroken ? base * left : base) - fall);
    const sides = { base: outcomes(base, tries, random), head: outcomes(head, tries, random) };
    return {
      tries: scenario.better === true ? { base: sides.head, head: sides.base } : sides,
      cluster: null,
    };
  });
  return { rows, ratings: rate(ratings, scenario, random), planted };
}

function membersOf(ratings: Matrix, column: number): number[] {
  return [...ratings.keys()].filter((at) => (ratings[at]?.[column] ?? 0) >= MEMBER);
}

/** Rewrites one attribute that is not planted. */
function addRival(
  ratings: Matrix,
  planted: readonly number[],
  { overlap = 0, nested }: Pick<Scenario, 'overlap' | 'nested'>,
  random: Random,
): void {
  if (overlap === 0 && nested === undefined) return;
  const [first = 0] = planted;
  const columns = [...(ratings[0] ?? []).keys()].filter((column) => !planted.includes(column));
  const rival = columns[nextIndex(random, columns.length)] ?? 0;
  const inside = shuffle(membersOf(ratings, first), random);
  const outside = shuffle(
    [...ratings.keys()].filter((at) => !inside.includes(at)),
    random,
  );
  const both =
    nested === 'inside'
      ? Math.max(4, Math.round(inside.length / 2))
      : nested === 'around'
        ? inside.length
        : Math.round(overlap * inside.length);
  const more = nested === 'inside' ? 0 : nested === 'around' ? inside.length : inside.length - both;
  const own = new Set([...inside.slice(0, both), ...outside.slice(0, more)]);
  for (const [at, row] of ratings.entries()) row[rival] = own.has(at) ? high(random) : low(random);
}

function rate(
  truth: Matrix,
  { rater = 'fair', noise = 0, refused = 0 }: Pick<Scenario, 'rater' | 'noise' | 'refused'>,
  random: Random,
): (number | null)[][] {
  const others = shuffle(truth, random);
  return truth.map((row, at) =>
    row.map((rating, column) => {
      if (nextFloat(random) < refused) return null;
      if (rater === 'flat') return 3;
      if (rater === 'one value per test') return 1 + ((at * 7) % 5);
      if (rater === 'inverted') return 6 - rating;
      if (rater === 'of other tests') return others[at]?.[column] ?? null;
      return nextFloat(random) < noise ? 1 + nextIndex(random, 5) : rating;
    }),
  );
}

function outcomes(passRate: number, tries: number, random: Random): Outcome[] {
  return Array.from({ length: tries }, () => (nextFloat(random) < passRate ? 'pass' : 'fail'));
}
