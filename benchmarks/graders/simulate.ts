import { newcombe } from '../../src/features/conversations/evaluator-tests.ts';
import {
  correctedDifference,
  roganGladenInterval,
} from '../../src/features/graders/grader-error.ts';
import { normalQuantile } from '../../src/kernel/statistics/distributions.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { mean, sum } from '../../src/kernel/statistics/sums.ts';
import type { Counts } from '../../src/kernel/statistics/table.ts';

export const CONFIDENCE = 0.95;

/** A grader, the answers that it judges, and the answers that people label. */
export interface Law {
  /** Shares of good and of bad answers that the grader recognises. */
  good: number;
  bad: number;
  /** True share of good answers on base and head. */
  base: number;
  head: number;
  answers: number;
  labels: number;
}

/** `sample`: a random sample of the run's own answers. `examples`: half good, half bad. */
export type LabelSource = 'sample' | 'examples';

export type Method = 'Rogan-Gladen' | 'PPI++';

interface Labelled {
  isGood: boolean;
  passes: boolean;
}

type Interval = { low: number; high: number } | null;

interface Drawn {
  judged: boolean[];
  labelled: Labelled[];
}

/** For head's rate and for the change: whether the interval contains the truth, and its width. */
export interface Seen {
  rate: { covers: boolean; width: number };
  change: { covers: boolean; width: number };
}

export function estimate(law: Law, source: LabelSource, method: Method, random: Random): Seen {
  const base = draw(law, law.base, source, random);
  const head = draw(law, law.head, source, random);
  const [rate, change] =
    method === 'PPI++'
      ? [intervalOf(predictionPowered(head), 0), between(base, head)]
      : corrected(base, head);
  return { rate: seen(rate, law.head), change: seen(change, law.head - law.base) };
}

/** Without an interval, the report makes no claim, so a missing one counts as right. */
function seen(interval: Interval, truth: number): Seen['rate'] {
  if (interval === null) return { covers: true, width: 1 };
  const { low, high } = interval;
  return { covers: low <= truth && truth <= high, width: high - low };
}

function draw(
  { good, bad, answers, labels }: Law,
  rate: number,
  source: LabelSource,
  random: Random,
): Drawn {
  const answer = (isGood: boolean): Labelled => ({
    isGood,
    passes: nextFloat(random) < (isGood ? good : 1 - bad),
  });
  const own = (): Labelled => answer(nextFloat(random) < rate);
  return {
    judged: Array.from({ length: answers }, () => own().passes),
    labelled: Array.from({ length: labels }, (_, index) =>
      source === 'sample' ? own() : answer(index % 2 === 0),
    ),
  };
}

function corrected(base: Drawn, head: Drawn): [Interval, Interval] {
  const counts = (isGood: boolean): Counts => {
    const own = head.labelled.filter((each) => each.isGood === isGood);
    return { tries: own.length, passes: own.filter(({ passes }) => passes === isGood).length };
  };
  const passesOf = ({ judged }: Drawn): Counts => ({
    tries: judged.length,
    passes: judged.filter(Boolean).length,
  });
  const [before, after] = [passesOf(base), passesOf(head)];
  const observed = newcombe(after, before, CONFIDENCE);
  const difference = after.passes / after.tries - before.passes / before.tries;
  return [
    roganGladenInterval(after, counts(true), counts(false), CONFIDENCE),
    observed === null
      ? null
      : correctedDifference({ difference, ...observed }, counts(true), counts(false), CONFIDENCE),
  ];
}

interface Estimate {
  rate: number;
  variance: number;
}

/**
 * Angelopoulos, Duchi and Zrnic 2023 (PPI++): corrects the grader's rate by the labelled sample,
 * with the weight of least variance. Half an answer of each kind is added, so that few labels do
 * not give a variance of 0.
 */
function predictionPowered({ judged, labelled }: Drawn): Estimate {
  const cells = [true, false].flatMap((isGood) =>
    [true, false].map((passes) => ({ isGood, passes })),
  );
  const items = [
    ...labelled.map((item) => ({ item, weight: 1 })),
    ...cells.map((item) => ({ item, weight: 0.5 })),
  ];
  const total = sum(items.map(({ weight }) => weight));
  const meanOf = (value: (item: Labelled) => number): number =>
    sum(items.map(({ item, weight }) => weight * value(item))) / total;
  const [good, pass] = [meanOf(({ isGood }) => +isGood), meanOf(({ passes }) => +passes)];
  const shared = meanOf(({ isGood, passes }) => (+isGood - good) * (+passes - pass));
  const spread = meanOf(({ passes }) => (+passes - pass) ** 2);
  const ratio = labelled.length / judged.length;
  const weight = Math.min(1, Math.max(0, shared / (spread * (1 + ratio))));
  const judgedRate = (sum(judged.map(Number)) + 1) / (judged.length + 2);
  const residual = ({ isGood, passes }: Labelled): number => +isGood - weight * +passes;
  const left = meanOf(residual);
  return {
    rate: weight * judgedRate + left,
    variance:
      (weight ** 2 * judgedRate * (1 - judgedRate)) / judged.length +
      meanOf((item) => (residual(item) - left) ** 2) / labelled.length,
  };
}

function intervalOf({ rate, variance }: Estimate, least = -1): Interval {
  const reach = normalQuantile((1 + CONFIDENCE) / 2) * Math.sqrt(variance);
  return { low: Math.max(least, rate - reach), high: Math.min(1, rate + reach) };
}

function between(base: Drawn, head: Drawn): Interval {
  const [before, after] = [predictionPowered(base), predictionPowered(head)];
  const variance = before.variance + after.variance;
  return intervalOf({ rate: after.rate - before.rate, variance });
}

export interface Share {
  covered: number;
  width: number;
}

export function measureGrader(
  law: Law,
  source: LabelSource,
  method: Method,
  { runs, random }: { runs: number; random: Random },
): Record<keyof Seen, Share> {
  const all = Array.from({ length: runs }, () => estimate(law, source, method, random));
  const share = (of: keyof Seen): Share => ({
    covered: mean(all.map((each) => (each[of].covers ? 1 : 0))),
    width: mean(all.map((each) => each[of].width)),
  });
  return { rate: share('rate'), change: share('change') };
}
