import { sum } from '../kernel/statistics/sums.ts';

/** What broke a reference: one unit, several together, any of several, or chance. */
export interface Candidate {
  relation: 'alone' | 'together' | 'either' | 'none';
  units: readonly number[];
}

/** The units, in groups of which a prompt has all units or none. */
interface Hypothesis extends Candidate {
  groups: readonly (readonly number[])[];
  prior: number;
}

/** A try, and the units that its prompt has. */
interface JudgedTry {
  units: ReadonlySet<number>;
  reference: number;
  passed: boolean;
}

export interface Rates {
  intact: number;
  broken: number;
}

const MAX_GROUPS_FOR_TRIPLES = 12;

/** Prior probability that one, two or three groups are the cause. The rest is chance. */
const PRIOR = { alone: 0.62, pair: 0.24, triple: 0.04 };

/** Prior probability that references share a cause. */
const COMMON_CAUSE_PRIOR = 0.85;

export function hypothesesOf(groups: Hypothesis['groups']): Hypothesis[] {
  const singles = groups.map((_, index) => [index]);
  const extend = (sets: readonly number[][]) =>
    sets.flatMap((set) =>
      singles
        .filter(([index = 0]) => index > (set.at(-1) ?? -1))
        .map((single) => [...set, ...single]),
    );
  const pairs = extend(singles);
  const triples = groups.length > MAX_GROUPS_FOR_TRIPLES ? [] : extend(pairs);
  const all = (relation: Candidate['relation'], sets: readonly number[][], share: number) =>
    sets.map((set): Hypothesis => {
      const own = set.map((index) => groups[index] ?? []);
      return { relation, units: own.flat(), groups: own, prior: share / sets.length };
    });
  const some = [
    ...all('alone', singles, PRIOR.alone),
    ...all('together', pairs, PRIOR.pair * 0.6),
    ...all('either', pairs, PRIOR.pair * 0.4),
    ...all('together', triples, PRIOR.triple * 0.6),
    ...all('either', triples, PRIOR.triple * 0.4),
  ];
  const rest = 1 - sum(some.map(({ prior }) => prior));
  return [...some, { relation: 'none', units: [], groups: [], prior: Math.max(0.05, rest) }];
}

/** Whether a prompt with the units fails, if the hypothesis is true. */
function breaks({ relation, groups }: Hypothesis, units: ReadonlySet<number>): boolean {
  const isIn = (group: readonly number[]) => group.every((unit) => units.has(unit));
  if (relation === 'none') return false;
  return relation === 'together' ? groups.every(isIn) : groups.some(isIn);
}

export interface Belief extends Hypothesis {
  /** Posterior probability (0–1) that this hypothesis explains the first reference. */
  belief: number;
  /** The posterior probability for each reference, from its own tries alone. */
  own: ReadonlyMap<number, number>;
}

/**
 * Posterior probabilities for the first reference. Other references may support a common cause, but
 * cannot outvote the first one's.
 */
export function believe(
  hypotheses: readonly Hypothesis[],
  rates: ReadonlyMap<number, Rates>,
  outcomes: readonly JudgedTry[],
): Belief[] {
  const candidates = hypotheses.map((hypothesis) => ({
    hypothesis,
    own: new Map<number, number>(),
    log: Math.log(hypothesis.prior),
  }));
  for (const [reference, { intact, broken }] of rates) {
    const mine = outcomes.filter((tried) => tried.reference === reference);
    const likely = candidates.map((candidate) => {
      const { hypothesis } = candidate;
      const logs = mine.map(({ units, passed }) => {
        const pass = breaks(hypothesis, units) ? broken : intact;
        return Math.log(passed ? pass : 1 - pass);
      });
      return { candidate, factor: hypothesis.prior, log: sum(logs) };
    });
    for (const { candidate, share } of withShares(likely)) {
      const common = candidate.own.size === 0 ? 1 : COMMON_CAUSE_PRIOR;
      candidate.own.set(reference, share);
      candidate.log += Math.log((common * share) / candidate.hypothesis.prior + 1 - common);
    }
  }
  return withShares(candidates.map((candidate) => ({ ...candidate, factor: 1 }))).map(
    ({ hypothesis, own, share }) => ({ ...hypothesis, own, belief: share }),
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
 * Returns the units of the most informative prompt to try: with one group, without one group, or
 * with likely groups together.
 */
export function nextUnits(
  beliefs: readonly Belief[],
  groups: Hypothesis['groups'],
  rates: readonly Rates[],
): ReadonlySet<number> {
  const order = groups
    .map((group) => {
      const involving = beliefs.filter((belief) => belief.groups.includes(group));
      return { group, involved: sum(involving.map(({ belief }) => belief)) };
    })
    .sort((a, b) => b.involved - a.involved)
    .map(({ group }) => group);
  const sets = [
    ...groups.map((group) => [group]),
    ...order.slice(1, -1).map((_, index) => order.slice(0, index + 2)),
    ...(groups.length > 1 ? [groups] : []),
  ];
  const likely = beliefs.filter(({ belief }) => belief > 1e-4);
  let best = { units: new Set(groups.flat()), gain: -Infinity };
  for (const set of sets)
    for (const inside of [false, true]) {
      const units = new Set(groups.filter((group) => set.includes(group) === inside).flat());
      const gain = sum(rates.map((own) => informationGain(units, likely, own)));
      if (gain > best.gain + 1e-12) best = { units, gain };
    }
  return best.units;
}

/** In bits. */
function informationGain(
  units: ReadonlySet<number>,
  beliefs: readonly Belief[],
  { intact, broken }: Rates,
): number {
  let [pass, left, all] = [0, 0, 0];
  for (const belief of beliefs) {
    const chance = breaks(belief, units) ? broken : intact;
    pass += belief.belief * chance;
    left += belief.belief * entropy(chance);
    all += belief.belief;
  }
  return all === 0 ? 0 : entropy(pass / all) - left / all;
}

/** In bits, of an event with this probability. */
export function entropy(chance: number): number {
  if (chance <= 0 || chance >= 1) return 0;
  return -(chance * Math.log2(chance) + (1 - chance) * Math.log2(1 - chance));
}
