import { judgeMeasured, measureSuites } from '../../src/kernel/judge/verdict.ts';
import { normalQuantile } from '../../src/kernel/statistics/distributions.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { least, most, type Goal } from './goals.ts';
import type { Suite } from './scenarios.ts';
import { simulate, tried } from './simulate.ts';

/** A row that counts calls and how often something is reported. */
export interface ReportedRow {
  name: string;
  goals: readonly Goal[];
  /** Share of the full number of runs, for expensive rows. */
  part?: number;
  run: (random: Random) => Promise<{ reported: boolean; calls: number }>;
}

interface Law {
  references: number;
  better?: 'lower' | 'none';
  draw: NonNullable<Suite['value']>;
}

/** Whether evaldiff reports that values moved, or that one reference's value exploded. */
function reportedBy({ references, better, draw }: Law, tries: 2 | 'adaptive', random: Random) {
  const rates = Array<number>(references).fill(1);
  const suite = { base: rates, head: rates, value: draw, ...(better ? { better } : {}) };
  const { comparisons, calls } = tried([suite], tries, random);
  const moves = [
    ...judgeMeasured(measureSuites(comparisons, DEFAULT_GATE)).suites.values(),
  ].flatMap((own) => own.moves);
  return {
    moved: moves.some(({ moved }) => moved !== null && moved !== 'better'),
    exploded: moves.some(({ exploded }) => exploded.length > 0),
    calls: calls / references,
  };
}

const normal = (random: Random): number => normalQuantile(nextFloat(random));

/** Standard deviation of the scores of a reference's tries. */
const SPREAD = 0.6;

const score =
  (by: number): Law['draw'] =>
  (side, position, random) =>
    1 + ((position * 7) % 40) / 10 + (side === 'head' ? by : 0) + SPREAD * normal(random);

const lognormal =
  (spread: number, factor = 1): Law['draw'] =>
  (side, _, random) =>
    100 * Math.exp(spread * normal(random)) * (side === 'head' ? factor : 1);

const pareto =
  (factor: number): Law['draw'] =>
  (side, _, random) =>
    10 * (1 - nextFloat(random)) ** (-1 / 1.1) * (side === 'head' ? factor : 1);

/** Values of references whose sizes differ widely. */
const sized: Law['draw'] = (side, position, random) =>
  Math.exp(Math.sin(position * 12.9898) * 1.5) * lognormal(0.2, 1.1)(side, position, random);

const exploding: Law['draw'] = (side, position, random) =>
  side === 'head' && position === 3 ? 100_000 : 100 + 10 * nextFloat(random);

const moved = (name: string, law: Law, goals: readonly Goal[]): ReportedRow => ({
  name,
  goals,
  part: 0.25,
  run: (random) => {
    const { moved: reported, calls } = reportedBy(law, 2, random);
    return Promise.resolve({ reported, calls });
  },
});

const exploded = (name: string, draw: Law['draw'], goals: readonly Goal[]): ReportedRow => ({
  name,
  goals,
  part: 0.25,
  run: (random) => {
    const law = { references: 50, better: 'none', draw } as const;
    const { exploded: reported, calls } = reportedBy(law, 'adaptive', random);
    return Promise.resolve({ reported, calls });
  },
});

const undirected = (draw: Law['draw']): Law => ({ references: 50, better: 'none', draw });

const CALM = [most('reported', 0.05)];

type Passes = NonNullable<Suite['passes']>;

/** How often suites whose values decide are red, with the default number of tries. */
const decided = (
  name: string,
  [count, references]: readonly [suites: number, references: number],
  { passes, draw, part = 0.25 }: { passes: Passes; draw: Law['draw']; part?: number },
  goals: readonly Goal[],
): ReportedRow => ({
  name: `values decide, ${name}`,
  goals,
  part,
  run: (random) => {
    const rates = Array<number>(references).fill(1);
    const suite = { base: rates, head: rates, value: draw, passes };
    const { colour, calls } = simulate(Array<Suite>(count).fill(suite), 'adaptive', random);
    return Promise.resolve({ reported: colour === 'red', calls });
  },
});

