import { sum } from '../kernel/statistics/sums.ts';

/** What broke a reference: one group of units, several together, any of several, or chance. */
export interface Hypothesis {
  relation: 'alone' | 'together' | 'either' | 'none';
  groups: readonly number[];
}

/** Which groups of units the prompt of a try has. */
export type Mix = readonly boolean[];

export interface Rates {
  intact: number;
  broken: number;
}

const MAX_GROUPS_FOR_TRIPLES = 12;

/** Prior probability that one, two or three groups are the cause. The rest is chance. */
const PRIOR = { alone: 0.62, pair: 0.24, triple: 0.04 };

/** Prior probability that references share a cause. */
const COMMON_CAUSE_PRIOR = 0.85;

export function hypothesesOf(groups: number): Weighted[] {
  const singles = [...Array(groups).keys()].map((group) => [group]);
  const extend = (sets: readonly number[][]) =>
    sets.flatMap((set) =>
      [...Array(groups).keys()]
        .filter((group) => group > (set.at(-1) ?? -1))
        .map((group) => [...set, group]),
    );
  const pairs = extend(singles);
  const triples = groups > MAX_GROUPS_FOR_TRIPLES ? [] : extend(pairs);
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

function breaks({ relation, groups }: Hypothesis, mix: Mix): boolean {
  if (relation === 'none') return false;
  return relation === 'together'
    ? groups.every((group) => mix[group])
    : groups.some((group) => mix[group]);
}

interface Weighted {
  hypothesis: Hypothesis;
  prior: number;
}

export interface Belief extends Weighted {
  /** Posterior probability (0–1) that this hypothesis explains the first reference. */
  belief: number;
  /** The posterior probability for each reference, from its own tries alone. */
  own: ReadonlyMap<number, number>;
}

/**
 * Posterior probabilities for the first reference. Other references may support a common cause, but
 * cannot outvote the first one's.
 */
export function believe<Own extends Weighted>(
  hypotheses: readonly Own[],
  rates: ReadonlyMap<number, Rates>,
  seen: readonly { mix: Mix; reference: number; passes: number; fails: number }[],
): (Own & Belief)[] {
  const candidates = hypotheses.map((weighted) => ({
    weighted,
    own: new Map<number, number>(),
    log: Math.log(weighted.prior),
  }));
  for (const [reference, { intact, broken }] of rates) {
    const mine = seen.filter((tried) => tried.reference === reference);
    const likely = candidates.map((candidate) => {
      const { hypothesis, prior } = candidate.weighted;
      const logs = mine.map(({ mix, passes, fails }) => {
        const pass = breaks(hypothesis, mix) ? broken : intact;
        return passes * Math.log(pass) + fails * Math.log(1 - pass);
      });
      return { candidate, factor: prior, log: sum(logs) };
    });
    for (const { candidate, share } of withShares(likely)) {
      const common = candidate.own.size === 0 ? 1 : COMMON_CAUSE_PRIOR;
      candidate.own.set(reference, share);
      candidate.log += Math.log((common * share) / candidate.weighted.prior + 1 - common);
    }
  }
  return withShares(candidates.map((candidate) => ({ ...candidate, factor: 1 }))).map(
    ({ weighted, own, share }) => ({ ...weighted, own, belief: share }),
  );
}

function withShares<Item extends { factor: number; log: number }>(items: readonly Item[]) {
  const most = Math.max(...items.map(({ log }) => log));
  const weighed = items.map((item) => ({
    ...item,
    share: item.factor * Math.exp(item.log - most),
  }));
  const all = sum(weighed.map(({ share }) => share));
  return weighed.map((item) => ({ ...item, share: item.share / all }));
}

/**
 * Returns the most informative prompt to try: with one group, without one group, or with likely
 * groups together.
 */
export function nextMix(beliefs: readonly Belief[], groups: number, rates: readonly Rates[]): Mix {
  const everything = Array.from({ length: groups }, (_, group) => group);
  const order = everything
    .map((group) => {
      const involving = beliefs.filter(({ hypothesis }) => hypothesis.groups.includes(group));
      return { group, involved: sum(involving.map(({ belief }) => belief)) };
    })
    .sort((a, b) => b.involved - a.involved)
    .map(({ group }) => group);
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
    const gain = rates.reduce((sum, own) => sum + informationGain(mix, likely, own), 0);
    if (best === null || gain > best.gain + 1e-12) best = { mix, gain };
  }
  return best?.mix ?? everything.map(() => true);
}

/** In bits. */
function informationGain(mix: Mix, beliefs: readonly Belief[], { intact, broken }: Rates): number {
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
