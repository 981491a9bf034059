import { type PairedTry, jointEValue } from '../kernel/statistics/e-values.ts';
import { sum } from '../kernel/statistics/sums.ts';
import type { Counts } from '../kernel/statistics/table.ts';
import { type Belief, type Candidate, type Rates, believe, hypothesesOf } from './search.ts';
import {
  type TrialsEnd,
  type FoundCause,
  type Trials,
  drawTries,
  isSameSet,
  outcomesUnder,
} from './trials.ts';

/** A candidate whose posterior probability falls below this is abandoned. */
const MIN_PROOF_BELIEF = 0.15;

const PER_ROUND = 5;

/** Prior probability that the cause also explains another reference. */
const SAME_CAUSE_PRIOR = 0.75;

/** References that the cause explains with a lower posterior probability are not tried. */
const MIN_SHARE = 0.5;

interface Case {
  open: readonly number[];
  beliefs(): Belief[];
  failures: number;
}

/** The units of two prompts. Only `failing` has the suspected unit. */
interface Contrast {
  passing: ReadonlySet<number>;
  failing: ReadonlySet<number>;
}

/**
 * Tests a candidate with new tries. The first test may use half of alpha (the error rate), and
 * after each failed test, the next may use half as much.
 */
export async function prove(
  trials: Trials,
  candidate: Candidate,
  { open, beliefs, failures }: Case,
): Promise<FoundCause | TrialsEnd | 'doubted'> {
  const { relation, units } = candidate;
  if (relation === 'none') return 'doubted';
  const contrasts = contrastsOf(relation, units, trials.units);
  const prompts = distinct(contrasts.flatMap(({ passing, failing }) => [passing, failing]));
  const before = { made: trials.made, outcomes: trials.outcomes.length };
  const shares = sharesOf(candidate, beliefs(), open);
  const likely = likeliest(shares);
  const chosen = likely.slice(0, PER_ROUND);
  if (chosen.length === 0) return 'doubted';
  let going = chosen;
  const rates = meanRates([...ratesFor(trials, chosen).values()]);
  const round = (own: readonly number[]) =>
    drawTries(
      trials,
      own.flatMap((reference) => prompts.map((mix) => ({ units: mix, reference }))),
    );
  const needed = 2 ** (failures + 1) / trials.alpha;
  let weakest = 0;
  while (weakest < needed) {
    const made = await round(going);
    if (typeof made === 'string') return made;
    const fresh = trials.outcomes.slice(before.outcomes);
    weakest = Math.min(
      ...contrasts.map((contrast) =>
        jointEValue(
          chosen.map((reference) => ({
            pairs: pairsOf(fresh, contrast, reference),
            share: shares.get(reference) ?? 0.5,
          })),
          rates,
        ),
      ),
    );
    const now = beliefs();
    const belief =
      now.find((known) => candidateKey(known) === candidateKey(candidate))?.belief ?? 0;
    const left = sharesOf(candidate, now, open);
    going = chosen.filter((reference) => (left.get(reference) ?? 0) >= MIN_SHARE);
    if (weakest < needed && (belief < MIN_PROOF_BELIEF || going.length === 0)) return 'doubted';
  }
  await round(likely.slice(PER_ROUND));
  const end = sharesOf(candidate, beliefs(), open);
  const own = likely.filter((reference) => (end.get(reference) ?? 0) >= MIN_SHARE);
  return {
    relation,
    units,
    references: own.map((reference) => ({
      reference,
      ...contrastCounts(trials.outcomes, contrasts, reference),
    })),
    held: { references: 0, of: 0 },
    p: Math.min(1, needed / weakest) * trials.alpha,
    tries: trials.made - before.made,
  };
}

