import { formClusters, type ClusteredTries } from '../../kernel/statistics/clusters.ts';
import { createRandom, type Random } from '../../kernel/statistics/random.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { contrastP } from './contrast.ts';
import { fitLosses, weighUnits, type Fit, type Group, type WeighedUnit } from './loss-model.ts';
import { stepDownMaxT } from './max-t.ts';
import type { AttributeResult } from './result.ts';

/** The smallest p is 1/2000; p = 0.05 has a standard error of 0.005. */
const PERMUTATIONS = 1999;

/** With fewer units inside or outside, an attribute is not compared. */
export const FEWEST_UNITS = 4;

/** Most attributes that are named in a suite and direction. */
const MOST_NAMED = 4;

/** Log likelihoods. An added attribute must gain more than `ADD`; `EXCHANGE`, `KEEP`: likewise. */
const ADD = 1;
const EXCHANGE = 0.5;
const KEEP = 2;

/** Log likelihood (odds of 20) that another attribute must lose to be ruled out. */
const APART = 3;

/** Rows of one suite, by position, and the members of each of its attributes. */
interface RatedRows {
  positions: readonly number[];
  groups: readonly (readonly number[])[];
}

export interface GroupVerdict {
  verdict: AttributeResult['verdict'];
  /** Adjusted one-sided p: of improvement if it improved, else of regression; null: not tested. */
  p: number | null;
  /** Named groups of the same direction, by position in the suite. */
  explainedBy: number[];
  /** Groups that would explain the change about as well, with their common units. */
  alternatives: { group: number; shared: number; of: number }[];
}

interface VerdictOptions {
  /** Significance level of all groups together, for regressions and improvements each. */
  alpha: number;
  seed: number;
  permutations?: number;
}

/**
 * Names the groups that changed more than the rest of their suite. Per suite and direction:
 *
 * 1. The max-T test over the groups of all suites selects those that changed at all.
 * 2. Of them, the group that raises the likelihood of the loss model most is added, if its members
 *    changed more than other units beyond what the added groups explain.
 * 3. Added groups are exchanged or removed if that fits better or as well. Then step 2 again.
 * 4. A group that another could replace about as well is not named: "A or B".
 */
