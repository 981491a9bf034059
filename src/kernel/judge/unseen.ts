import { entryNumber, metricNumber } from '../../metrics/value.ts';
import type { Outcome } from '../../types/metric.ts';
import { countsForVerdict, standsBeforeGreen } from '../result/counts.ts';
import type { MetricResult } from '../result/metric-result.ts';
import type { Reason } from '../result/reason.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { fallP } from '../statistics/suite-test.ts';
import { type Tries, reachesLevel } from '../statistics/table.ts';

/** Where head lacks more than this share of base's references or tries, that is not chance. */
const MOST_LOST = 0.02;

/** What base judged and head could not; with any of these no run is green. */
export function unseenIn(suites: readonly SuiteResult[], alpha: number): Reason[] {
  const green = suites.filter(
    ({ verdict }) => verdict !== 'inconclusive' && verdict !== 'regressed',
  );
  return [
    ...unseenReferences(suites),
    ...green.flatMap((suite) => unseenTries(suite, alpha) ?? []),
    ...green.flatMap((suite) =>
      suite.metrics.flatMap((metric) => unseenMetric(suite, metric, alpha) ?? []),
    ),
  ];
}

function unseenReferences(suites: readonly SuiteResult[]): Reason[] {
  const counts = suites.map(({ name, verdict, evidence }) => ({ name, verdict, ...evidence }));
  return standsBeforeGreen(counts)
    .filter(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'regressed')
    .map(({ name, verdict, references, of, missing }) => ({
      code: 'uncompared',
      ...{ suite: name, judged: references, of, missing, unasked: verdict === 'not_compared' },
    }));
}

function unseenTries(suite: SuiteResult, alpha: number): Reason | null {
  const skipped = triesIn(flagsByReference(suite, ({ outcome }) => outcome === 'skipped'));
  const found = flagsByReference(suite, ({ outcome }) => outcome === 'pass' || outcome === 'fail');
  if (skipped.head.has <= skipped.base.has || !isLessOften(found, alpha)) return null;
  const metrics = suite.metrics
    .filter((metric) => metric.gates && metric.judged_head < metric.judged_base)
    .map(({ name }) => name);
  return { code: 'skipped-tries', suite: suite.name, metrics, ...triesIn(found) };
}

/** Checks whose conditions hold less often on head: maybe for good reasons, so it is only said. */
export function seldomIn(suites: readonly SuiteResult[], alpha: number): Reason[] {
  return suites
    .filter((suite) => unseenTries(suite, alpha) === null)
    .flatMap((suite) =>
      suite.metrics.flatMap(
        ({ name, gates, judged_base: before, judged_head: after }): Reason[] => {
          if (!gates || after === 0 || after >= before) return [];
          const scored = (is: (status: string) => boolean): Has[] =>
            flagsByReference(suite, ({ scores }) =>
              scores.some(({ metric, status }) => metric === name && is(status)),
            );
          const skipped = triesIn(scored((status) => status === 'skipped'));
          const found = scored((status) => status === 'pass' || status === 'fail');
          if (skipped.head.has <= skipped.base.has || !isLessOften(found, alpha)) return [];
          return [{ code: 'seldom-judged', suite: suite.name, metric: name, ...triesIn(found) }];
        },
      ),
    );
}

/** A check that vanished is no green one: it judged none of head's answers, or lost its numbers. */
function unseenMetric(suite: SuiteResult, metric: MetricResult, alpha: number): Reason | null {
  const { name, judged_base: before, judged_head: after, values } = metric;
  const of = { suite: suite.name, metric: name };
  const byMean = values?.gate === 'fail';
  if ((metric.gates || byMean) && before > 0 && after === 0)
    return { code: 'metric-silent', ...of, answers: before };
  if (!byMean) return null;
  const found = flagsByReference(suite, ({ scores }) =>
    scores.some((score) => hasNumber(score, name)),
  );
  const [base, head] = [withAny(found, 'base'), withAny(found, 'head')];
  if (base + head === 0) return { code: 'values-missing', ...of };
  if (base - head > MOST_LOST * base)
    return { code: 'values-fewer-references', ...of, base, head, of: found.length };
  return isLessOften(found, alpha)
    ? { code: 'values-fewer-tries', ...of, ...triesIn(found) }
    : null;
}

function hasNumber({ metric, value }: TryResult['scores'][number], name: string): boolean {
  if (metric === name) return metricNumber(value) !== null;
  return (
    name.startsWith(`${metric}.`) && entryNumber(value, name.slice(metric.length + 1)) !== null
  );
}

type Has = Record<'base' | 'head', boolean[]>;

function flagsByReference(
  { references }: SuiteResult,
  has: (tryResult: TryResult) => boolean,
): Has[] {
  return references
    .filter(countsForVerdict)
    .flatMap(({ base, head }) =>
      base === null || head === null
        ? []
        : [{ base: base.tries.map(has), head: head.tries.map(has) }],
    );
}

function withAny(found: readonly Has[], side: keyof Has): number {
  return found.filter((reference) => reference[side].includes(true)).length;
}

function triesIn(found: readonly Has[]): Record<keyof Has, { has: number; of: number }> {
  const count = (side: keyof Has): { has: number; of: number } => {
    const all = found.flatMap((reference) => reference[side]);
    return { has: all.filter((has) => has).length, of: all.length };
  };
  return { base: count('base'), head: count('head') };
}

/** By more than a little and more than chance. */
function isLessOften(found: readonly Has[], alpha: number): boolean {
  const { base, head } = triesIn(found);
  const lost = base.has / Math.max(1, base.of) - head.has / Math.max(1, head.of);
  if (lost <= MOST_LOST) return false;
  const word = (has: boolean): Outcome => (has ? 'pass' : 'fail');
  const tries = found.map((side): Tries => ({
    base: side.base.map(word),
    head: side.head.map(word),
  }));
  return reachesLevel(fallP(tries), alpha);
}
