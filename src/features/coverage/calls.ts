import type { CallNames } from '../../money/feature-plan.ts';
import { counted } from '../../text/amounts.ts';

export const coverageCalls: CallNames = {
  certain: {
    key: 'coverage_calls',
    words: (calls) => `up to ${counted(calls, 'call')} without some of the lines`,
  },
  always: 'coverage_possible',
};
