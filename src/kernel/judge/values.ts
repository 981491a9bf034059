import { comparesShare, directionIn } from '../../metrics/passing.ts';
import type { Better, MetricLevel } from '../../types/metric.ts';
import { suiteClusters } from '../plan/ledger.ts';
import { FIRST_TRIES, ONE_LOOK, withLevels, type LookPlan } from '../plan/looks.ts';
import {
  explodedReferences,
  isOpenDrop,
  metricNumbers,
  numberTest,
  valuesByReference,
  type MetricNumber,
} from '../plan/metric-numbers.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { isOutcome, metricGate } from '../plan/tries.ts';
import type { MetricValues, MoveDirection } from '../result/metric-result.ts';
import { median } from '../statistics/exploded.ts';
import { holmCalled } from '../statistics/holm.ts';
import { isLargeDrop, reachesLevel } from '../statistics/table.ts';
import { sideMean, type ValueTest, type Values } from '../statistics/value-test.ts';

export interface MetricMove {
  name: string;
  better: Better;
  gate: MetricValues['gate'];
  /** Decides the suite's verdict, instead of passes. */
  decides: boolean;
  /** Set if the number is a share of parts (such as turns) that pass. `of`: the kind of part. */
  share: { of: MetricLevel; minDrop: number } | null;
  test: ValueTest | null;
  /** One test per look (interim test). Empty if the metric cannot fail the suite. */
  looks: (ValueTest | null)[];
  plan: LookPlan;
  moved: MetricValues['moved'];
  /** Decides and looks worse, but not significantly. */
  isOpen: boolean;
  exploded: NonNullable<MetricValues['exploded']>;
}

/** Uses tries with an index below `upTo`. `moved` and `isOpen` are set later. */
export function metricMoves(
  suite: SuiteComparison,
  { upTo, plan }: { upTo: number; plan: LookPlan },
): MetricMove[] {
  const { run, compared } = suite;
  const clusters = suiteClusters(compared);
  return metricNumbers(suite).map((number) => {
    const { metric, name, entry } = number;
    const better = directionIn(metric, run.scoring.rubrics, entry);
    const gate = metricGate(suite, number);
    const decides = isOutcome(suite, number);
    const share = comparedShare(suite, number);
    const bounds = share === null ? ONE_LOOK : plan;
    // Only passes decide when a suite's tries end, so its values need a single test.
    const lookPlan = decides ? ONE_LOOK : plan;
    const test = (to: number) =>
      numberTest(suite, number, { runs: compared, clusters, upTo: to }, bounds);
    const made = lookPlan === ONE_LOOK ? [upTo] : plan.tries.filter((look) => look <= upTo);
    const looks = gate === 'fail' ? made.map(test) : [];
    const last = looks.at(-1) ?? test(upTo);
    const exploded = explodedReferences(suite, number, plan.tries[0] ?? FIRST_TRIES)
      .filter(({ isOpen }) => !isOpen)
      .map((found) => explodedValue(number, found.run));
    const shown = { name, better, gate, share, test: last, moved: null, isOpen: false, exploded };
    return { ...shown, decides, looks, plan: lookPlan };
  });
}

export function comparedShare(
  { gate }: SuiteComparison,
  { metric, entry }: MetricNumber,
): MetricMove['share'] {
  const isShare = entry === null && comparesShare(metric);
  return isShare ? { of: metric.level, minDrop: gate.min_drop } : null;
}

function explodedValue(number: MetricNumber, run: ReferenceRun): MetricMove['exploded'][number] {
  const [values = { base: [], head: [] }] = valuesByReference(number, [run], Infinity);
  const { id } = run.affected.reference;
  return { reference: id, base: median(values.base) ?? 0, head: median(values.head) ?? 0 };
}

type Moved = NonNullable<MetricValues['moved']>;

/** Deciding values that moved this way, beyond chance, smallest p first. Null if there are none. */
export function decisiveMoves(
  moves: readonly MetricMove[],
  moved: 'worse' | 'better',
): { p: number; metrics: string[] } | null {
  const found = moves
    .filter((move) => move.decides && move.moved === moved)
    .map(({ name, test, better }) => ({ name, p: directionalP(test, better, moved) }))
    .sort((a, b) => a.p - b.p);
  const [first] = found;
  return first === undefined ? null : { p: first.p, metrics: found.map(({ name }) => name) };
}

/** One-sided p (0–1) of a move in this direction. Two-sided if neither direction is better. */
export function directionalP(test: ValueTest | null, better: Better, moved: Moved): number {
  if (test === null) return 1;
  if (better === 'none') return test.differs;
  return towards(moved, better) === 'fell' ? test.down : test.up;
}

