import { changeEvidence, ERROR_RATE } from '../../../../src/features/noise/evidence.ts';
import { createRandom, nextFloat, type Random } from '../../../../src/kernel/statistics/random.ts';
import type { Counts } from '../../../../src/kernel/statistics/table.ts';

const TRIES = 3;
const WEEKS = 52;

function week(rates: readonly number[], random: Random): Counts {
  let passes = 0;
  for (const rate of rates)
    for (let tried = 0; tried < TRIES; tried += 1) passes += Number(nextFloat(random) < rate);
  return { passes, tries: rates.length * TRIES };
}

/** Weeks until a change is reported; null if none is. */
function weeksToReport(
  ratesIn: (week: number) => readonly number[],
  weeks: number,
  random: Random,
): number | null {
  const days: Counts[] = [];
  for (let at = 0; at < weeks; at += 1) {
    days.push(week(ratesIn(at), random));
    if (changeEvidence(days).value >= 1 / ERROR_RATE) return at;
  }
  return null;
}

describe('evidence of a changed model', () => {
  const mixed = [0.99, 0.9, 0.7, 0.5, 0.2];
  const kinds = {
    'tests that nearly always pass': Array.from({ length: 20 }, () => 0.98),
    'tests of different difficulty': Array.from({ length: 20 }, (_, at) => mixed[at % 5] ?? 0),
    coins: Array.from({ length: 50 }, () => 0.5),
  };

  test.each(Object.entries(kinds))(
    'reports at most 1 of 100 unchanged suites in a year of weekly runs: %s',
    (kind, rates) => {
      const random = createRandom(kind);
      const suites = 2000;
      const reported = Array.from({ length: suites }, () =>
        weeksToReport(() => rates, WEEKS, random),
      ).filter((found) => found !== null).length;
      expect(reported).toBeLessThanOrEqual(suites * ERROR_RATE);
    },
  );

  test.each([
    [2, 4],
    [4, 2],
    [26, 2],
  ])(
    'reports a drop from 90 %% to 60 %% of 20 tests after %i weeks within %i more weeks',
    (before, weeks) => {
      const random = createRandom(`drop ${before}`);
      const ratesIn = (at: number) => Array.from({ length: 20 }, () => (at < before ? 0.9 : 0.6));
      const found = Array.from({ length: 200 }, () =>
        weeksToReport(ratesIn, before + weeks, random),
      ).filter((at) => at !== null && at >= before);
      expect(found.length).toBeGreaterThanOrEqual(0.9 * 200);
    },
  );

  test('finds the first day after the change, in both directions', () => {
    const [many, few] = [
      { passes: 54, tries: 60 },
      { passes: 30, tries: 60 },
    ];
    expect(changeEvidence([many, many, many, few, few]).since).toBe(3);
    expect(changeEvidence([few, few, many, many]).value).toBeGreaterThan(100);
    expect(changeEvidence([many]).value).toBe(0);
  });
});
