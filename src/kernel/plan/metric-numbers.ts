import { restates, scoreEntries, scoreEntry } from '../../metrics/objects.ts';
import { metricNumber } from '../../metrics/value.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { explodedItems } from '../statistics/exploded.ts';
import type { Values } from '../statistics/value-test.ts';
import { everyMetric, isPairwise } from '../suite/metrics.ts';
import { FIRST_TRIES } from './looks.ts';
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
      (asked || metric.skip || !restates(scores));
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
        const [score] = scoreIn(byHead.scores, metric.name);
        return score === undefined ? null : scoreEntry(score, entry);
      });
  return runs.map((run) => ({ base: side(run, 'base'), head: side(run, 'head') }));
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