function towards(moved: Moved, better: Better): 'rose' | 'fell' {
  if (moved === 'higher' || moved === 'lower') return moved === 'higher' ? 'rose' : 'fell';
  return (better === 'higher') === (moved === 'better') ? 'rose' : 'fell';
}

export function directionOf({ z }: ValueTest, moved: Moved, better: Better): MoveDirection {
  const way = towards(moved, better);
  const isMean = way === 'rose' ? z.mean >= z.ranks : z.mean <= z.ranks;
  return { way, by: isMean ? 'mean' : 'ranks' };
}

export function fellAt({ better, share, looks, plan }: MetricMove, alpha: number): boolean {
  return withLevels(looks, alpha, plan).some(
    ({ look, level }) =>
      (share === null || isLargeDrop(look?.difference ?? null, share.minDrop)) &&
      reachesLevel(directionalP(look, better, 'worse'), level),
  );
}

/** Whether a deciding value or a share (such as of passing turns) fell, but not significantly. */
export function hasOpenMove(moves: readonly MetricMove[], tolerance: number): boolean {
  return moves.some(
    ({ share, gate, test, moved, isOpen }) =>
      isOpen ||
      (share !== null &&
        gate === 'fail' &&
        moved !== 'worse' &&
        isOpenDrop(test, share.minDrop, tolerance)),
  );
}

/** As a share of the larger mean. A smaller change does not count as a fall. */
const SMALLEST_FALL = 0.01;

/**
 * Whether a deciding value fell although the test did not call it: its interval has only falls, or
 * too few values differ to call any fall at this level.
 */
export function isOpenValue({ decides, better, test }: MetricMove, level: number): boolean {
  if (!decides || test === null) return false;
  const { base, head, difference, low, high, least } = test;
  const [sign, best] = better === 'higher' ? [1, high] : [-1, low];
  if (-sign * difference <= SMALLEST_FALL * Math.max(Math.abs(base), Math.abs(head))) return false;
  return best === null || sign * best <= 0 || !reachesLevel(least, level);
}

/**
 * Returns the moves (changes) in `fell`, and others that Holm's procedure finds significant.
 * Metrics that warn and metrics without a better direction are tested separately.
 */
export function calledMoves(
  moves: readonly MetricMove[],
  fell: ReadonlySet<MetricMove>,
  alpha: number,
): Map<MetricMove, Moved> {
  const called = (of: readonly MetricMove[], moved: Moved) =>
    holmCalled(of, ({ test, better }) => directionalP(test, better, moved), alpha);
  const shown = moves.filter(({ gate }) => gate !== 'ignore');
  const judged = shown.filter(({ better }) => better !== 'none');
  const warned = judged.filter(({ gate }) => gate === 'warn');
  const undirected = shown.filter(({ better }) => better === 'none');
  return new Map<MetricMove, Moved>([
    ...called(judged, 'better').map((move) => [move, 'better'] as const),
    ...[...called(warned, 'worse'), ...fell].map((move) => [move, 'worse'] as const),
    ...called(undirected, 'higher').map((move) => [move, changeOf(move)] as const),
  ]);
}

function changeOf({ test }: MetricMove): Moved {
  const { mean, ranks } = test?.z ?? { mean: 0, ranks: 0 };
  return (Math.abs(mean) >= Math.abs(ranks) ? mean : ranks) > 0 ? 'higher' : 'lower';
}

export function shownValues(
  move: Pick<MetricMove, 'better' | 'gate' | 'decides' | 'share' | 'test' | 'moved' | 'exploded'>,
  values: readonly Values[],
): MetricValues {
  const { better, gate, decides, share, test, moved, exploded } = move;
  const own = {
    ...(share !== null && { share: share.of }),
    ...(decides && { decides: true as const }),
  };
  const figures = { ...meansOf(test, values), p: null, references: 0, gate, moved, ...own };
  if (test === null) return figures;
  return {
    ...figures,
    fell: test.fell,
    rose: test.rose,
    p: directionalP(test, better, 'worse'),
    references: test.items,
    ...(exploded.length > 0 && { exploded }),
    ...(moved !== null && directionOf(test, moved, better)),
  };
}

export function meansOf(
  test: ValueTest | null,
  values: readonly Values[],
): Pick<MetricValues, 'base' | 'head' | 'difference' | 'low' | 'high'> {
  if (test !== null) {
    const { base, head, difference, low, high } = test;
    return { base, head, difference, low, high };
  }
  const base = sideMean(values, 'base');
  const head = sideMean(values, 'head');
  return { base, head, difference: null, low: null, high: null };
}
