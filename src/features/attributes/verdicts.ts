import {
  clustersOf,
  clusterTable,
  momentsOf,
  passesOnHead,
  type Cluster,
  type ClusteredTries,
  type ClusterTable,
} from '../../kernel/statistics/clusters.ts';
import { createRandom } from '../../kernel/statistics/random.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { countTable, isComparable } from '../../kernel/statistics/table.ts';
import { FEWEST_COMPARED } from './cost.ts';
import { stepDownMaxT } from './max-t.ts';
import { proficiencyOf } from './proficiency.ts';
import type { AttributeResult } from './result.ts';

/** The smallest p is 1/2000; a p of 0.05 has a standard error of 0.005. */
const PERMUTATIONS = 1999;

/** The position of a row, and how far it belongs to the group: 0 (not at all) to 1. */
export interface Member {
  at: number;
  weight: number;
}

type AttributeMembers = readonly Member[];

export interface GroupVerdict {
  verdict: AttributeResult['verdict'];
  /** Adjusted one-sided p: of better where it improved, else of worse; null when not tested. */
  p: number | null;
  /** Groups whose tables carry the whole change of this one. */
  explainedBy: number[];
}

interface VerdictOptions {
  /** Error level of all groups together, for worse and for better each. */
  alpha: number;
  seed: number;
  permutations?: number;
}

/**
 * Groups of references that got better or worse, with one error level in each direction.
 * The step-down max-T test says which groups moved. The one whose own references (weight above 0)
 * moved most is called, its references are set aside, and the others are tested again on what is
 * left of them (at least 8). A group that only shares the broken references of another is explained
 * by it. The first test takes every group in full, which limits false calls to alpha.
 */
export function groupVerdicts(
  rows: readonly ClusteredTries[],
  groups: readonly AttributeMembers[],
  options: VerdictOptions,
): GroupVerdict[] {
  const compared = new Set(
    rows.flatMap(({ tries }, at) => (isComparable(countTable(tries)) ? at : [])),
  );
  const open = groups.map((group) => group.filter(({ at }) => compared.has(at)));
  const tested = [...open.keys()].filter((j) => (open[j]?.length ?? 0) >= FEWEST_COMPARED);
  const worse = calls(rows, open, tested, { ...options, name: 'worse' });
  const mirrored = rows.map(({ tries: { base, head }, cluster }) => ({
    tries: { base: head, head: base },
    cluster,
  }));
  const better = calls(mirrored, open, tested, { ...options, name: 'better' });
  return groups.map((_, j): GroupVerdict => {
    const [down, up] = [worse.get(j), better.get(j)];
    if (down === undefined || up === undefined)
      return { verdict: 'too few', p: null, explainedBy: [] };
    if (down.called) return { verdict: 'regressed', p: down.p, explainedBy: [] };
    if (up.called) return { verdict: 'improved', p: up.p, explainedBy: [] };
    return {
      verdict: 'no change seen',
      p: down.p,
      explainedBy: [...down.explainedBy, ...up.explainedBy],
    };
  });
}

interface Call {
  called: boolean;
  p: number;
  explainedBy: number[];
}

function calls(
  rows: readonly ClusteredTries[],
  groups: readonly AttributeMembers[],
  tested: readonly number[],
  options: VerdictOptions & { name: string },
): Map<number, Call> {
  const { permutations = PERMUTATIONS } = options;
  const found = new Map<number, Call>();
  const aside = new Set<number>();
  const alone = new Map<number, number>();
  let left = [...tested];
  let floor = 0;
  for (let round = 0; left.length > 0; round++) {
    const rest = left.map((j) => remainingMembers(groups[j] ?? [], aside));
    const random = createRandom(
      `attributes ${String(options.seed)} ${options.name} ${String(round)}`,
    );
    const positions = rest.map((group) => group.map(({ at }) => at));
    const tests = stepDownMaxT(rows, positions, random, permutations);
    if (round === 0) left.forEach((j, place) => alone.set(j, tests[place]?.p ?? 1));
    const moved = [...left.keys()].filter(
      (place) => Math.max(floor, tests[place]?.p ?? 1) <= options.alpha,
    );
    const top = foremost(rows, rest, moved);
    const chosen = top === null ? undefined : left[top];
    if (top === null || chosen === undefined) {
      left.forEach((j, place) =>
        found.set(j, {
          called: false,
          p: tests[place]?.p ?? 1,
          explainedBy: explaining(j, alone, groups, found, options.alpha),
        }),
      );
      break;
    }
    floor = Math.max(floor, tests[top]?.p ?? 1);
    found.set(chosen, { called: true, p: floor, explainedBy: [] });
    for (const { at } of groups[chosen] ?? []) aside.add(at);
    left = left.filter((j) => j !== chosen);
  }
  return found;
}

/** Empty where too few are left for a separate finding. */
function remainingMembers(group: AttributeMembers, aside: ReadonlySet<number>): AttributeMembers {
  const rest = group.filter(({ at }) => !aside.has(at));
  return rest.length >= FEWEST_COMPARED ? rest : [];
}

const RANK_TOLERANCE = 1e-9;

/** The largest movement in standard deviations; of equals, the largest fall of the mean. */
function foremost(
  rows: readonly ClusteredTries[],
  groups: readonly AttributeMembers[],
  places: readonly number[],
): number | null {
  const ranked = places.map((place) => {
    const group = groups[place] ?? [];
    return {
      place,
      z: weightedZ(rows, group),
      fall:
        proficiencyOf(group.flatMap(({ at, weight }) => (weight > 0 ? (rows[at] ?? []) : [])))
          .difference ?? 0,
    };
  });
  ranked.sort((a, b) =>
    Math.abs(a.z - b.z) > RANK_TOLERANCE
      ? a.z - b.z
      : Math.abs(a.fall - b.fall) > RANK_TOLERANCE
        ? a.fall - b.fall
        : a.place - b.place,
  );
  return ranked[0]?.place ?? null;
}

/** Σ w (passes on head − mean) / √Σ w² variance; a cluster is one summand. */
function weightedZ(rows: readonly ClusteredTries[], group: AttributeMembers): number {
  const weights = new Map(group.map(({ at, weight }) => [at, weight]));
  const units = clustersOf(rows).flatMap((members) => {
    const own = members.filter(({ at }) => (weights.get(at) ?? 0) > 0);
    return own.length === 0 ? [] : weighed(own, weights);
  });
  const moments = units.map((unit) => ({ ...momentsOf(unit), onHead: passesOnHead(unit) }));
  const excess = sum(moments.map(({ onHead, mean }) => onHead - mean));
  const variance = sum(moments.map((own) => own.variance));
  return variance > 0 ? excess / Math.sqrt(variance) : 0;
}

function weighed(members: Cluster, weights: ReadonlyMap<number, number>): ClusterTable {
  return clusterTable(
    members.map(({ at, base, head }) => {
      const times = (pass: number): number => (weights.get(at) ?? 0) * pass;
      return { at, base: base.map(times), head: head.map(times) };
    }),
  );
}

/** Called groups that share references with a group that would have been called too. */
function explaining(
  group: number,
  alone: ReadonlyMap<number, number>,
  groups: readonly AttributeMembers[],
  found: ReadonlyMap<number, Call>,
  alpha: number,
): number[] {
  if ((alone.get(group) ?? 1) > alpha) return [];
  const own = new Set((groups[group] ?? []).map(({ at }) => at));
  return [...found]
    .filter(([other, { called }]) => called && (groups[other] ?? []).some(({ at }) => own.has(at)))
    .map(([other]) => other);
}
