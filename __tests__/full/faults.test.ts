import { describe, test } from '@jest/globals';
import { expectNoGreenAfter, FAULTS, MOMENTS } from '../system/end-to-end/faults.ts';

describe('a run that is started again where its commit was green', () => {
  test.each(MOMENTS.flatMap((moment) => FAULTS.map((fault) => [fault, moment] as const)))(
    'leaves no green after %s at %s',
    expectNoGreenAfter,
  );
});
