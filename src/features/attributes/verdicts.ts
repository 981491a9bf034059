import { formClusters, type ClusteredTries } from '../../kernel/statistics/clusters.ts';
import { contrast } from '../../kernel/statistics/look.ts';
import { createRandom, shuffleFront, type Random } from '../../kernel/statistics/random.ts';
import { sum, at } from '../../kernel/statistics/sums.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import type { AttributeResult } from './result.ts';

const PERMUTATIONS = 999;

/**
 * An attribute is tested if at least this many units (references or clusters) have it, and as many
 * do not have it.
 */
export const FEWEST_UNITS = 4;

/** Per suite and direction (worse or better). */
const MOST_NAMED_CAUSES = 4;

/** Gain in log likelihood that is needed to add, exchange or keep an attribute. */
const [ADD, EXCHANGE, KEEP] = [1, 0.5, 2];

/** Another attribute is ruled out if its log likelihood is this much lower (odds of 20). */
const APART_ODDS = 3;

interface RatedRows {
  positions: readonly number[];
  groups: readonly (readonly number[])[];
}

export interface GroupVerdict {
  verdict: AttributeResult['verdict'];
  /** One-sided and adjusted for multiple tests. Null if not tested. */
  p: number | null;
  /** Reported groups that also explain this group's change. */
  explainedBy: number[];
  /** Groups that would explain the change about as well. */
  alternatives: { group: number; shared: number; of: number }[];
}

interface VerdictOptions {
  alpha: number;
  seed: number;
  permutations?: number;
}

/**
 * Names the groups that changed more than the rest of their suite. Per suite and direction:
 *
 * 1. Exact tests select groups that changed at all, with one Holm correction over all suites.
 *
 * 2. The group that most raises the loss model's likelihood is added, if its members changed more
 * than the added groups explain.
 *
 * 3. Added groups are exchanged if that fits better, and removed if they hardly improve the fit.
 * Step 2 is repeated.
 *
 * 4. If another group explains a change about as well, the report names both: "A or B".
 */
export function groupVerdicts(
  rows: readonly ClusteredTries[],
  suites: readonly RatedRows[],
  options: VerdictOptions,
): GroupVerdict[][] {
  const worse = findingsIn(rows, suites, options, 'down');
  const better = findingsIn(rows, suites, options, 'up');
  return suites.map(({ groups }) =>
    groups.map((group): GroupVerdict => {
      const [down, up] = [worse.get(group), better.get(group)];
      if (down === undefined || up === undefined)
        return { verdict: 'too few', p: null, explainedBy: [], alternatives: [] };
      if (down.isNamed) return { verdict: 'regressed', ...down.shown };
      if (up.isNamed) return { verdict: 'improved', ...up.shown };
      if (down.hasMoved) return { verdict: 'also fell', ...down.shown };
      if (up.hasMoved) return { verdict: 'also rose', ...up.shown };
      return { verdict: 'no change found', ...down.shown, explainedBy: [] };
    }),
  );
}

interface AttributeFinding {
  isNamed: boolean;
  hasMoved: boolean;
  shown: Omit<GroupVerdict, 'verdict'>;
}

interface ContrastCandidate {
  positions: readonly number[];
  place: number;
  group: MemberGroup;
  p: number;
}

function findingsIn(
  rows: readonly ClusteredTries[],
  suites: readonly RatedRows[],
  { alpha, seed, permutations = PERMUTATIONS }: VerdictOptions,
  direction: 'down' | 'up',
): Map<readonly number[], AttributeFinding> {
  const random = createRandom(`attributes ${seed} ${direction}`);
  const placed = suites.map((suite) => contrastCandidates(rows, suite, direction));
  const moved = adjustHolm(placed.flatMap(({ candidates }) => candidates));
  const pOf = (candidate: ContrastCandidate) => moved.get(candidate) ?? 1;
  const tests = { level: alpha / suites.length, random, permutations };
  return new Map(
    placed.flatMap(({ units, candidates }) => {
      const open = candidates.filter((candidate) => pOf(candidate) <= alpha);
      const found = nameCauses(units, candidates, open, tests);
      const sure = found.filter(({ alternatives }) => alternatives.length === 0);
      return candidates.map((candidate): [readonly number[], AttributeFinding] => {
        const cause = found.find((own) => own.candidate === candidate);
        const isNamed = cause !== undefined && sure.includes(cause);
        const p = Math.max(pOf(candidate), cause?.p ?? 0);
        const neighbours = sure.filter((own) => countShared(own.candidate, candidate) > 0);
        const explainedBy = isNamed ? [] : neighbours.map((own) => own.candidate.place);
        const shown = { p, explainedBy, alternatives: cause?.alternatives ?? [] };
        return [candidate.positions, { isNamed, hasMoved: pOf(candidate) <= alpha, shown }];
      });
    }),
  );
}

