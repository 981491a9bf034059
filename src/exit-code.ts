import type { Conclusion } from './types.ts';

/** Of the command line: what the user has to mend, and what is broken. */
export const NOT_JUDGED = 2;

/**
 * 0: pass or cannot tell; 1: the gate failed; 2: nothing was judged, because of configuration or
 * infrastructure.
 */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return NOT_JUDGED;
  return conclusion === 'failure' ? 1 : 0;
}
