import { directionIn } from '../../metrics/passing.ts';
import { entryNumber, metricNumber } from '../../metrics/value.ts';
import type { Better, Metric, Score } from '../../types/metric.ts';
import { isMap, type Side } from '../../types/plain.ts';
import { suiteBlocks } from '../plan/ledger.ts';
import { lookLevels, type LookPlan } from '../plan/looks.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { gateWordOf } from '../plan/tries.ts';
import type { MetricValues, MoveDirection } from '../result/metric-result.ts';
import { holm } from '../statistics/gate.ts';
import { createRandom } from '../statistics/random.ts';
import { reachesLevel } from '../statistics/table.ts';
import { type ValueTest, type Values, valueTest } from '../statistics/value-test.ts';
import { everyMetric, isPairwise } from '../suite/metrics.ts';

export interface MetricNumber {
  metric: Metric;
  /** Entry of a map of several; null: the value itself. */
  entry: string | null;
  name: string;
}

/** More entries than this are data rather than numbers to compare. */
const MOST_ENTRIES = 20;

export interface MetricMove {
  name: string;
  better: Better;
  gate: MetricValues['gate'];
  /** On the tries that all references share; null: no reference has numbers on both sides. */
  test: ValueTest | null;
  /** The test after each look of a sequential suite, where the metric gates; else empty. */
  looks: (ValueTest | null)[];
  plan: LookPlan;
  moved: MetricValues['moved'];
}

/** The numbers that say more than pass and fail: a metric's value, or each entry of a map. */
export function metricNumbers({ run, gate }: SuiteComparison): MetricNumber[] {
  const all = everyMetric(run.scoring.tests);
  const seen = new Set(all.filter(isPairwise).map(({ name }) => name));
  return all.flatMap((metric) => {
    if (seen.has(metric.name)) return [];
    seen.add(metric.name);
    const asked = gate.metrics?.[metric.name] !== undefined;
    const scores = run.runs.flatMap(({ base, head }) =>
      [...base, ...head].flatMap(({ byHead }) => scoreIn(byHead.scores, metric.name)),
    );
    const whole =
      scores.some((score) => metricNumber(score.value) !== null) && (asked || !restates(scores));
    // One that the gate names has a row, and so is missed, where no answer gives it.
    const wanted = Object.keys(gate.metrics ?? {})
      .filter((name) => name.startsWith(`${metric.name}.`))
      .map((name) => name.slice(metric.name.length + 1));
    const entries = [...new Set([...mapEntryNames(scores), ...wanted])]
      .map((entry): MetricNumber => ({ metric, entry, name: `${metric.name}.${entry}` }))
      .filter(({ name }) => all.every((number) => number.name !== name));
    return [
      ...(whole ? [{ metric, entry: null, name: metric.name }] : []),
      ...entries.filter(
        ({ name }) => entries.length <= MOST_ENTRIES || gate.metrics?.[name] !== undefined,
      ),
    ];
  });
}

function mapEntryNames(scores: readonly Score[]): string[] {
  const maps = scores.flatMap(({ value }) => (isMap(value) ? [value] : []));
  if (maps.every((map) => Object.keys(map).length < 2)) return [];
  const names = new Set(maps.flatMap((map) => Object.keys(map)));
  return [...names].filter((name) => maps.some((map) => entryNumber(map, name) !== null));
}

function scoreIn(scores: readonly Score[], name: string): Score[] {
  const found = scores.find(({ metric }) => metric === name);
  return found === undefined ? [] : [found];
}

function restates(scores: readonly Score[]): boolean {
  const judged = scores.filter(({ status }) => status === 'pass' || status === 'fail');
  return [1, 0].some((passing) =>
    judged.every(
      ({ value, status }) => metricNumber(value) === (status === 'pass' ? passing : 1 - passing),
    ),
  );
}

