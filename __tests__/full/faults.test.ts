import { describe, test } from '@jest/globals';
import { expectNoGreenAfter, FAULTS, MOMENTS } from '../system/end-to-end/faults.ts';

describe('a restarted run of a commit that was green', () => {
  test.each(MOMENTS.flatMap((moment) => FAULTS.map((fault) => [fault, moment] as const)))(
    'does not leave a green check after %s in the phase %s',
    expectNoGreenAfter,
  );
});
