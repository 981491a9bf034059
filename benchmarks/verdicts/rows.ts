import type { Random } from '../../src/kernel/statistics/random.ts';
import type { GateSettings } from '../../src/kernel/suite/gate-settings.ts';
import { least, most, type Goal } from './goals.ts';
import {
  LAWS,
  drawSuite,
  fiveAndFive,
  moved,
  nothing,
  turned,
  type Change,
  type Law,
  type Suite,
} from './scenarios.ts';

/** A row of the table: how its pull requests are generated, and its goals. */
export interface Row {
  name: string;
  goals: readonly Goal[];
  /** Also in the short table of docs/statistics.md. */
  shown?: true;
  tries: 'adaptive' | number;
  /** Share of the full number of runs, for expensive rows. */
  part?: number;
  /** Gate settings that differ from the default. */
  gate?: Partial<GateSettings>;
  /** The metric that a red suite must name. */
  falls?: string;
  /**
   * The number of references that head fixes. Absent: "fixed" counts any reference reported as
   * fixed.
   */
  heals?: number;
  draw: (random: Random) => Suite[];
}

export const one =
  (references: number, law: Law, change: Change = nothing, own: Partial<Suite> = {}) =>
  (random: Random): Suite[] => [{ ...drawSuite(references, law, change, random), ...own }];

export const suites =
  (
    count: number,
    references: number,
    { law = 'all 0.95', all = nothing, first }: { law?: Law; all?: Change; first?: Change },
  ) =>
  (random: Random): Suite[] =>
    Array.from({ length: count }, (_, s) =>
      drawSuite(references, law, s === 0 ? (first ?? all) : all, random),
    );

/** One critical reference drops to half its pass rate. It starts with this many tries. */
const criticalHalf = (references: number, law: Law, criticalTries?: number, rate = 1) =>
  one(references, law, turned(1, rate, rate / 2), {
    critical: [0],
    ...(criticalTries === undefined ? {} : { criticalTries }),
  });

export const row = (
  name: string,
  goals: readonly Goal[],
  draw: Row['draw'],
  more: Partial<Row> = {},
): Row => ({ name, goals, draw, tries: 'adaptive', ...more });

const SHOWN = { shown: true } as const;

