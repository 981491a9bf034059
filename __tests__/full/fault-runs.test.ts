import { describe, test } from '@jest/globals';
import { expectNoGreenAfter, type Fault, type Moment } from '../system/end-to-end/faults.ts';

describe('a run that is started again where its commit was green', () => {
  // Every fault at every moment: `__tests__/full`.
  test.each<[Fault, Moment]>([
    ['kill -9', 'asking'],
    ['SIGTERM', 'asking'],
    ['internal error', 'asking'],
    ['internal error', 'publishing'],
  ])('leaves no green after %s at %s', expectNoGreenAfter);
});
