import { describe, test } from '@jest/globals';
import { expectNoGreenAfter, type Fault, type Moment } from '../system/end-to-end/faults.ts';

describe('a second run of a commit whose check was green', () => {
  // faults.test.ts covers every fault at every moment.
  test.each<[Fault, Moment]>([
    ['kill -9', 'asking'],
    ['SIGTERM', 'asking'],
    ['internal error', 'asking'],
    ['internal error', 'publishing'],
  ])('does not leave the check green if it is stopped by %s in the phase %s', expectNoGreenAfter);
});
