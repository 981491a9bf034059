import type { WaitingBatches } from '../../types/plain.ts';
import type { HaltCode } from '../result/reason.ts';

export interface Halt {
  code: HaltCode;
  /** In words. */
  why: string;
  /** The cap that was reached; absent: another end. */
  cap?: 'max_calls' | 'max_cost_usd';
  /** Batches that vendors go on with, for a later run to pick up; absent: there are none. */
  waiting?: WaitingBatches;
}

/** Tries not made, grades of answers that had come, and further rounds that were wanted. */
export interface Unmade {
  tries: number;
  grades: number;
  rounds: number;
}

export function incomplete({ tries, grades, rounds }: Unmade): boolean {
  return tries + grades + rounds > 0;
}