const [DOWN, UP] = [['base', 'head'] as const, ['head', 'base'] as const];

/** A cluster counts as one unit, because its members change together. */
function contrastCandidates(
  rows: readonly ClusteredTries[],
  { positions, groups }: RatedRows,
  direction: 'down' | 'up',
): { units: CountedUnit[]; candidates: ContrastCandidate[] } {
  const clusters = formClusters(positions.flatMap((place) => rows[place] ?? []));
  const units = clusters.map((cluster): CountedUnit => {
    const counts = (side: 'base' | 'head') => ({
      passes: Math.round(sum(cluster.map((own) => sum(own[side]))) / cluster.length),
      tries: cluster[0]?.[side].length ?? 0,
    });
    const [before, after] = direction === 'down' ? DOWN : UP;
    const members = cluster.flatMap((own) => positions[own.at] ?? []);
    return { members, base: counts(before), head: counts(after) };
  });
  const candidates = groups.flatMap((own, place): ContrastCandidate[] => {
    const members = new Set(own);
    const inside = units.filter(
      (unit) => 2 * unit.members.filter((at) => members.has(at)).length > unit.members.length,
    );
    if (inside.length < FEWEST_UNITS || units.length - inside.length < FEWEST_UNITS) return [];
    const { test } = contrast(own.flatMap((at) => rows[at] ?? []));
    return [{ positions: own, place, group: new Set(inside), p: test[direction] }];
  });
  return { units, candidates };
}

/** Holm's step-down adjustment: p times the number of tests whose p is not smaller. */
function adjustHolm(candidates: readonly ContrastCandidate[]): Map<ContrastCandidate, number> {
  let largest = 0;
  return new Map(
    candidates
      .toSorted((a, b) => a.p - b.p)
      .map((candidate, i, { length }) => {
        largest = Math.max(largest, Math.min(1, candidate.p * (length - i)));
        return [candidate, largest];
      }),
  );
}

interface AttributeCause {
  candidate: ContrastCandidate;
  /** The p value of this group's change, given the other causes. */
  p: number;
  alternatives: GroupVerdict['alternatives'];
}

function nameCauses(
  units: readonly CountedUnit[],
  candidates: readonly ContrastCandidate[],
  open: readonly ContrastCandidate[],
  { level, ...tests }: { level: number } & Parameters<typeof contrastP>[2],
): AttributeCause[] {
  if (open.length === 0) return [];
  const value = (chosen: readonly ContrastCandidate[]) => fitOf(chosen).logLikelihood;
  const fitOf = createFits(units);
  const contrasts = (
    chosen: readonly ContrastCandidate[],
    others: readonly ContrastCandidate[],
  ) => {
    const groups = others.map(({ group }) => group);
    const found = contrastP(fitOf(chosen), groups, tests);
    return ({ group }: ContrastCandidate) => found.get(group) ?? 1;
  };
  let chosen: readonly ContrastCandidate[] = [];
  const seen = new Set<string>();
  while (chosen.length < MOST_NAMED_CAUSES && !seen.has(candidateId(chosen))) {
    seen.add(candidateId(chosen));
    const p = contrasts(chosen, without(candidates, chosen));
    const [best] = without(open, chosen)
      .filter((own) => p(own) <= level)
      .map((own) => [...chosen, own])
      .filter((more) => value(more) - value(chosen) > ADD)
      .sort((a, b) => value(b) - value(a));
    if (best !== undefined) chosen = correct(best, open, value);
  }
  const found = chosen.flatMap((candidate) => {
    const others = without(chosen, [candidate]);
    const p = contrasts(others, others.length === 0 ? candidates : [candidate])(candidate);
    if (p > level) chosen = others;
    return p > level ? [] : [{ candidate, p }];
  });
  return found.map(({ candidate, p }): AttributeCause => {
    const others = without(chosen, [candidate]);
    const rivals = without(candidates, chosen).filter(
      (rival) => value(chosen) - value([...others, rival]) < APART_ODDS,
    );
    const alternatives = rivals.map((rival) => ({
      group: rival.place,
      shared: countShared(candidate, rival),
      of: Math.max(candidate.group.size, rival.group.size),
    }));
    return { candidate, p, alternatives };
  });
}

function correct(
  chosen: readonly ContrastCandidate[],
  open: readonly ContrastCandidate[],
  value: (chosen: readonly ContrastCandidate[]) => number,
): readonly ContrastCandidate[] {
  for (const candidate of chosen) {
    const others = without(chosen, [candidate]);
    const [better = chosen] = without(open, chosen)
      .map((own) => [...others, own])
      .sort((a, b) => value(b) - value(a));
    if (value(better) > value(chosen) + EXCHANGE) return correct(better, open, value);
    if (others.length > 0 && value(chosen) - value(others) < KEEP)
      return correct(others, open, value);
  }
  return chosen;
}

