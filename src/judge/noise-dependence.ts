import type { SuiteResult, TryResult } from '../result/suite-result.ts';
import { pairedMean } from '../statistics/interval.ts';
import type { Notice } from '../types/plain.ts';

/** What the first two tries a side of one comparison say about how tries hang together. */
export interface Dependence {
  /** Share of pairs of tries of one side that come out alike, less that of pairs across sides. */
  repeats: number;
  /** Products of how two references changed from try to try, summed over all pairs of them. */
  together: number;
  /** Of the pairs of one side's tries, the share with the same answer, letter for letter. */
  sameAnswer: number;
}

/** A pair of judged tries of one reference on one side: 1 where it passed. */
type Pair = readonly [number, number];

/** Null where no reference has two judged tries on both sides. */
export function dependenceOf({ references }: SuiteResult): Dependence | null {
  const rows = references.flatMap(({ base, head }) => {
    const [one, other] = [pairOf(base?.tries), pairOf(head?.tries)];
    return one === null || other === null ? [] : [{ one, other, answers: [base, head] }];
  });
  if (rows.length === 0) return null;
  const alike = (a: number, b: number): number => Number(a === b);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const repeats = rows.map(
    ({ one, other }) =>
      (alike(...one) + alike(...other)) / 2 -
      (alike(one[0], other[0]) +
        alike(one[0], other[1]) +
        alike(one[1], other[0]) +
        alike(one[1], other[1])) /
        4,
  );
  const same = rows.flatMap(({ answers }) =>
    answers.map((side) => Number(side?.tries[0]?.actual === side?.tries[1]?.actual)),
  );
  return {
    repeats: mean(repeats),
    together: crossed(rows.map(({ one }) => one)) + crossed(rows.map(({ other }) => other)),
    sameAnswer: mean(same),
  };
}

function pairOf(tries: readonly TryResult[] | undefined): Pair | null {
  const [first, second] = (tries ?? []).slice(0, 2).map(({ outcome }) => outcome);
  const isJudged = (word: TryResult['outcome'] | undefined): boolean =>
    word === 'pass' || word === 'fail';
  if (!isJudged(first) || !isJudged(second)) return null;
  return [Number(first === 'pass'), Number(second === 'pass')];
}

/** Σ over pairs of references of d_i·d_j, with d the change between two tries: 0 on average if independent. */
function crossed(pairs: readonly Pair[]): number {
  const changes = pairs.map(([first, second]) => first - second);
  const sum = changes.reduce((total, change) => total + change, 0);
  return sum ** 2 - changes.reduce((total, change) => total + change ** 2, 0);
}

/** From this share of repeated answers on, they are what makes tries alike. */
const REPEATED = 0.9;

/**
 * Whether the tries of a suite are independent, over all its comparisons: a notice for each way in
 * which they are not, where the 99 % interval leaves no doubt.
 */
export function dependenceNotices(
  suite: { path: string; name: string },
  seen: readonly Dependence[],
): Notice[] {
  const isAbove = (values: readonly number[]): boolean => (pairedMean(values, 0.98)?.low ?? 0) > 0;
  const same = seen.reduce((sum, { sameAnswer }) => sum + sameAnswer, 0) / seen.length;
  const notice = (message: string): Notice => ({
    kind: 'repeats',
    place: { file: suite.path, line: 0 },
    message: `${suite.name}: ${message}`,
  });
  return [
    ...(isAbove(seen.map(({ repeats }) => repeats))
      ? [
          notice(
            `tries of one side come out alike more often than tries of both, so they are not independent and the gate is red more often than gate.alpha says; ${
              same >= REPEATED
                ? 'their answers are the same letter for letter: a cache in front of the model, or a fixed seed'
                : 'their answers differ, so something else lasts from try to try: a session, a warm state, a grader'
            }`,
          ),
        ]
      : []),
    ...(isAbove(seen.map(({ together }) => together))
      ? [
          notice(
            'references pass and fail together in the same try, so they are not independent; give those of one template the same cluster',
          ),
        ]
      : []),
  ];
}
