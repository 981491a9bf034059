import { judgeSuites } from '../../src/kernel/judge/verdict.ts';
import { withMoreTries, type MadeTry } from '../../src/kernel/plan/suite-run.ts';
import { normalQuantile } from '../../src/kernel/statistics/distributions.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { DEFAULT_GATE } from '../../src/kernel/suite/gate-settings.ts';
import { least, most, type Goal } from './goals.ts';
import { begun, made } from './simulate.ts';

/** A score of 1 to 5 that moves by so much in every reference, at two tries a side. */
export interface ScoreRow {
  name: string;
  goals: readonly Goal[];
  references: number;
  by: number;
}

/** How far one try's score lies from its reference's own, as a standard deviation. */
const SPREAD = 0.6;

export const SCORES: readonly ScoreRow[] = [20, 50].flatMap((references) =>
  [0.3, 0].map((fall) => ({
    name: `a score of 1 to 5, ${String(references)} × 2 tries, ${fall === 0 ? 'nothing changed' : `falls by ${String(fall)}`}`,
    goals: fall === 0 ? [most('reported', 0.05)] : references < 50 ? [] : [least('reported', 0.9)],
    references,
    by: -fall,
  })),
);

/** Whether evaldiff's own verdict says that the score got worse, though every try passes. */
export function isReported({ references, by }: ScoreRow, random: Random): boolean {
  const positions = [...Array(references).keys()];
  const started = begun({ base: positions.map(() => 1), head: positions.map(() => 1) }, 0, {
    kind: 'fixed',
    tries: 2,
  });
  const score = (around: number): number =>
    around + SPREAD * normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, nextFloat(random))));
  const tries = positions.flatMap((index): MadeTry[] => {
    const own = 1 + 4 * nextFloat(random);
    return (['base', 'head'] as const).flatMap((side) =>
      [0, 1].map((at) => ({
        index,
        side,
        made: made(at, 'pass', score(side === 'head' ? own + by : own)),
      })),
    );
  });
  const [verdict] = judgeSuites([withMoreTries(started, tries)], DEFAULT_GATE).suites.values();
  return verdict?.moves.some(({ moved }) => moved === 'worse') === true;
}
