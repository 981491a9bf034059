/**
 * What may have broken a reference: a set of groups of units, of which one alone does it, all only
 * together, or each by itself; or nothing did, and the reference fell by chance.
 */
export interface Hypothesis {
  relation: 'alone' | 'together' | 'either' | 'none';
  groups: readonly number[];
}

/** A prompt between base and head: by group, whether head's units of it are in. */
export type Mix = readonly boolean[];

/** How often a reference passed under one mix. */
interface Seen {
  mix: Mix;
  reference: number;
  passes: number;
  fails: number;
}

/** Chances that a reference passes while nothing has broken it, and once something has. */
export interface Rates {
  intact: number;
  broken: number;
}

/** More groups than this are searched for pairs only. */
const MOST_FOR_TRIPLES = 12;

/** What is believed before anything was tried; what is left is "nothing did". */
const PRIOR = { alone: 0.62, pair: 0.24, triple: 0.04 };

/** The share of references of which it is believed that they share one cause. */
const SHARED = 0.85;

/** Every hypothesis about so many groups, with what is believed of it beforehand. */
export function hypothesesOf(groups: number): { hypothesis: Hypothesis; prior: number }[] {
  const singles = [...Array(groups).keys()].map((group) => [group]);
  const extend = (sets: readonly number[][]): number[][] =>
    sets.flatMap((set) =>
      [...Array(groups).keys()]
        .filter((group) => group > (set.at(-1) ?? -1))
        .map((group) => [...set, group]),
    );
  const pairs = extend(singles);
  const triples = groups > MOST_FOR_TRIPLES ? [] : extend(pairs);
  const several = (sets: readonly number[][], share: number) =>
    (['together', 'either'] as const).flatMap((relation) =>
      sets.map((own) => ({
        hypothesis: { relation, groups: own },
        prior: (share * (relation === 'together' ? 0.6 : 0.4)) / sets.length,
      })),
    );
  const some = [
    ...singles.map((own) => ({
      hypothesis: { relation: 'alone' as const, groups: own },
      prior: PRIOR.alone / groups,
    })),
    ...several(pairs, PRIOR.pair),
    ...several(triples, PRIOR.triple),
  ];
  const all = some.reduce((sum, { prior }) => sum + prior, 0);
  return [
    ...some,
    { hypothesis: { relation: 'none', groups: [] }, prior: Math.max(0.05, 1 - all) },
  ];
}

/** Whether this mix breaks a reference under the hypothesis. */
function breaks({ relation, groups }: Hypothesis, mix: Mix): boolean {
  if (relation === 'none') return false;
  return relation === 'together'
    ? groups.every((group) => mix[group])
    : groups.some((group) => mix[group]);
}

/** What is believed after what was seen. */
export interface Belief {
  hypothesis: Hypothesis;
  /** That the first reference broke by it, 0–1. */
  belief: number;
  /** By reference: that this one did, 0–1, from its own tries alone. */
  own: number[];
}

/**
 * What is believed of what broke the first reference. The others speak for the same cause, yet each
 * of them may have one of its own: what contradicts the first cannot outvote it.
 */
export function believe(
  hypotheses: readonly { hypothesis: Hypothesis; prior: number }[],
  rates: readonly Rates[],
  seen: readonly Seen[],
): Belief[] {
  const byReference = rates.map((own, reference) => {
    const mine = seen.filter((tried) => tried.reference === reference);
    const logs = hypotheses.map(({ hypothesis }) =>
      mine.reduce((sum, { mix, passes, fails }) => {
        const pass = breaks(hypothesis, mix) ? own.broken : own.intact;
        return sum + passes * Math.log(pass) + fails * Math.log(1 - pass);
      }, 0),
    );
    const most = Math.max(...logs);
    const weights = hypotheses.map(({ prior }, h) => prior * Math.exp((logs[h] ?? most) - most));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return { weights, all };
  });
  const shared = hypotheses.map(({ prior }, h) =>
    byReference.reduce((sum, { weights, all }, reference) => {
      const share = reference === 0 ? 1 : SHARED;
      return sum + Math.log((share * (weights[h] ?? 0)) / (prior * all) + 1 - share);
    }, Math.log(prior)),
  );
  const most = Math.max(...shared);
  const scaled = shared.map((log) => Math.exp(log - most));
  const sum = scaled.reduce((total, value) => total + value, 0);
  return hypotheses.map(({ hypothesis }, h) => ({
    hypothesis,
    belief: (scaled[h] ?? 0) / sum,
    own: byReference.map(({ weights, all }) => (weights[h] ?? 0) / all),
  }));
}

/**
 * The mix whose next try tells most about what is believed, of: each group left out, each alone,
 * and the likelier groups left out or put in together, in halves and other parts.
 */
export function nextMix(beliefs: readonly Belief[], groups: number, rates: readonly Rates[]): Mix {
  const involved = Array.from({ length: groups }, () => 0);
  for (const { hypothesis, belief } of beliefs)
    for (const group of hypothesis.groups) involved[group] = (involved[group] ?? 0) + belief;
  const order = [...involved.keys()].sort(
    (a, b) => (involved[b] ?? 0) - (involved[a] ?? 0) || a - b,
  );
  const everything = Array.from({ length: groups }, (_, group) => group);
  const withOnly = (chosen: ReadonlySet<number>, inside: boolean): Mix =>
    everything.map((group) => chosen.has(group) === inside);
  const sets = [
    ...everything.map((group) => new Set([group])),
    ...order.slice(1, -1).map((_, index) => new Set(order.slice(0, index + 2))),
    ...(groups > 1 ? [new Set(everything)] : []),
  ];
  const mixes = sets.flatMap((set) => [withOnly(set, false), withOnly(set, true)]);
  const likely = beliefs.filter(({ belief }) => belief > 1e-4);
  let best: { mix: Mix; gain: number } | null = null;
  for (const mix of mixes) {
    const gain = rates.reduce((sum, own) => sum + gainOf(mix, likely, own), 0);
    if (best === null || gain > best.gain + 1e-12) best = { mix, gain };
  }
  return best?.mix ?? everything.map(() => true);
}

/** Bits that one try is expected to tell. */
function gainOf(mix: Mix, beliefs: readonly Belief[], { intact, broken }: Rates): number {
  let [pass, left, all] = [0, 0, 0];
  for (const { hypothesis, belief } of beliefs) {
    const chance = breaks(hypothesis, mix) ? broken : intact;
    pass += belief * chance;
    left += belief * entropy(chance);
    all += belief;
  }
  return all === 0 ? 0 : entropy(pass / all) - left / all;
}

function entropy(chance: number): number {
  if (chance <= 0 || chance >= 1) return 0;
  return -(chance * Math.log2(chance) + (1 - chance) * Math.log2(1 - chance));
}
