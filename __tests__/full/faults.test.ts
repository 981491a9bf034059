import { expectNoGreenAfter, FAULTS, MOMENTS } from '../system/end-to-end/faults.ts';

describe('a second run of a commit whose check was green', () => {
  test.each(MOMENTS.flatMap((moment) => FAULTS.map((fault) => [fault, moment] as const)))(
    'does not leave the check green if it is stopped by %s in the phase %s',
    expectNoGreenAfter,
  );
});
