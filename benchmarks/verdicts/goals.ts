/** Measured figures: shares of the runs (0–1), and calls per reference. */
export type Figure = 'red' | 'green' | 'grey' | 'wrong' | 'reported' | 'named' | 'fixed' | 'calls';

export interface Goal {
  figure: Figure;
  side: 'least' | 'most';
  value: number;
}

export const least = (figure: Figure, value: number): Goal => ({ figure, side: 'least', value });

export const most = (figure: Figure, value: number): Goal => ({ figure, side: 'most', value });

/** The result of one row. Figures that do not apply to it are absent. */
export interface Outcome {
  name: string;
  goals: readonly Goal[];
  runs: number;
  figures: Partial<Record<Figure, number>>;
}

/** Without it, rounding errors of sums could miss a goal of 100 % or of a whole call. */
const ROUNDING_TOLERANCE = 1e-9;

export interface Miss {
  name: string;
  goal: Goal;
  measured: number;
  /**
   * Distance from the goal, in standard errors of a share that equals the goal; null for calls and
   * for a goal of 100 %.
   */
  errors: number | null;
}

/** All goals that these rows miss, in order. */
export function missesOf(rows: readonly Outcome[]): Miss[] {
  return rows.flatMap(({ name, goals, runs, figures }) =>
    goals.flatMap((goal): Miss[] => {
      const measured = figures[goal.figure];
      if (measured === undefined) throw new TypeError(`${name} has no ${goal.figure}`);
      const beyond = goal.side === 'most' ? measured - goal.value : goal.value - measured;
      if (beyond <= ROUNDING_TOLERANCE) return [];
      const error = Math.sqrt((goal.value * (1 - goal.value)) / runs);
      const shares = goal.figure !== 'calls' && error > 0;
      return [{ name, goal, measured, errors: shares ? beyond / error : null }];
    }),
  );
}

/** `red ≤ 5 %`, `≤ 6.6 calls`, `green 100 %`. */
export function inWords({ figure, side, value }: Goal): string {
  const sign = side === 'most' ? '≤ ' : value === 1 ? '' : '≥ ';
  if (figure === 'calls') return `${sign}${value.toFixed(1)} calls`;
  const share = `${sign}${String(Number((100 * value).toFixed(1)))} %`;
  if (figure === 'named') return `metric named ${share}`;
  return figure === 'reported' ? share : `${figure === 'wrong' ? 'bound wrong' : figure} ${share}`;
}
