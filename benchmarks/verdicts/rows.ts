import type { Random } from '../../src/statistics/random.ts';
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

/** One line of the table: how a pull request is drawn, and what is to come of it. */
export interface Row {
  name: string;
  goal: string;
  /** Also in the short table of docs/verdicts.md. */
  shown?: true;
  tries: 'adaptive' | number;
  /** Share of the full number of runs, for the dear ones. */
  part?: number;
  draw: (random: Random) => Suite[];
}

const one =
  (references: number, law: Law, change: Change = nothing, critical: number[] = []) =>
  (random: Random): Suite[] => [{ ...drawSuite(references, law, change, random), critical }];

/** Head errors in so many references, and nothing else changes. */
const silent =
  (references: number, law: Law, count: number) =>
  (random: Random): Suite[] => [{ ...drawSuite(references, law, nothing, random), silent: count }];

/** So many suites, the first of which changes. */
const several =
  (count: number, references: number, law: Law, change: Change = nothing) =>
  (random: Random): Suite[] =>
    Array.from({ length: count }, (_, s) =>
      drawSuite(references, law, s === 0 ? change : nothing, random),
    );

const row = (
  name: string,
  goal: string,
  draw: Row['draw'],
  more: Partial<Pick<Row, 'shown' | 'tries' | 'part'>> = {},
): Row => ({ name, goal, draw, tries: 'adaptive', ...more });

const SHOWN = { shown: true } as const;

/** The promises, one by one. */
export const PROMISES: readonly Row[] = [
  row('20 × 1.0, nothing changed', 'green 100 %, 4.0 calls', one(20, 'all 1.0'), SHOWN),
  row('8 × 1.0, nothing changed', 'green ≥ 95 %', one(8, 'all 1.0'), SHOWN),
  row('20 × 0.95, nothing changed', 'green ≥ 90 %, ≤ 6.4 calls', one(20, 'all 0.95'), SHOWN),
  row('20 × 0.8, nothing changed', 'green ≥ 55 %', one(20, 'all 0.8'), SHOWN),
  row('10 suites of 35 × 0.95, nothing changed', 'green ≥ 82 %', several(10, 35, 'all 0.95'), {
    ...SHOWN,
    part: 0.25,
  }),
  row('20 × 0.95, all 5 points better', 'green ≥ 95 %', one(20, 'all 0.95', moved(0.05))),
  row('20 × 0.95, all 10 points worse', 'green ≤ 5 %', one(20, 'all 0.95', moved(-0.1)), SHOWN),
  row(
    '50 × Beta(0.4, 0.1), all 10 points worse',
    'red ≥ 95 %, ≤ 6 calls',
    one(50, 'Beta(0.4, 0.1)', moved(-0.1)),
    SHOWN,
  ),
  ...([20, 50, 100] as const).flatMap((references) =>
    (['all 0.95', 'Beta(0.4, 0.1)'] as const).map((law) =>
      row(
        `one of ${String(references)} × ${law} breaks, 1 → 0`,
        'red ≥ 99 %, ≤ 6 calls',
        one(references, law, turned(1, 1, 0)),
        references === 50 && law === 'Beta(0.4, 0.1)' ? SHOWN : {},
      ),
    ),
  ),
  row(
    'one of 50 × 0.95 breaks, 0.95 → 0',
    'red ≥ 90 %',
    one(50, 'all 0.95', turned(1, 0.95, 0)),
    SHOWN,
  ),
  row('five of 50 break and five heal, n_tries 5', 'red ≥ 99 %', one(50, 'all 0.95', fiveAndFive), {
    ...SHOWN,
    tries: 5,
  }),
  row(
    'one breaks in one of 7 suites of 20 × 0.95',
    'red ≥ 97 %',
    several(7, 20, 'all 0.95', turned(1, 1, 0)),
    { part: 0.25 },
  ),
  row(
    'one breaks in one of 10 suites of 20 × 0.95',
    'red ≥ 97 %',
    several(10, 20, 'all 0.95', turned(1, 1, 0)),
    { ...SHOWN, part: 0.25 },
  ),
  row(
    'one critical of 50 × 0.95, 1 → 0.5',
    'red ≥ 70 %',
    one(50, 'all 0.95', turned(1, 1, 0.5), [0]),
    SHOWN,
  ),
  row(
    'one critical of 50 × 1.0, 1 → 0.5',
    'red ≥ 70 %',
    one(50, 'all 1.0', turned(1, 1, 0.5), [0]),
  ),
  row(
    'three of 50 × Beta(0.4, 0.1), 1 → 0.5',
    'red ≥ 65 %',
    one(50, 'Beta(0.4, 0.1)', turned(3, 1, 0.5)),
    SHOWN,
  ),
  row('head errors in 9 of 50 × 0.95', 'red 100 %', silent(50, 'all 0.95', 9), SHOWN),
];

const NAMES = Object.keys(LAWS) as Law[];

/** Nothing changed: every law and size, none of which may be red in more than 5 %. */
export const UNCHANGED: readonly Row[] = [
  ...[3, 5, 8, 12, 20, 35, 50, 100, 300, 1000].flatMap((references) =>
    NAMES.map((law) =>
      row(`${String(references)} × ${law}`, 'red ≤ 5 %', one(references, law), {
        part: references > 300 ? 0.2 : references > 100 ? 0.3 : 1,
      }),
    ),
  ),
  ...[3, 7, 10].flatMap((count) =>
    (['all 0.95', 'Beta(½, ½)', 'Beta(0.4, 0.1)'] as const).map((law) =>
      row(`${String(count)} suites of 20 × ${law}`, 'red ≤ 5 %', several(count, 20, law), {
        part: 0.3,
      }),
    ),
  ),
];

/** Everything got 10 points worse: green is a miss, and a bound above −10 points is wrong. */
export const FALLEN: readonly Row[] = [8, 12, 20, 35, 50].flatMap((references) =>
  (['all 1.0', 'all 0.95', 'all 0.8', 'Beta(0.4, 0.1)', 'bimodal'] as const).map((law) =>
    row(
      `${String(references)} × ${law}, all 10 points worse`,
      'bound wrong ≤ 5.5 %',
      one(references, law, moved(-0.1)),
    ),
  ),
);