/** Promises in the documentation. */
export const PROMISES: readonly Row[] = [
  row(
    '20 × 1.0, nothing changed',
    [least('green', 1), most('calls', 4)],
    one(20, 'all 1.0'),
    SHOWN,
  ),
  row('8 × 1.0, nothing changed', [least('green', 0.95)], one(8, 'all 1.0'), SHOWN),
  row(
    '20 × 0.95, nothing changed',
    [least('green', 0.9), most('calls', 6.6)],
    one(20, 'all 0.95'),
    SHOWN,
  ),
  row('20 × 0.8, nothing changed', [least('green', 0.55)], one(20, 'all 0.8'), SHOWN),
  row('10 suites of 35 × 0.95, nothing changed', [least('green', 0.82)], suites(10, 35, {}), {
    ...SHOWN,
    part: 0.25,
  }),
  row('20 × 0.95, all 5 points better', [least('green', 0.95)], one(20, 'all 0.95', moved(0.05))),
  row(
    '20 × 0.95, all 10 points worse',
    [most('green', 0.05)],
    one(20, 'all 0.95', moved(-0.1)),
    SHOWN,
  ),
  row(
    '50 × Beta(0.4, 0.1), all 10 points worse',
    [least('red', 0.95), most('calls', 6.3)],
    one(50, 'Beta(0.4, 0.1)', moved(-0.1)),
    SHOWN,
  ),
  ...([20, 50, 100] as const).flatMap((references) =>
    (['all 0.95', 'Beta(0.4, 0.1)'] as const).map((law) =>
      row(
        `one of ${String(references)} × ${law} breaks, 1 → 0`,
        [least('red', 0.99), most('calls', 6)],
        one(references, law, turned(1, 1, 0)),
        references === 50 && law === 'Beta(0.4, 0.1)' ? SHOWN : {},
      ),
    ),
  ),
  row(
    'one of 50 × 0.95 breaks, 0.95 → 0',
    [least('red', 0.9)],
    one(50, 'all 0.95', turned(1, 0.95, 0)),
    SHOWN,
  ),
  row(
    'five of 50 break and five heal, n_tries 5',
    [least('red', 0.99)],
    one(50, 'all 0.95', fiveAndFive),
    {
      ...SHOWN,
      tries: 5,
    },
  ),
  row(
    'one breaks in one of 7 suites of 20 × 0.95',
    [least('red', 0.97)],
    suites(7, 20, { first: turned(1, 1, 0) }),
    { part: 0.25 },
  ),
  row(
    'one breaks in one of 10 suites of 20 × 0.95',
    [least('red', 0.97)],
    suites(10, 20, { first: turned(1, 1, 0) }),
    { ...SHOWN, part: 0.25 },
  ),
  row('one critical of 20 × 1.0, 1 → 0.5', [least('red', 0.7)], criticalHalf(20, 'all 1.0'), SHOWN),
  row(
    'one critical of 20 × 0.95, 0.95 → 0.475',
    [least('red', 0.6)],
    criticalHalf(20, 'all 0.95', undefined, 0.95),
  ),
  row('one critical of 50 × 0.95, 1 → 0.5', [least('red', 0.7)], criticalHalf(50, 'all 0.95')),
  row('one critical of 50 × 1.0, 1 → 0.5', [least('red', 0.7)], criticalHalf(50, 'all 1.0'), SHOWN),
  row(
    'one critical of 50 × 1.0, n_tries 5, 1 → 0.5',
    [least('red', 0.9)],
    criticalHalf(50, 'all 1.0', 5),
    SHOWN,
  ),
  row(
    'three of 50 × Beta(0.4, 0.1), 1 → 0.5',
    [least('red', 0.65)],
    one(50, 'Beta(0.4, 0.1)', turned(3, 1, 0.5)),
    SHOWN,
  ),
  row(
    'head errors in 9 of 50 × 0.95',
    [least('red', 1)],
    one(50, 'all 0.95', nothing, { silent: 9 }),
    SHOWN,
  ),
];

const NAMES = Object.keys(LAWS) as Law[];

/** Goals of every unchanged suite. */
const CALM = [most('red', 0.05), most('calls', 6.6)];

export const UNCHANGED: readonly Row[] = [
  ...[3, 5, 8, 12, 20, 35, 50, 100, 300, 1000].flatMap((references) =>
    NAMES.map((law) =>
      row(`${String(references)} × ${law}`, CALM, one(references, law), {
        part: references > 300 ? 0.2 : references > 100 ? 0.3 : 1,
      }),
    ),
  ),
  ...[3, 7, 10].flatMap((count) =>
    (['all 0.95', 'Beta(½, ½)', 'Beta(0.4, 0.1)'] as const).map((law) =>
      row(`${String(count)} suites of 20 × ${law}`, CALM, suites(count, 20, { law }), {
        part: 0.3,
      }),
    ),
  ),
  // The test whether head answers as often as base has its own fifth of alpha.
  ...[20, 50].flatMap((references) =>
    (['all 1.0', 'all 0.95', 'Beta(0.4, 0.1)'] as const).map((law) =>
      row(
        `${String(references)} × ${law}, 5 % of the tries in error on both sides`,
        [most('red', 0.05)],
        one(references, law, nothing, { errors: 0.05 }),
      ),
    ),
  ),
];

/** Everything got 10 points worse: green is a miss, and a bound above −10 points is wrong. */
export const FALLEN: readonly Row[] = [8, 12, 20, 35, 50, 100, 300].flatMap((references) =>
  NAMES.map((law) =>
    row(
      `${String(references)} × ${law}, all 10 points worse`,
      [most('wrong', 0.055)],
      one(references, law, moved(-0.1)),
      references > 100 ? { part: 0.3 } : {},
    ),
  ),
);
