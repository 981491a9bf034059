import { differenceInterval } from '../../kernel/statistics/interval.ts';
import type { Table } from '../../kernel/statistics/table.ts';
import { estimatePassCounts, afterTry, type Bet } from './pass-rate.ts';
import { countAnswers, type AskWithout, type Covered, type CoverInput } from './search.ts';

/** Largest possible loss of a shorter prompt that is shown: 10 points of the pass rate. */
const MOST_LOSS = 0.1;

/** Tries of each reference, until the loss is small enough. */
export const MOST_ROUND_TRIES = 6;
const TRY_STEPS = [2, 4, MOST_ROUND_TRIES];

/** The search has cleared each reference before. If its tries now fail, it gets more of them. */
const OPEN_ODDS = 0.3;
const MOST_NEW_TRIES = 12;

const BROKEN_ODDS = 20;

const TOO_FEW =
  'too few tests pass every time to exclude that more than 10 of 100 answers are lost';

export const UNJUDGED_TRIES = 'some tries without these lines were not judged';

/**
 * New tries of all references without these lines. A usable one that breaks ends them. `loss`: the
 * most that the pass rate may have fallen (0–1, with 95 % confidence). Returns a reason, as a
 * clause, if that is too much.
 */
export async function lossWithout(
  lines: readonly number[],
  { stored }: Pick<CoverInput, 'stored'>,
  { usable }: Pick<Covered, 'usable'>,
  askWithout: AskWithout,
): Promise<{ loss: number; tries: number } | string> {
  const tests = startTests(stored, usable);
  const best = { passes: MOST_ROUND_TRIES, tries: MOST_ROUND_TRIES };
  if (lossOf(tests.map((test) => ({ ...test, head: best }))) > MOST_LOSS) return TOO_FEW;
  for (const tries of TRY_STEPS) {
    const stopped = await tryTests(tests, tries, new Set(lines), askWithout);
    if (stopped !== null) return stopped;
    const loss = lossOf(tests);
    if (loss <= MOST_LOSS) return { loss, tries };
  }
  return TOO_FEW;
}

function lossOf(tests: readonly Table[]): number {
  return Math.max(0, -(differenceInterval(tests)?.low ?? -1));
}

type Tested = ReturnType<typeof startTests>[number];

/** Until each test has so many tries. Returns why no further try helps. */
async function tryTests(
  tests: readonly Tested[],
  tries: number,
  units: ReadonlySet<number>,
  askWithout: AskWithout,
): Promise<string | null> {
  const isOpen = ({ head, bet }: Tested): boolean =>
    head.tries < tries || ((bet?.odds ?? 0) > OPEN_ODDS && head.tries < MOST_NEW_TRIES);
  for (;;) {
    const open = tests.filter(isOpen);
    if (open.length === 0) return null;
    const answers = await askWithout(open.map(({ reference }) => ({ units, reference })));
    for (const [at, test] of open.entries()) {
      const answer = answers[at] ?? null;
      if (answer === null) return UNJUDGED_TRIES;
      test.head.tries += 1;
      if (answer.passed) test.head.passes += 1;
      test.bet &&= afterTry(test.bet, answer.passed);
    }
    if (tests.some(({ bet }) => bet !== null && bet.odds >= BROKEN_ODDS))
      return 'a test fails if all of these lines are away';
  }
}

function startTests(stored: CoverInput['stored'], usable: readonly number[]) {
  const counts = countAnswers(stored);
  const rates = estimatePassCounts(counts);
  return counts.flatMap((base, reference) => {
    const { [reference]: rate = { passes: 1, fails: 1 } } = rates;
    const bet: Bet | null = usable.includes(reference) ? { rate, odds: 1 } : null;
    return base.tries === 0 ? [] : [{ reference, base, head: { passes: 0, tries: 0 }, bet }];
  });
}
