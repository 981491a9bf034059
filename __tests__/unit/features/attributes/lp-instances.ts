import { readFileSync } from 'node:fs';

/** Assignment of two attributes to each reference, with another solver's results. */
export interface LpInstance {
  name: string;
  /** Affinities, one row per reference. */
  scores: number[][];
  priors: number[];
  /** Bounds per attribute, rounded outwards. */
  lower: number[];
  upper: number[];
  /** Optimum with bounds rounded outwards, and of the paper's program; null: infeasible. */
  objective: number;
  paper: number | null;
}

export const { instances: LP_INSTANCES } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/qualeval/lp-instances.json', import.meta.url), 'utf8'),
) as { instances: LpInstance[] };
