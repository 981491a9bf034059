import { sum } from '../kernel/statistics/sums.ts';
import type { Counts } from '../kernel/statistics/table.ts';
import type { Candidate, Rates } from './search.ts';

/** A try to make: a reference, and the units of the change in its prompt. */
export interface Draw {
  units: ReadonlySet<number>;
  reference: number;
}

/** Null if a try could not be judged. */
export type TryUnits = (draws: readonly Draw[]) => Promise<(boolean | null)[]>;

export interface Fall {
  base: Counts;
  head: Counts;
}

export interface FoundCause {
  relation: Exclude<Candidate['relation'], 'none'>;
  units: readonly number[];
  /** `restored`: tries without the cause. `broken`: tries with the cause. */
  references: { reference: number; restored: Counts; broken: Counts }[];
  held: { references: number; of: number };
  p: number;
  tries: number;
}

export interface TryLog {
  outcomes: (Draw & { passed: boolean })[];
  most: number;
  made: number;
  silent: number;
  attempt: TryUnits;
}

export interface Trials extends TryLog {
  units: number;
  alpha: number;
  rates: ReadonlyMap<number, Rates>;
}

/** `tries`: the cap was reached. `errors`: no try could be judged. */
export type TrialsEnd = 'tries' | 'errors';

const MAX_SILENT_ROUNDS = 2;

export function startTrials(
  experiment: { units: number; alpha: number; fell: readonly Fall[]; tries: number },
  attempt: TryUnits,
): Trials {
  const { units, alpha, fell, tries } = experiment;
  return { units, alpha, rates: estimateRates(fell), ...startLog(tries, attempt) };
}

export function startLog(most: number, attempt: TryUnits): TryLog {
  return { outcomes: [], most, made: 0, silent: 0, attempt };
}

const PRIOR_TRIES = 3;

/** Moves pass rates towards an average (as `PRIOR_TRIES` tries), because references have few tries. */
function estimateRates(fell: readonly Fall[]): Map<number, Rates> {
  const passes = sum(fell.map(({ head }) => head.passes));
  const tries = sum(fell.map(({ head }) => head.tries));
  const usual = (passes + 0.3) / (tries + 1);
  return new Map(
    fell.map(({ base, head }, reference) => {
      const intact = Math.min(0.97, (base.passes + 0.9 * PRIOR_TRIES) / (base.tries + PRIOR_TRIES));
      const broken = Math.max(
        0.03,
        (head.passes + usual * PRIOR_TRIES) / (head.tries + PRIOR_TRIES),
      );
      return [reference, { intact, broken: Math.min(broken, 0.75 * intact) }];
    }),
  );
}

/** Makes as many tries as the cap allows. If there are none, returns the reason. */
export async function drawTries(
  trials: TryLog,
  wanted: readonly Draw[],
): Promise<(boolean | null)[] | TrialsEnd> {
  const draws = wanted.slice(0, Math.max(0, trials.most - trials.made));
  if (draws.length === 0) return 'tries';
  if (trials.silent >= MAX_SILENT_ROUNDS) return 'errors';
  const passed = await trials.attempt(draws);
  trials.made += draws.length;
  trials.silent = passed.some((outcome) => outcome !== null) ? 0 : trials.silent + 1;
  draws.forEach(({ units, reference }, i) => {
    const own = passed[i];
    if (typeof own === 'boolean') trials.outcomes.push({ units, reference, passed: own });
  });
  return passed;
}

export function outcomesUnder(
  outcomes: Trials['outcomes'],
  units: ReadonlySet<number>,
  reference: number,
): boolean[] {
  return outcomes.flatMap((outcome) =>
    outcome.reference === reference && isSameSet(outcome.units, units) ? [outcome.passed] : [],
  );
}

export function isSameSet(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && [...left].every((unit) => right.has(unit));
}
