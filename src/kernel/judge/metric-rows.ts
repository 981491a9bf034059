import { canFail, directionIn } from '../../metrics/passing.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { suiteClusters } from '../plan/ledger.ts';
import { metricNumbers, valuesByReference, type MetricNumber } from '../plan/metric-numbers.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { isOutcome, metricGate } from '../plan/tries.ts';
import type { MetricObjects, MetricResult } from '../result/metric-result.ts';
import type { PassRate } from '../result/suite-result.ts';
import { scoreNames } from '../select/scoring.ts';
import { createRandom } from '../statistics/random.ts';
import { countOutcomes } from '../statistics/table.ts';
import { valueTest, type Values } from '../statistics/value-test.ts';
import { everyMetric } from '../suite/metrics.ts';
import { ratedRuns, ratedTries } from './rates.ts';
import type { SuiteVerdict } from './suite-row.ts';
import { comparedShare, meansOf, shownValues } from './values.ts';

/** If a metric has more different values, they are answers, not labels. */
const MAX_LABELS = 12;

const LONGEST_LABEL = 60;

interface Rated {
  suite: SuiteComparison;
  verdict: SuiteVerdict | null;
  runs: readonly ReferenceRun[];
  tries: number;
}

export function metricRows(suite: SuiteComparison, verdict: SuiteVerdict | null): MetricResult[] {
  const { tests, rubrics } = suite.run.scoring;
  const rated: Rated = { suite, verdict, runs: ratedRuns(suite), tries: ratedTries(verdict) };
  const numbers = metricNumbers(suite);
  const metrics = everyMetric(tests);
  return scoreNames(tests).flatMap((name): MetricResult[] => {
    const metric = metrics.find((candidate) => candidate.name === name);
    const scores = (side: Side) => metricScores(name, rated.runs, side, rated.tries);
    const onBase = scores('base');
    const onHead = scores('head');
    const base = passRateOf(onBase);
    const head = passRateOf(onHead);
    const row = { name, judged_base: base.judged, judged_head: head.judged };
    if (metric === undefined)
      return [{ ...row, base: base.rate, head: head.rate, gates: true, better: 'higher' }];
    const rubric = metric.source.kind === 'rubric' ? rubrics.get(metric.source.rubric) : undefined;
    const says = canFail(metric, rubrics);
    const labels = labelCounts(onBase, onHead, [...(rubric?.choice_scores.keys() ?? [])]);
    const own = numbers.filter((value) => value.metric.name === name);
    const whole = own.find(({ entry }) => entry === null);
    const shared = { ...row, gates: !metric.skip, better: directionIn(metric, rubrics) };
    return [
      {
        ...shared,
        base: says ? base.rate : null,
        head: says ? head.rate : null,
        ...(whole !== undefined && { values: valuesRow(whole, rated) }),
        ...(labels.length > 0 && { labels }),
        ...(metric.every !== undefined && says && { objects: objectsRow(metric, rated) }),
      },
      ...own
        .filter(({ entry }) => entry !== null)
        .map((value) => ({
          ...shared,
          better: directionIn(metric, rubrics, value.entry),
          name: value.name,
          base: null,
          head: null,
          values: valuesRow(value, rated),
        })),
    ];
  });
}

function valuesRow(
  number: MetricNumber,
  { suite, verdict, runs, tries }: Rated,
): NonNullable<MetricResult['values']> {
  const move = verdict?.moves.find(({ name }) => name === number.name) ?? {
    better: directionIn(number.metric, suite.run.scoring.rubrics, number.entry),
    gate: metricGate(suite, number),
    decides: isOutcome(suite, number),
    share: comparedShare(suite, number),
    test: null,
    moved: null,
    exploded: [],
  };
  return shownValues(move, valuesByReference(number, runs, tries));
}

function objectsRow(
  { name, level }: Metric,
  { suite, verdict, runs, tries }: Rated,
): MetricObjects {
  const side = (which: Side) => {
    const objects = metricScores(name, runs, which, tries).flatMap(
      ({ objects: own }) => own?.scores ?? [],
    );
    const { passes, tries: judged } = countOutcomes(objects.map(({ status }) => status));
    return runs.some((run) => run[which].length > 0) ? { passes, judged } : null;
  };
  const { difference, low, high } = objectRate(name, suite, verdict);
  return { level, base: side('base'), head: side('head'), difference, low, high };
}

/**
 * The share of turns (or other parts) that pass, averaged over dialogues, with a two-sided 90 %
 * interval.
 */
export function objectRate(
  name: string,
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
): Omit<PassRate, 'p'> {
  const { run, compared } = suite;
  const shares = (referenceRun: ReferenceRun, which: Side) =>
    metricScores(name, [referenceRun], which, ratedTries(verdict)).map(
      ({ objects }) => passRateOf(objects?.scores ?? []).rate,
    );
  const valuesIn = (some: readonly ReferenceRun[]): Values[] =>
    some.map((each) => ({ base: shares(each, 'base'), head: shares(each, 'head') }));
  const test = valueTest(
    valuesIn(compared),
    suiteClusters(compared),
    createRandom(`objects ${run.suite.path} ${run.suite.name} ${name}`),
  );
  return meansOf(test, valuesIn(ratedRuns(suite)));
}

function metricScores(
  name: string,
  runs: readonly ReferenceRun[],
  side: Side,
  tries: number,
): Score[] {
  return runs.flatMap((run) =>
    run[side]
      .filter(({ byHead }) => byHead.try < tries)
      .flatMap(({ byHead }) => byHead.scores.filter(({ metric }) => metric === name)),
  );
}

function passRateOf(scores: readonly Pick<Score, 'status'>[]) {
  const { passes, tries: judged } = countOutcomes(scores.map(({ status }) => status));
  return { judged, rate: judged === 0 ? null : passes / judged };
}

function labelCounts(
  base: readonly Score[],
  head: readonly Score[],
  known: readonly string[],
): NonNullable<MetricResult['labels']> {
  const before = base.flatMap(labelOf);
  const after = head.flatMap(labelOf);
  const given = new Set([...before, ...after]);
  const labels = [...new Set([...known.filter(() => given.size > 0), ...given])];
  if (labels.length > MAX_LABELS || labels.some(({ length }) => length > LONGEST_LABEL)) return [];
  const count = (of: readonly string[], label: string) =>
    of.filter((other) => other === label).length;
  return labels.map((label) => ({ label, base: count(before, label), head: count(after, label) }));
}

function labelOf(score: Score): string[] {
  if (score.objects !== undefined) return score.objects.scores.flatMap(({ label }) => label ?? []);
  if (score.status !== 'pass' && score.status !== 'fail') return [];
  if (score.label !== undefined) return [score.label];
  return typeof score.value === 'string' ? [score.value] : [];
}