export function groupVerdicts(
  rows: readonly ClusteredTries[],
  suites: readonly RatedRows[],
  options: VerdictOptions,
): GroupVerdict[][] {
  const mirrored = rows.map(({ tries: { base, head }, cluster }) => ({
    tries: { base: head, head: base },
    cluster,
  }));
  const worse = findingsIn(rows, suites, options, 'worse');
  const better = findingsIn(mirrored, suites, options, 'better');
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

interface Finding {
  isNamed: boolean;
  hasMoved: boolean;
  shown: Omit<GroupVerdict, 'verdict'>;
}

/** The suite's groups that can be compared; `positions` for the test of all suites. */
interface Candidate {
  positions: readonly number[];
  place: number;
  group: Group<WeighedUnit>;
}

function findingsIn(
  rows: readonly ClusteredTries[],
  suites: readonly RatedRows[],
  { alpha, seed, permutations = PERMUTATIONS }: VerdictOptions,
  name: string,
): Map<readonly number[], Finding> {
  const random = createRandom(`attributes ${String(seed)} ${name}`);
  const placed = suites.map((suite) => candidatesOf(rows, suite));
  const family = placed.flatMap(({ candidates }) => candidates);
  const fell = stepDownMaxT(rows, family, random, permutations);
  const pOf = new Map(fell.map(({ group, p }) => [group, p]));
  return new Map(
    placed.flatMap(({ units, candidates }) => {
      const own = candidates.map((each) => ({ ...each, p: pOf.get(each.group) ?? 1 }));
      const named = nameCauses(units, own, alpha, {
        random,
        permutations,
        // One level for the contrasts of all suites.
        level: alpha / suites.length,
      });
      return own.map((candidate): [readonly number[], Finding] => {
        const { positions, group, p } = candidate;
        const cause = named.find((each) => each.candidate.group === group);
        const alternatives = cause?.alternatives ?? [];
        const isNamed = cause !== undefined && alternatives.length === 0;
        const shown = {
          p: Math.max(p, cause?.p ?? 0),
          explainedBy: isNamed
            ? []
            : named.flatMap((each) =>
                each.alternatives.length === 0 && countShared(candidate, each.candidate) > 0
                  ? each.candidate.place
                  : [],
              ),
          alternatives,
        };
        return [positions, { isNamed, hasMoved: p <= alpha, shown }];
      });
    }),
  );
}

/** A cluster is one unit with the mean of its members' passes, which change together. */
function candidatesOf(
  rows: readonly ClusteredTries[],
  { positions, groups }: RatedRows,
): { units: WeighedUnit[]; candidates: Candidate[] } {
  const clusters = formClusters(positions.flatMap((place) => rows[place] ?? []));
  const units = weighUnits(
    clusters.map((members) => {
      const counts = (side: 'base' | 'head'): WeighedUnit['base'] => ({
        passes: Math.round(sum(members.map((own) => sum(own[side]))) / members.length),
        tries: members[0]?.[side].length ?? 0,
      });
      return { base: counts('base'), head: counts('head') };
    }),
  ).map((unit, i) => ({ unit, members: clusters[i]?.flatMap((own) => positions[own.at] ?? []) }));
  const candidates = groups.map((own, place): Candidate => {
    const members = new Set(own);
    const inside = units.filter(({ members: all = [] }) => {
      const count = all.filter((position) => members.has(position)).length;
      return 2 * count > all.length;
    });
    return { positions: own, place, group: new Set(inside.map(({ unit }) => unit)) };
  });
  return {
    units: units.map(({ unit }) => unit),
    candidates: candidates.filter(
      ({ group }) => group.size >= FEWEST_UNITS && units.length - group.size >= FEWEST_UNITS,
    ),
  };
}

interface Cause {
  candidate: Candidate;
  /** Of its contrast when it was added. */
  p: number;
  alternatives: GroupVerdict['alternatives'];
}

function nameCauses(
  units: readonly WeighedUnit[],
  candidates: readonly (Candidate & { p: number })[],
  alpha: number,
  { level, ...means }: { level: number; random: Random; permutations: number },
): Cause[] {
  const open = candidates.filter(({ p }) => p <= alpha);
  if (open.length === 0) return [];
  const fits = new Map<string, Fit<WeighedUnit>>();
  const fitOf = (chosen: readonly Candidate[]): Fit<WeighedUnit> => {
    const sorted = [...chosen].sort((a, b) => a.place - b.place);
    const key = sorted.map(({ place }) => place).join();
    const fit =
      fits.get(key) ??
      fitLosses(
        units,
        sorted.map(({ group }) => group),
      );
    fits.set(key, fit);
    return fit;
  };
  const value = (chosen: readonly Candidate[]): number => fitOf(chosen).logLikelihood;
  const contrast = (chosen: readonly Candidate[], others: readonly Candidate[]) => {
    const found = contrastP(
      fitOf(chosen),
      others.map(({ group }) => group),
      means,
    );
    return ({ group }: Candidate): number => found.get(group) ?? 1;
  };
  let chosen = selectCauses({ open, candidates, value, contrast, level });
  const kept = chosen.flatMap((candidate) => {
    const others = chosen.filter((other) => other !== candidate);
    // A cause must differ from the rest beside the other causes too.
    const p = contrast(others, others.length === 0 ? candidates : [candidate])(candidate);
    if (p <= level) return { candidate, p };
    chosen = others;
    return [];
  });
  return kept.map(({ candidate, p }): Cause => {
    const others = chosen.filter((other) => other !== candidate);
    const rivals = candidates.filter(
      (other) => !chosen.includes(other) && value(chosen) - value([...others, other]) < APART,
    );
    return { candidate, p, alternatives: rivals.map((rival) => overlap(candidate, rival)) };
  });
}

interface Search {
  open: readonly Candidate[];
  candidates: readonly Candidate[];
  value(chosen: readonly Candidate[]): number;
  contrast(
    chosen: readonly Candidate[],
    others: readonly Candidate[],
  ): (candidate: Candidate) => number;
  level: number;
}

/** Forward selection, corrected after every step. Stops if it returns to an earlier choice. */
function selectCauses(search: Search): Candidate[] {
  const { open, candidates, value, contrast, level } = search;
  let chosen: Candidate[] = [];
  const seen = new Set<string>();
  while (chosen.length < MOST_NAMED) {
    const key = chosen.map(({ place }) => place).join();
    const others = candidates.filter((each) => !chosen.includes(each));
    if (seen.has(key) || others.length === 0) break;
    seen.add(key);
    const p = contrast(chosen, others);
    const [best] = open
      .filter(
        (each) =>
          others.includes(each) &&
          p(each) <= level &&
          value([...chosen, each]) - value(chosen) > ADD,
      )
      .sort((a, b) => value([...chosen, b]) - value([...chosen, a]) || a.group.size - b.group.size);
    if (best === undefined) break;
    chosen = [...corrected([...chosen, best], search)].sort((a, b) => a.place - b.place);
  }
  return chosen;
}

/** Exchanges one cause for a better one, and drops what the others explain. */
function corrected(
  chosen: readonly Candidate[],
  search: Pick<Search, 'open' | 'value'>,
): readonly Candidate[] {
  const { open, value } = search;
  for (const candidate of chosen) {
    const others = chosen.filter((other) => other !== candidate);
    const [better] = open
      .filter((each) => !chosen.includes(each))
      .map((each) => [...others, each])
      .sort((a, b) => value(b) - value(a));
    if (better !== undefined && value(better) > value(chosen) + EXCHANGE)
      return corrected(better, search);
    if (others.length > 0 && value(chosen) - value(others) < KEEP) return corrected(others, search);
  }
  return chosen;
}

function overlap(named: Candidate, other: Candidate): GroupVerdict['alternatives'][number] {
  const of = Math.max(named.group.size, other.group.size);
  return { group: other.place, shared: countShared(named, other), of };
}

function countShared({ group }: Candidate, other: Candidate): number {
  return [...group].filter((unit) => other.group.has(unit)).length;
}