/** Two standard deviations above the mean, so that few values of base reach it, or none. */
const RARELY = 3 + 2 * SPREAD;

const level =
  (by: number): Law['draw'] =>
  (side, _, random) =>
    3 + (side === 'head' ? by : 0) + SPREAD * normal(random);

const someFall =
  (by: number, share: number): Law['draw'] =>
  (side, position, random) =>
    score(position % 10 < 10 * share ? by : 0)(side, position, random);

const DECIDED: readonly ReportedRow[] = [
  decided('20 references, nothing changed', [1, 20], { passes: 'always', draw: score(0) }, CALM),
  decided('50 references, nothing changed', [1, 50], { passes: 'always', draw: score(0) }, CALM),
  decided(
    '150 references, nothing changed',
    [1, 150],
    { passes: 'always', draw: score(0), part: 0.1 },
    CALM,
  ),
  decided(
    '50 references, Pareto(1.1), nothing changed',
    [1, 50],
    { passes: 'always', draw: pareto(1) },
    CALM,
  ),
  decided(
    '10 suites of 20 references, nothing changed',
    [10, 20],
    { passes: 'always', draw: score(0), part: 0.1 },
    CALM,
  ),
  decided(
    '20 references, few or none of base pass, nothing changed',
    [1, 20],
    { passes: RARELY, draw: level(0) },
    CALM,
  ),
  decided(
    '8 references, few or none of base pass, nothing changed',
    [1, 8],
    { passes: RARELY, draw: level(0) },
    CALM,
  ),
  decided(
    '20 references, none passes, nothing changed',
    [1, 20],
    { passes: 9, draw: level(0) },
    CALM,
  ),
  decided('50 references, a score falls by 0.4', [1, 50], { passes: 'always', draw: score(-0.4) }, [
    least('reported', 0.9),
  ]),
  decided(
    '50 references, none passes, a score falls by 0.4',
    [1, 50],
    { passes: 9, draw: score(-0.4) },
    [least('reported', 0.9)],
  ),
  decided(
    '50 references, a fifth of the scores falls by 1.5',
    [1, 50],
    { passes: 'always', draw: someFall(-1.5, 0.2) },
    [least('reported', 0.8)],
  ),
];

export const SCORES: readonly ReportedRow[] = [
  ...[20, 50].flatMap((references) =>
    [0.3, 0].map((fall) =>
      moved(
        `a score of 1 to 5, ${String(references)} × 2 tries, ${fall === 0 ? 'nothing changed' : `falls by ${String(fall)}`}`,
        { references, draw: score(-fall) },
        fall === 0 ? CALM : references < 50 ? [] : [least('reported', 0.9)],
      ),
    ),
  ),
  moved('Pareto(1.1), 50 × 2 tries, × 1.5', undirected(pareto(1.5)), [least('reported', 0.9)]),
  moved('lognormal(0.5), 50 × 2 tries, + 10 %', undirected(lognormal(0.5, 1.1)), []),
  moved('lognormal(0.5), 50 × 2 tries, + 20 %', undirected(lognormal(0.5, 1.2)), []),
  moved('references of different size, lognormal(0.2), + 10 %', undirected(sized), [
    least('reported', 0.75),
  ]),
  moved('Pareto(1.1), 50 × 2 tries, nothing changed', undirected(pareto(1)), CALM),
  moved('lognormal(0.5), 50 × 2 tries, nothing changed', undirected(lognormal(0.5)), CALM),
  exploded('one of 50 explodes, 100 → 100,000: named', exploding, [
    least('reported', 0.99),
    most('calls', 4.24),
  ]),
  exploded('Pareto(1.1), nothing changed: any named', pareto(1), CALM),
  exploded('lognormal(0.5), nothing changed: any named', lognormal(0.5), CALM),
  ...DECIDED,
];
