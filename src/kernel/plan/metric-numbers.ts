import { restates, scoreEntries, scoreEntry } from '../../metrics/objects.ts';
import { canFail } from '../../metrics/passing.ts';
import { metricNumber } from '../../metrics/value.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { explodedItems } from '../statistics/exploded.ts';
import { createRandom } from '../statistics/random.ts';
import { isLargeDrop } from '../statistics/table.ts';
import { valueTest, type Values, type ValueTest } from '../statistics/value-test.ts';
import { everyMetric, isPairwise } from '../suite/metrics.ts';
import { boundLevel, FIRST_TRIES, ONE_LOOK, type LookPlan } from './looks.ts';
import type { ReferenceRun, SuiteComparison } from './suite-run.ts';

export interface MetricNumber {
  metric: Metric;
  entry: string | null;
  name: string;
}

/** A larger map counts as data, and its entries are not compared. */
const MAX_MAP_ENTRIES = 20;

/** A metric's numbers: its value, or each entry if the value is a map. */
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
      scores.some((score) => metricNumber(score.value) !== null) &&
      (asked || metric.skip || !canFail(metric, run.scoring.rubrics) || !restates(scores));
    // Includes entries that `gate.metrics` names, even if no answer has them.
    const wanted = Object.keys(gate.metrics ?? {})
      .filter((name) => name.startsWith(`${metric.name}.`))
      .map((name) => name.slice(metric.name.length + 1));
    const entries = [...new Set([...scoreEntries(metric, scores), ...wanted])]
      .map((entry): MetricNumber => ({ metric, entry, name: `${metric.name}.${entry}` }))
      .filter(({ name }) => all.every((number) => number.name !== name));
    return [
      ...(whole ? [{ metric, entry: null, name: metric.name }] : []),
      ...entries.filter(
        ({ name }) => entries.length <= MAX_MAP_ENTRIES || gate.metrics?.[name] !== undefined,
      ),
    ];
  });
}

function scoreIn(scores: readonly Score[], name: string): Score[] {
  const found = scores.find(({ metric }) => metric === name);
  return found === undefined ? [] : [found];
}

/** Latencies count only if they were measured in this run. */
export function valuesByReference(
  { metric, entry }: MetricNumber,
  runs: readonly ReferenceRun[],
  tries: number,
): Values[] {
  const timed = metric.source.kind === 'built-in' && metric.source.uses === 'latency';
  const side = (run: ReferenceRun, which: Side) =>
    run[which]
      .filter(({ byHead }) => byHead.try < tries)
      .map(({ byHead }) => {
        if (timed && byHead.reused) return null;
        const [score] = scoreIn(byHead.scores, metric.name);
        return score === undefined ? null : scoreEntry(score, entry);
      });
  return runs.map((run) => ({ base: side(run, 'base'), head: side(run, 'head') }));
}

interface ComparedTries {
  runs: readonly ReferenceRun[];
  clusters: readonly (string | null)[];
  /** Tries with this index or a higher one are ignored. */
  upTo: number;
}

/** With `plan`, the test's `bound` is valid even if no tries follow this look (interim test). */
export function numberTest(
  { run: { suite } }: SuiteComparison,
  number: MetricNumber,
  { runs, clusters, upTo }: ComparedTries,
  plan: LookPlan = ONE_LOOK,
): ValueTest | null {
  const random = createRandom(`values ${suite.path} ${suite.name} ${number.name}`);
  const values = valuesByReference(number, runs, upTo);
  return valueTest(values, clusters, random, boundLevel(plan, upTo));
}

/** Whether the share dropped, perhaps by more than the tolerance. */
export function isOpenDrop(
  test: Pick<ValueTest, 'difference' | 'bound'> | null,
  minDrop: number,
  tolerance: number,
): boolean {
  return isLargeDrop(test?.difference ?? null, minDrop) && (test?.bound ?? -1) <= -tolerance;
}

const EXPLODED_TRIES = 4;

/** References whose value moved far more than the others'. `isOpen`: needs more tries. */
export function explodedReferences(
  { policy, gate, compared }: SuiteComparison,
  number: MetricNumber,
  first: number,
): { run: ReferenceRun; isOpen: boolean }[] {
  if (gate.metrics?.[number.name] === 'ignore' || policy.kind === 'pairs') return [];
  const isAdaptive = policy.kind === 'adaptive';
  const needed = isAdaptive ? EXPLODED_TRIES : FIRST_TRIES;
  const values = valuesByReference(number, compared, Infinity);
  return explodedItems(values, isAdaptive ? first : Infinity).flatMap((at) => {
    const run = compared[at];
    if (run === undefined) return [];
    const isOpen = Math.min(run.base.length, run.head.length) < needed;
    return isAdaptive || !isOpen ? [{ run, isOpen }] : [];
  });
}
