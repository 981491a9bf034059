import type { SuiteResult } from '../../types.ts';
import { countsForVerdict } from '../../core/gate/counts.ts';
import { wilson, type Interval } from '../../statistics/wilson.ts';

/**
 * How a suite did on head: its pass rate with a 95 % interval (null where nothing was judged), and
 * passes among the judged tries of what gates.
 */
export interface HeadRate {
  passes: number;
  tries: number;
  rate: number | null;
  interval: Interval | null;
}

/**
 * The rate is the suite's own, 0–1, which counts every reference alike; its interval (Wilson) is
 * that of as many tries as were judged.
 */
export function headRate({ references, pass_rate: { head: rate } }: SuiteResult): HeadRate {
  const sides = references.filter(countsForVerdict).flatMap(({ head }) => head ?? []);
  const passes = sides.reduce((sum, side) => sum + side.passes, 0);
  const tries = sides.reduce((sum, side) => sum + side.tries_judged, 0);
  return {
    passes,
    tries,
    rate,
    interval: rate === null ? null : wilson({ passes: rate * tries, tries }),
  };
}