/** By reference, for tries below index `tries`. A latency counts only if made in this run. */
export function valuesByReference(
  { metric, entry }: Pick<MetricNumber, 'metric' | 'entry'>,
  runs: readonly ReferenceRun[],
  tries: number,
): Values[] {
  const timed = metric.source.kind === 'built-in' && metric.source.uses === 'latency';
  const side = (run: ReferenceRun, which: Side): (number | null)[] =>
    run[which]
      .filter(({ byHead }) => byHead.try < tries)
      .map(({ byHead }) => {
        if (timed && byHead.reused) return null;
        const value = scoreIn(byHead.scores, metric.name)[0]?.value ?? null;
        return entry === null ? metricNumber(value) : entryNumber(value, entry);
      });
  return runs.map((run) => ({ base: side(run, 'base'), head: side(run, 'head') }));
}

/** How the metrics of a suite moved, before anything is called. `tries`: those that all share. */
export function metricMoves(
  suite: SuiteComparison,
  { tries, plan }: { tries: number; plan: LookPlan },
): MetricMove[] {
  const { run, compared, policy } = suite;
  const clusters = suiteBlocks(compared);
  return metricNumbers(suite).map((number) => {
    const { metric, name } = number;
    const better = directionIn(metric, run.scoring.rubrics);
    const gate = gateWordOf(suite, name, better);
    const test = (to: number): ValueTest | null =>
      valueTest(
        valuesByReference(number, compared, to),
        clusters,
        createRandom(`values ${run.suite.path} ${run.suite.name} ${name}`),
      );
    const adaptive = policy.kind === 'adaptive';
    const looks =
      adaptive && gate === 'fail' ? plan.tries.filter((look) => look <= tries).map(test) : [];
    const last = looks.at(-1) ?? test(adaptive ? tries : Infinity);
    return { name, better, gate, test: last, looks, plan, moved: null };
  });
}

type Moved = NonNullable<MetricValues['moved']>;

function pOf(test: ValueTest | null, better: Better, moved: Moved): number {
  if (test === null) return 1;
  if (better === 'none') return test.differs;
  return wayOf(moved, better) === 'fell' ? test.down : test.up;
}

function wayOf(moved: Moved, better: Better): 'rose' | 'fell' {
  if (moved === 'higher' || moved === 'lower') return moved === 'higher' ? 'rose' : 'fell';
  return (better === 'higher') === (moved === 'better') ? 'rose' : 'fell';
}

/** Whether the numbers rose or fell, and whether that shows in the mean or in most references. */
export function directionOf({ z }: ValueTest, moved: Moved, better: Better): MoveDirection {
  const way = wayOf(moved, better);
  const isMean = way === 'rose' ? z.mean >= z.ranks : z.mean <= z.ranks;
  return { way, by: isMean ? 'mean' : 'ranks' };
}

/** At one of its looks where there are several. */
export function fellAt({ better, test, looks, plan }: MetricMove, alpha: number): boolean {
  if (looks.length === 0) return reachesLevel(pOf(test, better, 'worse'), alpha);
  const levels = lookLevels(alpha, plan);
  return looks.some((look, i) => reachesLevel(pOf(look, better, 'worse'), levels[i] ?? 0));
}

/**
 * Those that gate by `fell`, the others by Holm's procedure: over all that warn, and over all
 * without a better direction, two-sided.
 */
export function calledMoves(
  moves: readonly MetricMove[],
  fell: ReadonlySet<MetricMove>,
  alpha: number,
): Map<MetricMove, Moved> {
  const called = (of: readonly MetricMove[], moved: Moved): MetricMove[] => {
    const adjusted = holm(of.map(({ test, better }) => pOf(test, better, moved)));
    return of.filter((_, i) => reachesLevel(adjusted[i] ?? 1, alpha));
  };
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
  { better, gate, test, moved }: Pick<MetricMove, 'better' | 'gate' | 'test' | 'moved'>,
  alone: { base: number | null; head: number | null },
): MetricValues {
  if (test === null)
    return {
      ...alone,
      difference: null,
      low: null,
      high: null,
      p: null,
      references: 0,
      gate,
      moved,
    };
  const { base, head, difference, low, high, items } = test;
  const p = pOf(test, better, 'worse');
  const shown = { base, head, difference, low, high, p, references: items, gate, moved };
  return moved === null ? shown : { ...shown, ...directionOf(test, moved, better) };
}
