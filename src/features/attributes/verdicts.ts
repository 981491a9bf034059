import {
  formClusters,
  clusterTable,
  nullMoments,
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

/** The smallest p is 1/2000; p = 0.05 has a standard error of 0.005. */
const PERMUTATIONS = 1999;

/** A row's position and weight in the group, 0 (not at all) to 1. */
export interface Member {
  at: number;
  weight: number;
}

type AttributeMembers = readonly Member[];

export interface GroupVerdict {
  verdict: AttributeResult['verdict'];
  /** Adjusted one-sided p: of improvement if it improved, else of regression; null: not tested. */
  p: number | null;
  /** Groups that explain this group's whole change. */
  explainedBy: number[];
}

interface VerdictOptions {
  /** Significance level of all groups together, for regressions and improvements each. */
  alpha: number;
  seed: number;
  permutations?: number;
}

/**
 * Groups of references that got better or worse, with one significance level per direction.
 *
 * The step-down max-T test selects the groups that changed. Of these, the group whose own
 * references (weight above 0) changed most is reported and its references are removed. The others
 * are tested again on their remaining references (at least 8). A group that only shares the broken
 * references of another is explained by it. The first test uses every group in full, which limits
 * false alarms to alpha.
 */
export function groupVerdicts(
  rows: readonly ClusteredTries[],
  groups: readonly AttributeMembers[],
  options: VerdictOptions,
): GroupVerdict[] {
  const compared = new Set(
    rows.flatMap(({ tries }, at) => (isComparable(countTable(tries)) ? at : [])),
  );
  const open = groups.map((group): AttributeMembers => group.filter(({ at }) => compared.has(at)));
  const tested = open.filter(({ length }) => length >= FEWEST_COMPARED);
  const worse = calls(rows, tested, { ...options, name: 'worse' });
  const mirrored = rows.map(({ tries: { base, head }, cluster }) => ({
    tries: { base: head, head: base },
    cluster,
  }));
  const better = calls(mirrored, tested, { ...options, name: 'better' });
  return open.map((group): GroupVerdict => {
    const [down, up] = [worse.get(group), better.get(group)];
    if (down === undefined || up === undefined)
      return { verdict: 'too few', p: null, explainedBy: [] };
    if (down.called) return { verdict: 'regressed', p: down.p, explainedBy: [] };
    if (up.called) return { verdict: 'improved', p: up.p, explainedBy: [] };
    const explainedBy = [...down.explainedBy, ...up.explainedBy].map((own) => open.indexOf(own));
    return { verdict: 'no change seen', p: down.p, explainedBy };
  });
}

interface Call {
  called: boolean;
  p: number;
  explainedBy: AttributeMembers[];
}

function calls(
  rows: readonly ClusteredTries[],
  groups: readonly AttributeMembers[],
  { alpha, seed, name, permutations = PERMUTATIONS }: VerdictOptions & { name: string },
): Map<AttributeMembers, Call> {
  const found = new Map<AttributeMembers, Call>();
  const aside = new Set<number>();
  let first: { group: AttributeMembers; p: number }[] | null = null;
  let left = groups;
  let floor = 0;
  for (let round = 0; left.length > 0; round++) {
    const random = createRandom(`attributes ${String(seed)} ${name} ${String(round)}`);
    const open = left.map((group) => {
      const rest = remainingMembers(group, aside);
      return { group, rest, positions: rest.map(({ at }) => at) };
    });
    const tested = stepDownMaxT(rows, open, random, permutations);
    first ??= tested;
    const movedAlone = new Set(first.flatMap(({ group, p }) => (p <= alpha ? [group] : [])));
    const top = selectLargestChange(
      rows,
      tested.filter(({ p }) => Math.max(floor, p) <= alpha),
    );
    if (top === null) {
      for (const { group, p } of tested) {
        const explainedBy = movedAlone.has(group) ? overlappingCalls(group, found) : [];
        found.set(group, { called: false, p, explainedBy });
      }
      break;
    }
    const { group: called, p } = top;
    floor = Math.max(floor, p);
    found.set(called, { called: true, p: floor, explainedBy: [] });
    for (const { at } of called) aside.add(at);
    left = left.filter((group) => group !== called);
  }
  return found;
}

/** Empty if too few are left for a separate finding. */
function remainingMembers(group: AttributeMembers, aside: ReadonlySet<number>): AttributeMembers {
  const rest = group.filter(({ at }) => !aside.has(at));
  return rest.length >= FEWEST_COMPARED ? rest : [];
}

const RANK_TOLERANCE = 1e-9;

/** The largest change in standard deviations; ties: the largest drop of the mean. */
function selectLargestChange<Group extends { rest: AttributeMembers }>(
  rows: readonly ClusteredTries[],
  groups: readonly Group[],
): Group | null {
  const ranked = groups.map((group) => {
    const counted = group.rest.flatMap(({ at, weight }) => (weight > 0 ? (rows[at] ?? []) : []));
    const fall = proficiencyOf(counted).difference ?? 0;
    return { group, z: weightedZ(rows, group.rest), fall };
  });
  ranked.sort((a, b) =>
    Math.abs(a.z - b.z) > RANK_TOLERANCE
      ? a.z - b.z
      : Math.abs(a.fall - b.fall) > RANK_TOLERANCE
        ? a.fall - b.fall
        : 0,
  );
  return ranked[0]?.group ?? null;
}

/** Σ w (passes on head − mean) / √Σ w² variance; a cluster is one summand. */
function weightedZ(rows: readonly ClusteredTries[], group: AttributeMembers): number {
  const weights = new Map(group.map(({ at, weight }) => [at, weight]));
  const units = formClusters(rows).flatMap((members) => {
    const own = members.filter(({ at }) => (weights.get(at) ?? 0) > 0);
    return own.length === 0 ? [] : weightTable(own, weights);
  });
  const moments = units.map((unit) => ({ ...nullMoments(unit), onHead: passesOnHead(unit) }));
  const excess = sum(moments.map(({ onHead, mean }) => onHead - mean));
  const variance = sum(moments.map((own) => own.variance));
  return variance > 0 ? excess / Math.sqrt(variance) : 0;
}

function weightTable(members: Cluster, weights: ReadonlyMap<number, number>): ClusterTable {
  return clusterTable(
    members.map(({ at, base, head }) => {
      const times = (pass: number): number => (weights.get(at) ?? 0) * pass;
      return { at, base: base.map(times), head: head.map(times) };
    }),
  );
}

/** Reported groups that share references with this one. */
function overlappingCalls(
  group: AttributeMembers,
  found: ReadonlyMap<AttributeMembers, Call>,
): AttributeMembers[] {
  const own = new Set(group.map(({ at }) => at));
  return [...found].flatMap(([other, { called }]) =>
    called && other.some(({ at }) => own.has(at)) ? [other] : [],
  );
}
