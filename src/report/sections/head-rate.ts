import type { SuiteResult } from '../../types.ts';
import { countsForVerdict } from '../../core/gate/counts.ts';
import { wilson, type Interval } from '../../statistics/wilson.ts';

/** How a suite did on head: passes among the judged tries of what gates, with the share's 95 % interval; null where nothing was judged. */
export interface HeadRate { passes: number; tries: number; rate: number | null; interval: Interval | null }

/** Over all tries of all references that gate; a share is 0–1 (interval: Wilson). */
export function headRate({ references }: SuiteResult): HeadRate {
  const sides = references.filter(countsForVerdict).flatMap(({ head }) => head ?? []);
  const passes = sides.reduce((sum, side) => sum + side.passes, 0);
  const tries = sides.reduce((sum, side) => sum + side.tries_judged, 0);
  return { passes, tries, rate: tries === 0 ? null : passes / tries, interval: wilson({ passes, tries }) };
}