function contrastsOf(
  relation: FoundCause['relation'],
  named: readonly number[],
  units: number,
): Contrast[] {
  const all = Array.from({ length: units }, (_, unit) => unit);
  const without = (left: readonly number[]): ReadonlySet<number> =>
    new Set(all.filter((unit) => !left.includes(unit)));
  return named.map((unit) =>
    relation === 'either'
      ? { passing: without(named), failing: new Set([unit]) }
      : { passing: without([unit]), failing: new Set(named) },
  );
}

function distinct(sets: readonly ReadonlySet<number>[]): ReadonlySet<number>[] {
  return sets.filter((set, index) => sets.findIndex((other) => isSameSet(set, other)) === index);
}

function likeliest(shares: ReadonlyMap<number, number>): number[] {
  return [...shares]
    .filter(([, share]) => share >= MIN_SHARE)
    .sort(([, a], [, b]) => b - a)
    .map(([reference]) => reference);
}

function sharesOf(
  candidate: Candidate,
  beliefs: readonly Belief[],
  open: readonly number[],
): Map<number, number> {
  const found = beliefs.find((belief) => candidateKey(belief) === candidateKey(candidate));
  return new Map(
    open.map((reference) => {
      const ratio = SAME_CAUSE_PRIOR * ((found?.own.get(reference) ?? 0) / (found?.prior ?? 1));
      return [reference, ratio / (ratio + 1 - SAME_CAUSE_PRIOR)];
    }),
  );
}

function meanRates(rates: readonly Rates[]): Rates {
  const mean = (pick: (own: Rates) => number) => sum(rates.map(pick)) / Math.max(1, rates.length);
  return { intact: mean(({ intact }) => intact), broken: mean(({ broken }) => broken) };
}

function pairsOf(
  outcomes: Trials['outcomes'],
  { passing, failing }: Contrast,
  reference: number,
): PairedTry[] {
  const good = outcomesUnder(outcomes, passing, reference);
  const bad = outcomesUnder(outcomes, failing, reference);
  const tries = Math.min(good.length, bad.length);
  return Array.from({ length: tries }, (_, at) => ({
    base: good[at] === true,
    head: bad[at] === true,
  }));
}

function contrastCounts(
  outcomes: Trials['outcomes'],
  contrasts: readonly Contrast[],
  reference: number,
) {
  const count = (which: keyof Contrast): Counts => {
    const own = distinct(contrasts.map((contrast) => contrast[which])).flatMap((units) =>
      outcomesUnder(outcomes, units, reference),
    );
    return { passes: own.filter(Boolean).length, tries: own.length };
  };
  return { restored: count('passing'), broken: count('failing') };
}

export interface ProofState {
  refuted: readonly Candidate[];
  proven: readonly Candidate[];
}

/** Multiplies the prior probability of a candidate after a failed test. */
const REFUTED_FACTOR = 0.02;

/** Multiplies the prior probability of a proved cause, which probably explains other references. */
const PROVEN_FACTOR = 20;

export function beliefsIn(
  trials: Trials,
  groups: readonly (readonly number[])[],
  open: readonly number[],
  { refuted, proven }: ProofState,
): Belief[] {
  const [gone, sure] = [new Set(refuted.map(candidateKey)), new Set(proven.map(candidateKey))];
  const candidates = hypothesesOf(groups).map((hypothesis) => {
    const key = candidateKey(hypothesis);
    const weight = gone.has(key) ? REFUTED_FACTOR : sure.has(key) ? PROVEN_FACTOR : 1;
    return { ...hypothesis, prior: hypothesis.prior * weight };
  });
  const all = sum(candidates.map(({ prior }) => prior));
  return believe(candidates, ratesFor(trials, open), trials.outcomes).map((belief) => ({
    ...belief,
    prior: belief.prior / all,
  }));
}

export function candidateKey({ relation, units }: Candidate): string {
  return JSON.stringify([relation, units]);
}

export function ratesFor({ rates }: Trials, references: readonly number[]): Map<number, Rates> {
  return new Map(
    references.flatMap((reference) => {
      const own = rates.get(reference);
      return own === undefined ? [] : [[reference, own]];
    }),
  );
}
