import { differenceInterval } from '../../kernel/statistics/interval.ts';
import { estimatePassCounts, afterTry, type Bet } from './pass-rate.ts';
import type { AskWithout, Covered, CoverInput } from './search.ts';

/** Largest possible loss of a shorter prompt that is shown: 10 points of the pass rate. */
const MOST_LOSS = 0.1;

/** Tries of each reference, until the loss is small enough. */
const TRY_STEPS = [2, 4, 6];

/** The search has cleared each reference before. If its tries now fail, it gets more of them. */
const OPEN_ODDS = 0.3;
const MOST_NEW_TRIES = 12;

const BROKEN_ODDS = 20;

/**
 * New tries of all usable references without these lines. `loss`: the most that the pass rate may
 * have fallen (0–1, with 95 % confidence). Returns a reason, as a clause, if that is too much.
 */
export async function lossWithout(
  lines: readonly number[],
  { stored }: Pick<CoverInput, 'stored'>,
  { usable }: Pick<Covered, 'usable'>,
  askWithout: AskWithout,
): Promise<{ loss: number; tries: number } | string> {
  const units = new Set(lines);
  const counts = stored.map((own) => ({
    passes: own.filter(({ passed }) => passed).length,
    tries: own.length,
  }));
  const rates = estimatePassCounts(counts);
  const tests = usable.flatMap((reference) => {
    const { [reference]: base } = counts;
    const { [reference]: rate } = rates;
    if (base === undefined || rate === undefined) return [];
    const bet: Bet = { rate, odds: 1 };
    return [{ reference, base, head: { passes: 0, tries: 0 }, bet }];
  });
  for (const tries of TRY_STEPS) {
    for (;;) {
      const open = tests.filter(
        ({ head, bet }) =>
          head.tries < tries || (bet.odds > OPEN_ODDS && head.tries < MOST_NEW_TRIES),
      );
      if (open.length === 0) break;
      const answers = await askWithout(open.map(({ reference }) => ({ units, reference })));
      for (const [at, test] of open.entries()) {
        const answer = answers[at] ?? null;
        if (answer === null) return 'some tries without these lines were not judged';
        test.head.tries += 1;
        if (answer.passed) test.head.passes += 1;
        test.bet = afterTry(test.bet, answer.passed);
        if (test.bet.odds >= BROKEN_ODDS) return 'a test fails if all of these lines are away';
      }
    }
    const loss = Math.max(0, -(differenceInterval(tests)?.low ?? -1));
    if (loss <= MOST_LOSS) return { loss, tries };
  }
  return 'too few tests pass every time to exclude that more than 10 of 100 answers are lost';
}
