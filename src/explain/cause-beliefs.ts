import {
  believe,
  hypothesesOf,
  type Belief,
  type Mix,
  type Rates,
} from '../statistics/cause-search.ts';
import type { Candidate, Trials } from './trials.ts';

/** What is believed of a candidate. */
export interface UnitBelief extends Belief, Candidate {
  /** Before any try. */
  prior: number;
}

/** What the proofs so far came to. */
export interface Known {
  refuted: readonly Candidate[];
  proven: readonly Candidate[];
}

/** What is left of the belief in a candidate that was put to the proof and failed. */
const REFUTED = 0.02;

/** A cause that was proven for some references is likely that of others, too. */
const PROVEN = 20;

/**
 * What is believed of every hypothesis about groups of units, after all tries of the open
 * references: those whose cause is not known yet.
 */
export function beliefsIn(
  trials: Trials,
  groups: readonly (readonly number[])[],
  open: readonly number[],
  { refuted, proven }: Known,
): UnitBelief[] {
  const seen = trials.outcomes.flatMap(({ units, reference, passed }) => {
    const own = open.indexOf(reference);
    const mix = groups.map((group) => group.every((unit) => units.has(unit)));
    return own < 0 ? [] : [{ mix, reference: own, passes: Number(passed), fails: Number(!passed) }];
  });
  const [gone, sure] = [new Set(refuted.map(keyOf)), new Set(proven.map(keyOf))];
  const candidates = hypothesesOf(groups.length).map(({ hypothesis, prior }) => {
    const units = hypothesis.groups.flatMap((group) => groups[group] ?? []);
    const key = keyOf({ relation: hypothesis.relation, units });
    const weight = gone.has(key) ? REFUTED : sure.has(key) ? PROVEN : 1;
    return { hypothesis, prior: prior * weight, units };
  });
  const sum = candidates.reduce((all, { prior }) => all + prior, 0);
  return believe(candidates, ratesOf(trials, open), seen).map((belief, i) => ({
    ...belief,
    relation: belief.hypothesis.relation,
    units: candidates[i]?.units ?? [],
    prior: (candidates[i]?.prior ?? 0) / sum,
  }));
}

export function keyOf({ relation, units }: Candidate): string {
  return JSON.stringify([relation, units]);
}

export function ratesOf({ rates }: Trials, references: readonly number[]): Rates[] {
  return references.flatMap((reference) => rates[reference] ?? []);
}

/** The units of a mix of groups. */
export function unitsOf(mix: Mix, groups: readonly (readonly number[])[]): ReadonlySet<number> {
  return new Set(groups.flatMap((group, index) => (mix[index] === true ? group : [])));
}
