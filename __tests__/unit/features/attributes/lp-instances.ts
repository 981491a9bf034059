import { readFileSync } from 'node:fs';

/** One assignment of attributes to references, two each, with what another solver reached. */
export interface LpInstance {
  name: string;
  /** Affinities, a row per reference. */
  scores: number[][];
  priors: number[];
  /** Bounds of each attribute, rounded outwards. */
  lower: number[];
  upper: number[];
  /** Of the bounds rounded outwards, and of the paper's own program; null: it has no solution. */
  objective: number;
  paper: number | null;
}

export const { instances: LP_INSTANCES } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/qualeval/lp-instances.json', import.meta.url), 'utf8'),
) as { instances: LpInstance[] };
