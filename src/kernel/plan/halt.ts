import type { WaitingBatches } from '../../types/plain.ts';
import type { HaltCode } from '../result/reason.ts';

/** If more than this share of tries fail with an error, nothing is judged and the run is red. */
export const MAX_ERROR_SHARE = 0.1;

export interface Halt {
  code: HaltCode;
  why: string;
  cap?: 'max_calls' | 'max_cost_usd';
  /** A later run collects them. */
  waiting?: WaitingBatches;
}

export interface Unmade {
  tries: number;
  grades: number;
  rounds: number;
}

export function incomplete({ tries, grades, rounds }: Unmade): boolean {
  return tries + grades + rounds > 0;
}
