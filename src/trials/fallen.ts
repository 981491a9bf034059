import { countsForVerdict, sideShare } from '../kernel/result/counts.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  TryResult,
} from '../kernel/result/reference-result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { sum } from '../kernel/statistics/sums.ts';
import { tryOutcomeOf } from '../kernel/suite/gate.ts';
import type { Outcome } from '../types/metric.ts';

const MAX_FALLEN = 8;

export function hasFallen({ verdict, references }: SuiteResult): boolean {
  return verdict === 'regressed' || references.some(({ status }) => status === 'regressed');
}

const MIRRORED_STATUSES: Readonly<Partial<Record<ReferenceStatus, ReferenceStatus>>> = {
  fixed: 'regressed',
  rose: 'fell',
  regressed: 'fixed',
  fell: 'rose',
};

/** Swaps base and head, because a fix on head is a fall in the other direction. */
export function mirrored(result: SuiteResult): SuiteResult {
  return {
    ...result,
    verdict: result.verdict === 'improved' ? 'regressed' : 'unchanged',
    references: result.references.map((reference) => ({
      ...reference,
      status: MIRRORED_STATUSES[reference.status] ?? reference.status,
      base: reference.head,
      head: reference.base,
    })),
  };
}

export interface FallView {
  result: SuiteResult;
  /** Null: all metrics. */
  metrics: readonly string[] | null;
}

/**
 * Judges by the metrics that fell if this shows more fallen references. A metric that fails on both
 * sides hides the fall of the others.
 */
export function viewFall(result: SuiteResult): FallView {
  const { reason } = result;
  if (reason?.by !== 'fall' || reason.metrics.length === 0) return { result, metrics: null };
  const { metrics } = reason;
  const side = (own: SideResult | null) => own && judgedBy(own, metrics);
  const references = result.references.map((reference) => {
    const own = { ...reference, base: side(reference.base), head: side(reference.head) };
    const isFallen = countsForVerdict(own) && dropOf(own) > 0 && own.status !== 'regressed';
    return isFallen ? { ...own, status: 'fell' as const } : own;
  });
  const judged = { ...result, references };
  return worstFirst(judged).length > worstFirst(result).length
    ? { result: judged, metrics }
    : { result, metrics: null };
}

function judgedBy(side: SideResult, metrics: readonly string[]): SideResult {
  const tries = side.tries.map((made) => ({ ...made, outcome: outcomeBy(made, metrics) }));
  const counted = (...outcomes: Outcome[]) =>
    tries.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return { ...side, tries, passes: counted('pass'), tries_judged: counted('pass', 'fail') };
}

/** Without scores, there is no answer. */
export function outcomeBy({ outcome, scores }: TryResult, metrics: FallView['metrics']): Outcome {
  return metrics === null || scores.length === 0
    ? outcome
    : tryOutcomeOf(scores.filter(({ metric }) => metrics.includes(metric)));
}

/**
 * At most {@link MAX_FALLEN} references that got worse, from different `groups` if possible,
 * because groups may have different causes.
 */
export function fallenReferences(
  suite: SuiteResult,
  groups: readonly (readonly string[])[] = [],
): ReferenceResult[] {
  const ordered = worstFirst(suite);
  const chosen = pickDiverse(ordered, groups);
  return ordered.filter((reference) => chosen.has(reference));
}

export function worstFirst({ references }: SuiteResult): ReferenceResult[] {
  const worse = references.filter(
    (reference) =>
      countsForVerdict(reference) && dropOf(reference) > 0 && reference.status !== 'improved',
  );
  const shown = worse.filter(({ status }) => status === 'regressed' || status === 'fell');
  return [...(shown.length > 0 ? shown : worse)].sort(
    (a, b) => fallRank(a) - fallRank(b) || dropOf(b) - dropOf(a),
  );
}

function pickDiverse(
  ordered: readonly ReferenceResult[],
  groups: readonly (readonly string[])[],
): ReadonlySet<ReferenceResult> {
  const chosen = new Set<ReferenceResult>();
  const members = groups.map((references) => new Set(references));
  const shared = ({ id }: ReferenceResult) => {
    const counts = members
      .filter((own) => own.has(id))
      .map((own) => [...chosen].filter((other) => own.has(other.id)).length);
    return counts.length === 0 ? 0 : Math.min(...counts);
  };
  while (chosen.size < Math.min(MAX_FALLEN, ordered.length)) {
    const left = ordered.filter((entry) => !chosen.has(entry));
    const [next] = left.sort((a, b) => fallRank(a) - fallRank(b) || shared(a) - shared(b));
    if (next !== undefined) chosen.add(next);
  }
  return chosen;
}

export function stableReferences({ references }: SuiteResult): ReferenceResult[] {
  return references.filter(
    (reference) =>
      countsForVerdict(reference) && isFlawless(reference.base) && isFlawless(reference.head),
  );
}

function isFlawless(side: SideResult | null): boolean {
  return side !== null && side.tries_judged > 0 && side.passes === side.tries_judged;
}

/**
 * How often a reference that passed all tries on one side passes on the other side, 0–1. Unbiased,
 * because the other side's tries did not select the reference.
 */
export function retestRate({ references }: SuiteResult): number {
  const steady = references.filter(
    (reference) =>
      countsForVerdict(reference) &&
      reference.status !== 'regressed' &&
      reference.status !== 'fell',
  );
  const pairs = steady.flatMap(({ base, head }) =>
    base === null || head === null
      ? []
      : [
          { chosen: base, again: head },
          { chosen: head, again: base },
        ],
  );
  const again = pairs.filter(({ chosen }) => isFlawless(chosen)).map((pair) => pair.again);
  const tries = sum(again.map((side) => side.tries_judged));
  return tries === 0 ? 1 : sum(again.map((side) => side.passes)) / tries;
}

function fallRank({ status }: ReferenceResult): number {
  return status === 'regressed' ? 0 : 1;
}

function dropOf({ base, head }: ReferenceResult): number {
  return base === null || head === null ? 0 : sideShare(base) - sideShare(head);
}
