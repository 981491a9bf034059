import type { AttributeResult, TryResult } from '../types.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { stepDownMaxT } from '../statistics/max-t.ts';
import { createRandom } from '../statistics/random.ts';
import { isComparable, isInformative, mirrored, type Counts, type Table } from '../statistics/table.ts';

/** Fewer compared references than this are too few for a verdict. */
export const FEWEST_COMPARED = 8;

/** Passes and judged tries of one side: by the try's own outcome, or by one metric's score. Tries from index `tries` on are left out. */
export function countTries(given: readonly TryResult[], metric: string | null, tries: number | null): Counts {
  const words = given.filter(({ try: index }) => tries === null || index < tries)
    .map(({ outcome, scores }) => (metric === null ? outcome : scores.find((score) => score.metric === metric)?.status));
  const passes = words.filter((word) => word === 'pass').length;
  return { passes, tries: passes + words.filter((word) => word === 'fail').length };
}

export interface Proficiency {
  /** References that were judged on both sides; where there is one side only, on that. */
  n: number;
  /** Mean over these references of their pass rate, 0–1; null where nothing was judged. */
  base: number | null;
  head: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
}

/** Pass rates of an attribute's references on both sides, their difference and its two-sided 90 % interval. */
export function proficiencyOf(tables: readonly Table[]): Proficiency {
  const compared = tables.filter(isComparable);
  const interval = differenceInterval(compared);
  const onBase = tables.some(({ base }) => base.tries > 0);
  const onHead = tables.some(({ head }) => head.tries > 0);
  const shown = onBase && onHead ? compared : tables.filter(({ base, head }) => base.tries + head.tries > 0);
  return {
    n: shown.length, base: meanRate(shown.map(({ base }) => base)), head: meanRate(shown.map(({ head }) => head)),
    difference: interval?.difference ?? null, low: interval?.low ?? null, high: interval?.high ?? null,
  };
}

function meanRate(counts: readonly Counts[]): number | null {
  const judged = counts.filter(({ tries }) => tries > 0);
  return judged.length === 0 ? null : judged.reduce((sum, { passes, tries }) => sum + passes / tries, 0) / judged.length;
}

/** An attribute as positions of its references' tables. */
export type Group = readonly number[];

export interface GroupVerdict {
  verdict: AttributeResult['verdict'];
  /** Adjusted one-sided p: of better where it improved, else of worse; null when not tested. */
  p: number | null;
  /** Groups whose tables carry the whole change of this one. */
  explainedBy: number[];
}

export interface VerdictOptions {
  /** Error level of all groups together, for worse and for better each. */
  alpha: number;
  seed: number;
  /** Permutations per test; by default 9999, fewer where thousands of tables would make them last for seconds. */
  permutations?: number;
}

/**
 * Which groups of references got worse or better, with one error level for all of them in each direction.
 *
 * The step-down max-T test calls the group that moved most; its references are then set aside and the others are tested
 * anew on what is left of them (8 references at least), until no more is called. So a group that merely shares the broken references of another
 * is not called, but said to be explained by it. While nothing has been called, every group is tested on all of its
 * references at the full level, so that a suite in which nothing changed shows a false call with probability alpha at most.
 */
export function groupVerdicts(tables: readonly Table[], groups: readonly Group[], options: VerdictOptions): GroupVerdict[] {
  const open = groups.map((group) => group.filter((i) => { const table = tables[i]; return table !== undefined && isComparable(table); }));
  const tested = [...open.keys()].filter((j) => (open[j]?.length ?? 0) >= FEWEST_COMPARED);
  const worse = calls(tables, open, tested, { ...options, name: 'worse' });
  const better = calls(mirrored(tables), open, tested, { ...options, name: 'better' });
  return groups.map((_, j): GroupVerdict => {
    const [down, up] = [worse.get(j), better.get(j)];
    if (down === undefined || up === undefined) return { verdict: 'too few', p: null, explainedBy: [] };
    if (down.called) return { verdict: 'regressed', p: down.p, explainedBy: [] };
    if (up.called) return { verdict: 'improved', p: up.p, explainedBy: [] };
    return { verdict: 'no change seen', p: down.p, explainedBy: [...down.explainedBy, ...up.explainedBy] };
  });
}

interface Call { called: boolean; p: number; explainedBy: number[] }

function calls(tables: readonly Table[], groups: readonly Group[], tested: readonly number[], options: VerdictOptions & { name: string }): Map<number, Call> {
  const found = new Map<number, Call>();
  const aside = new Set<number>();
  const alone = new Map<number, number>();
  let left = [...tested];
  let floor = 0;
  for (let round = 0; left.length > 0; round++) {
    const rest = left.map((j) => restOf(groups[j] ?? [], aside));
    const random = createRandom(`attributes ${String(options.seed)} ${options.name} ${String(round)}`);
    const tests = stepDownMaxT(tables, rest, random, options.permutations ?? permutationsFor(tables));
    if (round === 0) left.forEach((j, at) => alone.set(j, tests[at]?.p ?? 1));
    const top = topGroup(tables, rest, tests);
    const p = top === null ? 1 : Math.max(floor, tests[top]?.p ?? 1);
    const chosen = top === null ? undefined : left[top];
    if (chosen === undefined || p > options.alpha) {
      left.forEach((j, at) => found.set(j, { called: false, p: tests[at]?.p ?? 1, explainedBy: explaining(j, alone, groups, found, options.alpha) }));
      break;
    }
    floor = p;
    found.set(chosen, { called: true, p, explainedBy: [] });
    for (const i of groups[chosen] ?? []) aside.add(i);
    left = left.filter((j) => j !== chosen);
  }
  return found;
}

/** What is left of a group beside those called; nothing where that is too few to be a finding of its own. */
function restOf(group: Group, aside: ReadonlySet<number>): Group {
  const rest = group.filter((i) => !aside.has(i));
  return rest.length >= FEWEST_COMPARED ? rest : [];
}

/** Equal on paper. */
const SLACK = 1e-9;

/** The group that moved most for its size; of equals, the one whose mean fell most. */
function topGroup(tables: readonly Table[], groups: readonly Group[], tests: readonly { z: number }[]): number | null {
  const fall = (group: Group): number => {
    const own = group.flatMap((i) => tables[i] ?? []);
    return proficiencyOf(own).difference ?? 0;
  };
  return [...groups.keys()].reduce<number | null>((best, j) => {
    if (best === null) return j;
    const step = (tests[j]?.z ?? 0) - (tests[best]?.z ?? 0);
    if (Math.abs(step) > SLACK) return step < 0 ? j : best;
    return fall(groups[j] ?? []) < fall(groups[best] ?? []) - SLACK ? j : best;
  }, null);
}

/** The called groups that a group shares references with, if it would have been called beside them. */
function explaining(group: number, alone: ReadonlyMap<number, number>, groups: readonly Group[], found: ReadonlyMap<number, Call>, alpha: number): number[] {
  if ((alone.get(group) ?? 1) > alpha) return [];
  const own = new Set(groups[group]);
  return [...found].filter(([other, { called }]) => called && (groups[other] ?? []).some((i) => own.has(i))).map(([other]) => other);
}

function permutationsFor(tables: readonly Table[]): number {
  return Math.max(1999, Math.min(9999, Math.floor(1e7 / Math.max(1, tables.filter(isInformative).length))));
}
