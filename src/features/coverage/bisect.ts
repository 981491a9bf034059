import { at, sum } from '../../kernel/statistics/sums.ts';
import { entropy } from '../../trials/search.ts';
import { RATE_WITHOUT } from './pass-rate.ts';

interface Bisection {
  /** How likely each line is the one, in any unit. Lines are taken away in this order. */
  weights: readonly number[];
  /** Prior probability that no line is. */
  none: number;
  /** How often the reference passes if no line that it needs is away. */
  intact: number;
  /** Tries that exist already: how many of the first lines were away. */
  earlier: readonly { size: number; passed: boolean }[];
  tryWithout(size: number): Promise<boolean>;
  /** Whether new tries without only this line prove that it is needed. */
  prove(position: number): Promise<boolean>;
}

/** The belief at which the reference needs none of the lines. */
const CLEARED = 0.86;

/** The belief at which one line is put to the proof. */
const SUSPECTED = 0.5;

/** The belief at which a line that is not needed alone counts as the last of several. */
const SURE = 0.9;

const MOST_DRAWS = 40;

/**
 * Finds the first line whose loss, with all lines before it, breaks a reference. Tries are noisy, so
 * each makes a line more or less likely, and the next try is the one that tells most. `proven`:
 * the line is needed alone. Null if no line is needed.
 */
export async function bisect({
  weights,
  none,
  intact,
  earlier,
  tryWithout,
  prove,
}: Bisection): Promise<{ position: number; proven: boolean } | null> {
  const all = sum(weights);
  const lines = weights.length;
  let belief = [...weights.map((weight) => ((1 - none) * weight) / all), none];
  const scale = (factor: (position: number) => number) => {
    const scaled = belief.map((own, position) => own * factor(position));
    const total = sum(scaled);
    belief = scaled.map((own) => own / total);
  };
  const learn = (size: number, passed: boolean) => {
    scale((position) => {
      const rate = position < size ? RATE_WITHOUT : intact;
      return passed ? rate : 1 - rate;
    });
  };
  for (const { size, passed } of earlier) if (size > 0 || passed) learn(size, passed);
  const refuted = new Set<number>();
  for (let step = 0; step < MOST_DRAWS; step += 1) {
    if (at(belief, lines) >= CLEARED) return null;
    const position = mostLikely(belief.slice(0, lines));
    if (at(belief, position) < (refuted.has(position) ? SURE : SUSPECTED)) {
      const size = mostTelling(belief, intact);
      learn(size, await tryWithout(size));
    } else if (refuted.has(position)) return { position, proven: false };
    else if (await prove(position)) return { position, proven: true };
    else {
      refuted.add(position);
      scale((own) => (own === position ? RATE_WITHOUT : 1));
    }
  }
  return null;
}

function mostLikely(belief: readonly number[]): number {
  return belief.reduce((best, own, position) => (own > at(belief, best) ? position : best), 0);
}

/** The number of lines to take away whose try is expected to tell most. The last belief is "none". */
function mostTelling(belief: readonly number[], intact: number): number {
  let [size, most, share] = [belief.length - 1, -1, 0];
  for (let count = 1; count < belief.length; count += 1) {
    share += at(belief, count - 1);
    const passes = share * RATE_WITHOUT + (1 - share) * intact;
    const told = entropy(passes) - share * entropy(RATE_WITHOUT) - (1 - share) * entropy(intact);
    if (told > most + 1e-12) [size, most] = [count, told];
  }
  return size;
}
