import { directionIn, saysWhatPasses } from '../../metrics/passing.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { suiteBlocks } from '../plan/ledger.ts';
import { metricNumbers, valuesByReference, type MetricNumber } from '../plan/metric-numbers.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { gateWordOf } from '../plan/tries.ts';
import type { MetricObjects, MetricResult } from '../result/metric-result.ts';
import type { PassRate } from '../result/suite-result.ts';
import { scoreNames } from '../select/scoring.ts';
import { createRandom } from '../statistics/random.ts';
import { countOutcomes } from '../statistics/table.ts';
import { sideMean, valueTest, type Values } from '../statistics/value-test.ts';
import { everyMetric } from '../suite/metrics.ts';
import { ratedRuns, ratedTries } from './rates.ts';
import { shownValues } from './values.ts';
import type { SuiteVerdict } from './verdict.ts';

/** More labels than this, or longer ones, are answers rather than labels. */
const MAX_LABELS = 12;

const LONGEST_LABEL = 60;

export function metricRows(suite: SuiteComparison, verdict: SuiteVerdict | null): MetricResult[] {
  const { tests, rubrics } = suite.run.scoring;
  const [runs, tries] = [ratedRuns(suite), ratedTries(verdict)];
  const numbers = metricNumbers(suite);
  return scoreNames(tests).flatMap((name): MetricResult[] => {
    const metric = everyMetric(tests).find((candidate) => candidate.name === name);
    const scores = (side: Side): Score[] => metricScores(name, runs, side, tries);
    const rate = (side: Side): ReturnType<typeof rateOf> =>
      rateOf(scores(side).map(({ status }) => status));
    const [base, head] = [rate('base'), rate('head')];
    const row = { name, judged_base: base.judged, judged_head: head.judged };
    if (metric === undefined)
      return [{ ...row, base: base.rate, head: head.rate, gates: true, better: 'higher' }];
    const rubric = metric.source.kind === 'rubric' ? rubrics.get(metric.source.rubric) : undefined;
    const says = saysWhatPasses(metric, rubric);
    const labels = labelCounts(scores('base'), scores('head'), [
      ...(rubric?.choice_scores.keys() ?? []),
    ]);
    const own = numbers.filter((value) => value.metric.name === name);
    const valuesAt = (value: MetricNumber): NonNullable<MetricResult['values']> =>
      valuesRow(value, suite, verdict, { runs, tries });
    const whole = own.find(({ entry }) => entry === null);
    const shared = { ...row, gates: !metric.skip, better: directionIn(metric, rubrics) };
    return [
      {
        ...shared,
        base: says ? base.rate : null,
        head: says ? head.rate : null,
        ...(whole === undefined ? {} : { values: valuesAt(whole) }),
        ...(labels.length === 0 ? {} : { labels }),
        ...(metric.every === undefined
          ? {}
          : { objects: objectsRow(metric, suite, verdict, { runs, tries }) }),
      },
      ...own.flatMap((value) =>
        value.entry === null
          ? []
          : [{ ...shared, name: value.name, base: null, head: null, values: valuesAt(value) }],
      ),
    ];
  });
}

function valuesRow(
  number: MetricNumber,
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
  { runs, tries }: { runs: readonly ReferenceRun[]; tries: number },
): NonNullable<MetricResult['values']> {
  const values = valuesByReference(number, runs, tries);
  const better = directionIn(number.metric, suite.run.scoring.rubrics);
  const gate = gateWordOf(suite, number.name, better);
  const alone = { base: sideMean(values, 'base'), head: sideMean(values, 'head') };
  const move = verdict?.moves.find(({ name }) => name === number.name);
  return shownValues(move ?? { better, gate, test: null, moved: null, exploded: [] }, alone);
}

/** The pass rates of single objects; in their difference each dialogue counts once. */
function objectsRow(
  { name, level }: Metric,
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
  { runs, tries }: { runs: readonly ReferenceRun[]; tries: number },
): MetricObjects {
  const side = (which: Side): MetricObjects['base'] => {
    const objects = metricScores(name, runs, which, tries).flatMap(
      ({ objects: own }) => own?.scores ?? [],
    );
    const { passes, tries: judged } = countOutcomes(objects.map(({ status }) => status));
    return runs.some((run) => run[which].length > 0) ? { passes, judged } : null;
  };
  const { difference, low, high } = objectRate(name, suite, runs, verdict);
  return { level, base: side('base'), head: side('head'), difference, low, high };
}

/** Mean over dialogues of the share of objects that pass, with its two-sided 90 % interval. */
export function objectRate(
  name: string,
  suite: SuiteComparison,
  runs: readonly ReferenceRun[],
  verdict: SuiteVerdict | null,
): Omit<PassRate, 'p'> {
  const { run, compared } = suite;
  const tries = ratedTries(verdict);
  const shares = (referenceRun: ReferenceRun, which: Side): (number | null)[] =>
    metricScores(name, [referenceRun], which, tries).map(({ objects }) => {
      const statuses = (objects?.scores ?? []).map(({ status }) => status);
      return rateOf(statuses).rate;
    });
  const valuesIn = (some: readonly ReferenceRun[]): Values[] =>
    some.map((referenceRun) => ({
      base: shares(referenceRun, 'base'),
      head: shares(referenceRun, 'head'),
    }));
  const test = valueTest(
    valuesIn(compared),
    suiteBlocks(compared),
    createRandom(`objects ${run.suite.path} ${run.suite.name} ${name}`),
  );
  if (test !== null) {
    const { base, head, difference, low, high } = test;
    return { base, head, difference, low, high };
  }
  const alone = valuesIn(runs);
  return {
    base: sideMean(alone, 'base'),
    head: sideMean(alone, 'head'),
    difference: null,
    low: null,
    high: null,
  };
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

function rateOf(statuses: readonly Score['status'][]): { rate: number | null; judged: number } {
  const { passes, tries: judged } = countOutcomes(statuses);
  return { judged, rate: judged === 0 ? null : passes / judged };
}

function labelCounts(
  base: readonly Score[],
  head: readonly Score[],
  known: readonly string[],
): NonNullable<MetricResult['labels']> {
  const [before, after] = [base.flatMap(labelOf), head.flatMap(labelOf)];
  const given = new Set([...before, ...after]);
  const labels = [...new Set([...known.filter(() => given.size > 0), ...given])];
  if (labels.length > MAX_LABELS || labels.some(({ length }) => length > LONGEST_LABEL)) return [];
  const count = (of: readonly string[], label: string): number =>
    of.filter((other) => other === label).length;
  return labels.map((label) => ({ label, base: count(before, label), head: count(after, label) }));
}

function labelOf(score: Score): string[] {
  if (score.objects !== undefined) return score.objects.scores.flatMap(({ label }) => label ?? []);
  if (score.status !== 'pass' && score.status !== 'fail') return [];
  if (score.label !== undefined) return [score.label];
  return typeof score.value === 'string' ? [score.value] : [];
}
