import type { Answer } from './answer.ts';
import type { MeteredUsage, Request } from './model.ts';

/**
 * What a request has cost. `unknown`: it may have been paid for, but no reply says how much. The
 * length of `parts` counts if a reply does not report usage.
 */
export type Bill = (MeteredUsage & Partial<Pick<Answer, 'parts'>>) | 'nothing' | 'unknown';

/** Money that is reserved for a request. Only the first bill counts. */
export interface Hold {
  settle(bill: Bill): void;
}

/**
 * Called immediately before requests leave, including retries. Waits until the first of them may
 * leave, and returns holds for those that may leave now. Empty: the budget is used up.
 */
export type Reserve = (requests: readonly Request[]) => Promise<readonly Hold[]>;
