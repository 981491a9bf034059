import type { WaitingBatches } from '../../types/plain.ts';
import type { HaltCode } from '../result/reason.ts';

/** If more than this share of tries end in an error, the run is red and nothing is judged. */
export const MAX_ERROR_SHARE = 0.1;

export interface Halt {
  code: HaltCode;
  why: string;
  cap?: 'max_calls' | 'max_cost_usd';
  /** The run cost more than its cap. It then fails, even if it has all its answers. */
  isPassed?: true;
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
