import { judgeMeasured, measureSuites } from '../../src/kernel/judge/verdict.ts';
import { normalQuantile } from '../../src/kernel/statistics/distributions.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { least, most, type Goal } from './goals.ts';
import type { Suite } from './scenarios.ts';
import { tried } from './simulate.ts';

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
];
