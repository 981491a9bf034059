import type { Conclusion } from './types.ts';

/** 0: pass or cannot tell; 1: the gate failed; 2: nothing was judged, because of configuration or infrastructure. */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return 2;
  return conclusion === 'failure' ? 1 : 0;
}
