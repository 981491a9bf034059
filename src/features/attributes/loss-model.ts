import { at, sum } from '../../kernel/statistics/sums.ts';
import type { Counts } from '../../kernel/statistics/table.ts';

/** What is judged once: a reference, or a cluster of references. */
export interface CountedUnit {
  base: Counts;
  head: Counts;
}

/** Units that belong to an attribute. */
export type Group<Own extends CountedUnit = CountedUnit> = ReadonlySet<Own>;

/** A unit with the log likelihood of its counts by the share of base's rate that head keeps. */
export interface WeighedUnit extends CountedUnit {
  likelihoods: Float64Array;
}

/** Pass rates that a unit may have on base; 0 and 1 would rule out strays. */
const RATES = Array.from({ length: 21 }, (_, i) => 0.005 + (0.99 * i) / 20);

/** Head keeps k/40 of base's rate, k = 0 … 40. */
const STEPS = 40;

/** Shares of base's rate that an attribute may lose. */
const LOSSES = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98];

/** Share of units that may do anything, so that a single one decides nothing. */
const STRAY = 0.02;

const EM_ROUNDS = 30;

const SWEEPS = 4;

/** Adds likelihoods. Base's rates get a prior fitted to all units: 2 of 2 is not 100 %. */
export function weighUnits(units: readonly CountedUnit[]): WeighedUnit[] {
  const prior = ratePrior(units);
  const known = new Map<string, Float64Array>();
  return units.map((unit) => {
    const { base, head } = unit;
    const key = [base.passes, base.tries, head.passes, head.tries].join();
    const likelihoods = known.get(key) ?? logLikelihoods(unit, prior);
    known.set(key, likelihoods);
    return { ...unit, likelihoods };
  });
}

function ratePrior(units: readonly CountedUnit[]): number[] {
  const rows = units.map(({ base }) => RATES.map((rate) => chance(base, rate)));
  let weights = RATES.map(() => 1 / RATES.length);
  for (let round = 0; round < EM_ROUNDS; round++) {
    const next = RATES.map(() => 0.5 / RATES.length);
    for (const row of rows) {
      const all = sum(row.map((own, i) => own * at(weights, i)));
      row.forEach((own, i) => {
        next[i] = at(next, i) + (own * at(weights, i)) / all;
      });
    }
    const total = sum(next);
    weights = next.map((weight) => weight / total);
  }
  return weights;
}

function logLikelihoods({ base, head }: CountedUnit, prior: readonly number[]): Float64Array {
  const onBase = RATES.map((rate, i) => at(prior, i) * chance(base, rate));
  const kept = Array.from({ length: STEPS + 1 }, (_, k) =>
    sum(
      RATES.map((rate, i) => {
        const onHead = Math.min(0.995, Math.max(0.005, (rate * k) / STEPS));
        return at(onBase, i) * chance(head, onHead);
      }),
    ),
  );
  const anything = sum(kept) / kept.length;
  return Float64Array.from(kept, (own) => Math.log((1 - STRAY) * own + STRAY * anything));
}

function chance({ passes, tries }: Counts, rate: number): number {
  return rate ** passes * (1 - rate) ** (tries - passes);
}

export interface Fit<Own extends CountedUnit = CountedUnit> {
  logLikelihood: number;
  /** Units with the same membership, and the share of base's rate that they keep. */
  strata: { units: Own[]; kept: number }[];
}

/**
 * The most likely losses if all units lose a share f₀ and the members of each group a further one:
 * head's rate = base's × (1 − f₀) × Π (1 − f_j). Coordinate ascent over `LOSSES`.
 */
export function fitLosses<Own extends WeighedUnit>(
  units: readonly Own[],
  groups: readonly Group<Own>[],
): Fit<Own> {
  const strata = [
    ...Map.groupBy(units, (unit) => groups.map((group) => Number(group.has(unit))).join('')),
  ].map(([key, own]) => ({
    units: own,
    // The share f₀ applies to all.
    losers: [0, ...[...key].flatMap((digit, i) => (digit === '1' ? i + 1 : []))],
    sums: Float64Array.from({ length: STEPS + 1 }, (_, k) =>
      own.reduce((total, { likelihoods }) => total + at(likelihoods, k), 0),
    ),
  }));
  const losses = [0, ...groups.map(() => 0)];
  const keptBy = (losers: readonly number[]): number =>
    losers.reduce((kept, i) => kept * (1 - at(losses, i)), 1);
  const value = (): number =>
    strata.reduce(
      (total, { losers, sums }) => total + at(sums, Math.round(keptBy(losers) * STEPS)),
      0,
    );
  let best = value();
  for (let sweep = 0, before = -Infinity; sweep < SWEEPS && best - before > 1e-6; sweep++) {
    before = best;
    for (let i = losses.length - 1; i >= 0; i--) {
      let top = at(losses, i);
      for (const loss of LOSSES) {
        losses[i] = loss;
        const now = value();
        if (now > best + 1e-9) [best, top] = [now, loss];
      }
      losses[i] = top;
    }
  }
  return {
    logLikelihood: best,
    strata: strata.map(({ units: own, losers }) => ({ units: own, kept: keptBy(losers) })),
  };
}