function createFits(units: readonly CountedUnit[]): (chosen: readonly ContrastCandidate[]) => Fit {
  const likelihoods = likelihoodsOf(units);
  const fits = new Map<string, Fit>();
  return (chosen) => {
    const key = candidateId(chosen);
    const sorted = chosen.toSorted((a, b) => a.place - b.place).map(({ group }) => group);
    const fit = fits.get(key) ?? fitLosses(likelihoods, sorted);
    fits.set(key, fit);
    return fit;
  };
}

function candidateId(chosen: readonly ContrastCandidate[]): string {
  return chosen
    .map(({ place }) => place)
    .sort((a, b) => a - b)
    .join();
}

function without(
  all: readonly ContrastCandidate[],
  some: readonly ContrastCandidate[],
): ContrastCandidate[] {
  return all.filter((candidate) => !some.includes(candidate));
}

function countShared({ group }: ContrastCandidate, other: ContrastCandidate): number {
  return [...group].filter((unit) => other.group.has(unit)).length;
}

const STATISTIC_TOLERANCE = 1e-9;

/**
 * Tests whether a group's members dropped more than the rest of their stratum. A stratum has the
 * units (references or clusters) that belong to the same reported groups. Returns one-sided p
 * values, adjusted over all groups with max-T, which permutes each stratum's drops.
 *
 * z = U/√V, with U = Σ over members of d, where d is a drop minus its stratum's mean. V = ½ Σ over
 * strata of f Σ d² + ½ Σ over members of (1 − 2f) d², where f is the members' share of the stratum.
 */
function contrastP(
  { strata }: Fit,
  groups: readonly MemberGroup[],
  { random, permutations }: { random: Random; permutations: number },
): Map<MemberGroup, number> {
  const blocks = strata.map(blockOf);
  const tested = groups.map((group) => {
    const parts = blocks.flatMap((block) => {
      const inside = block.units.flatMap((unit, i) => (group.has(unit) ? i : []));
      const share = inside.length / block.units.length;
      return share > 0 && share < 1 ? [{ inside, share, block }] : [];
    });
    return { group, parts, seen: zOf(parts), asExtreme: 0 };
  });
  for (let round = 0; round < permutations; round++) {
    for (const { order } of blocks) shuffleFront(order, order.length, random);
    const top = Math.max(...tested.map(({ parts }) => zOf(parts)));
    for (const own of tested) if (top >= own.seen - STATISTIC_TOLERANCE) own.asExtreme += 1;
  }
  return new Map(
    tested.map(({ group, asExtreme }) => [group, (1 + asExtreme) / (permutations + 1)]),
  );
}

interface ContrastBlock {
  units: readonly CountedUnit[];
  falls: Float64Array;
  order: Int32Array;
  squares: number;
}

function blockOf({ units, kept }: Fit['strata'][number]): ContrastBlock {
  const rate = ({ passes, tries }: CountedUnit['base']) => passes / tries;
  const raw = Float64Array.from(units, ({ base, head }) => kept * rate(base) - rate(head));
  const mean = raw.reduce((total, fall) => total + fall, 0) / raw.length;
  const falls = raw.map((fall) => fall - mean);
  const squares = falls.reduce((total, fall) => total + fall * fall, 0);
  return { units, falls, order: Int32Array.from(units, (_, i) => i), squares };
}

function zOf(
  parts: readonly { inside: readonly number[]; share: number; block: ContrastBlock }[],
): number {
  let [fall, spread] = [0, 0];
  for (const { inside, share, block } of parts) {
    spread += share * block.squares;
    for (const i of inside) {
      const own = at(block.falls, at(block.order, i));
      fall += own;
      spread += (1 - 2 * share) * own * own;
    }
  }
  return spread > STATISTIC_TOLERANCE ? fall / Math.sqrt(spread / 2) : 0;
}

/** A reference, or a cluster of correlated references. */
interface CountedUnit {
  members: readonly number[];
  base: Counts;
  head: Counts;
}

type MemberGroup = ReadonlySet<CountedUnit>;

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
function likelihoodsOf(units: readonly CountedUnit[]): Likelihoods {
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

interface Fit {
  logLikelihood: number;
  strata: { units: CountedUnit[]; kept: number }[];
}

/**
 * Finds the most likely losses by coordinate ascent over `LOSS_GRID`. Head's rate = base's × (1 −
 * f₀) × Π (1 − f_j), with f₀ for all units and f_j for members of group j.
 */
function fitLosses(likelihoods: Likelihoods, groups: readonly MemberGroup[]): Fit {
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
