import { at, sum } from '../../kernel/statistics/sums.ts';
import type { Counts } from '../../kernel/statistics/table.ts';

/** A reference, or a cluster of correlated references. */
export interface CountedUnit {
  members: readonly number[];
  base: Counts;
  head: Counts;
}

export type MemberGroup = ReadonlySet<CountedUnit>;

/** Log likelihoods of a unit's results. Index k: head keeps k / EM_STEPS of base's pass rate. */
type Likelihoods = ReadonlyMap<CountedUnit, Float64Array>;

/** Possible pass rates on base, without 0 and 1, because one exception would rule those out. */
const RATE_GRID = Array.from({ length: 21 }, (_, i) => 0.005 + (0.99 * i) / 20);

const EM_STEPS = 40;

/** Possible losses of members of an attribute, as parts of base's pass rate. */
const LOSS_GRID = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98];

/** Share of units that may change by chance. Otherwise one unit could decide the result. */
const STRAY = 0.02;

const [EM_ROUNDS, EM_SWEEPS] = [30, 4];

/** Base's pass rates get a prior fitted to all units, because 2 of 2 passes do not prove 100 %. */
export function likelihoodsOf(units: readonly CountedUnit[]): Likelihoods {
  const prior = ratePrior(units);
  const pairs = units.map((unit): [CountedUnit, Float64Array] => {
    const onBase = RATE_GRID.map((rate, i) => at(prior, i) * chance(unit.base, rate));
    const kept = Array.from({ length: EM_STEPS + 1 }, (_, k) =>
      sum(onBase.map((own, i) => own * chance(unit.head, (at(RATE_GRID, i) * k) / EM_STEPS))),
    );
    const anything = sum(kept) / kept.length;
    const log = (own: number) => Math.log((1 - STRAY) * own + STRAY * anything);
    return [unit, Float64Array.from(kept, log)];
  });
  return new Map(pairs);
}

function ratePrior(units: readonly CountedUnit[]): number[] {
  const rows = units.map(({ base }) => RATE_GRID.map((rate) => chance(base, rate)));
  let weights = RATE_GRID.map(() => 1 / RATE_GRID.length);
  for (let round = 0; round < EM_ROUNDS; round++) {
    const next = RATE_GRID.map(() => 0.5 / RATE_GRID.length);
    for (const row of rows) {
      const all = sum(row.map((own, i) => own * at(weights, i)));
      for (const [i, own] of row.entries()) next[i] = at(next, i) + (own * at(weights, i)) / all;
    }
    const total = sum(next);
    weights = next.map((weight) => weight / total);
  }
  return weights;
}

function chance({ passes, tries }: Counts, rate: number): number {
  const own = Math.max(0.005, rate);
  return own ** passes * (1 - own) ** (tries - passes);
}

export interface Fit {
  logLikelihood: number;
  strata: { units: CountedUnit[]; kept: number }[];
}

/**
 * Finds the most likely losses by coordinate ascent over `LOSS_GRID`. Head's rate = base's × (1 −
 * f₀) × Π (1 − f_j), with f₀ for all units and f_j for members of group j.
 */
export function fitLosses(likelihoods: Likelihoods, groups: readonly MemberGroup[]): Fit {
  const keyOf = (unit: CountedUnit) => groups.map((group) => Number(group.has(unit))).join('');
  const strata = [...Map.groupBy(likelihoods.keys(), keyOf)].map(([key, own]) => ({
    units: own,
    losers: [0, ...[...key].flatMap((digit, i) => (digit === '1' ? i + 1 : []))],
    sums: Float64Array.from({ length: EM_STEPS + 1 }, (_, k) =>
      own.reduce((total, unit) => total + at(likelihoods.get(unit) ?? [], k), 0),
    ),
  }));
  const losses = [0, ...groups.map(() => 0)];
  const keptBy = (losers: readonly number[]) =>
    losers.reduce((kept, i) => kept * (1 - at(losses, i)), 1);
  const value = () =>
    sum(strata.map(({ losers, sums }) => at(sums, Math.round(keptBy(losers) * EM_STEPS))));
  let best = value();
  for (let sweep = 0; sweep < EM_SWEEPS; sweep++) {
    for (let i = losses.length - 1; i >= 0; i--) {
      let top = at(losses, i);
      for (const loss of LOSS_GRID) {
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
