import { describe, test } from '@jest/globals';
import { expectNoGreenAfter, type Fault, type Moment } from '../system/end-to-end/faults.ts';

describe('a restarted run of a commit that was green', () => {
  // faults.test.ts covers every fault at every moment.
  test.each<[Fault, Moment]>([
    ['kill -9', 'asking'],
    ['SIGTERM', 'asking'],
    ['internal error', 'asking'],
    ['internal error', 'publishing'],
  ])('does not leave a green check after %s in the phase %s', expectNoGreenAfter);
});
