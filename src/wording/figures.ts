import {
  countsForVerdict,
  hasBroken,
  measuredMetrics,
  isNew,
  referencesThat,
  ungradedSuites,
  type MeasuredMetric,
} from '../kernel/result/counts.ts';
import type { MetricValues } from '../kernel/result/metric-result.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult, Verdict } from '../kernel/result/suite-result.ts';
import { sum } from '../kernel/statistics/sums.ts';
import { OBJECT_WORDS } from '../metrics/objects.ts';
import { count, counted, meansInWords, wholeRates } from '../text/amounts.ts';
import { byCodeUnits } from '../text/order.ts';
import { firstOf, type Words } from './words.ts';

export interface Figures {
  ran: number;
  /** References that ran, including `fresh` ones, which are new. */
  references: number;
  fresh: number;
  /** References that got worse although their suite did not regress. */
  worse: number;
  /** References with a judged answer, of all that need one. Null if all have one. */
  evidence: { references: number; of: number } | null;
  /** Tries without a readable grade. Counts only suites with many of them. */
  ungraded: { tries: number; of: number } | null;
}

export function figuresOf({ suites }: Pick<Result, 'suites'>): Figures {
  const ran = suites.map(({ references }) =>
    references.filter(({ base, head }) => base !== null || head !== null),
  );
  const alone = suites.filter(({ verdict }) => verdict !== 'regressed');
  const ungraded = ungradedSuites(suites);
  const evidence = {
    references: sum(suites.map((suite) => suite.evidence.references)),
    of: sum(suites.map((suite) => suite.evidence.of)),
  };
  return {
    ran: ran.filter((references) => references.length > 0).length,
    references: ran.flat().length,
    fresh: referencesThat(suites, isNew).length,
    worse: alone
      .flatMap(({ references }) => references)
      .filter((reference) => reference.status === 'regressed' && countsForVerdict(reference))
      .length,
    evidence: evidence.references === evidence.of ? null : evidence,
    ungraded:
      ungraded.length === 0
        ? null
        : {
            tries: sum(ungraded.map((suite) => suite.ungraded)),
            of: sum(ungraded.map(({ tries }) => tries)),
          },
  };
}

export function comparesNothing({ references, fresh }: Figures): boolean {
  return fresh > 0 && fresh >= references;
}

/** Tests that pass less often on head, on their own or as part of their suite. */
export function brokenIn({ references }: SuiteResult): ReferenceResult[] {
  return references.filter(
    (reference) =>
      countsForVerdict(reference) &&
      (reference.status === 'regressed' || reference.status === 'fell'),
  );
}

/** Says `broke` only of tests whose evidence is more than one failed try. */
export function brokeWord(worse: readonly ReferenceResult[]): string {
  const broken = worse.filter(hasBroken).length;
  if (broken === 0) return 'failed once';
  return broken === worse.length ? 'broke' : 'broke or failed once';
}

export function isSilent(suite: SuiteResult): boolean {
  const ids = suite.reason?.by === 'unanswered' ? suite.reason.references : [];
  return suite.references.every(
    ({ id, head }) => !ids.includes(id) || (head?.tries_judged ?? 0) === 0,
  );
}

interface PromptId {
  path: string;
  name: string;
}

/** Suites of one prompt differ in their model or parameters. */
export function isOfPrompt({ path, name }: PromptId): (other: PromptId) => boolean {
  return (other) => other.path === path && other.name === name;
}

const WORST_FIRST: readonly Verdict[] = [
  'regressed',
  'inconclusive',
  'no_data',
  'not_compared',
  'removed',
  'new',
  'improved',
  'unchanged',
];

export function suitesWorstFirst(suites: readonly SuiteResult[]): SuiteResult[] {
  return [...suites].sort(
    (a, b) =>
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      (a.pass_rate.difference ?? 0) - (b.pass_rate.difference ?? 0) ||
      byCodeUnits(a.path, b.path),
  );
}

type ComparedFigures = Pick<MetricValues, 'base' | 'head' | 'share'>;

/** For example `words 2.00 → 5.00`. */
export function numberInWords(name: string, { base, head, share }: ComparedFigures): string {
  return share === undefined
    ? `${name} ${meansInWords(base, head)}`
    : `${shareName(name, share)} ${wholeRates(base, head)}`;
}

export function shareName(metric: string, share: NonNullable<ComparedFigures['share']>): string {
  return `${OBJECT_WORDS[share]}s that pass ${metric}`;
}

/** The metrics whose values decide, or are shown because passes say nothing. */
export function decidingMetrics(suite: SuiteResult): MeasuredMetric[] {
  const own = measuredMetrics(suite).filter(
    ({ gates, values }) => gates && values.share === undefined,
  );
  const decide = own.filter(({ values }) => values.decides);
  return decide.length === 0 && suite.unit === 'values' ? own : decide;
}

/** Whether passes or values of both sides were compared. */
export function hasComparison({ pass_rate, unit, reason }: SuiteResult): boolean {
  return pass_rate.difference !== null || (unit === 'values' && reason !== null);
}

/** True if no answer of base passes and no value decides, so that nothing can show a fall. */
export function passesNothing(suite: SuiteResult): boolean {
  const other = [...shareFigures(suite), ...decidingMetrics(suite)];
  return suite.pass_rate.base === 0 && hasComparison(suite) && other.length === 0;
}

/** For example `rouge 0.71 → 0.63, lower in 8 of 48 tests`. Null if passes decide. */
export function valueWords(suite: SuiteResult, names: readonly string[] = []): Words | null {
  const shown = decidingMetrics(suite).filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  const parts = shown.map(({ name, values }): Words => {
    const { base, head, way, references } = values;
    const [word, changed = 0] = way === 'fell' ? ['lower', values.fell] : ['higher', values.rose];
    const how = `, ${word} in ${count(changed)} of ${counted(references, 'test')}`;
    return [{ name }, ` ${meansInWords(base, head)}${way === undefined ? '' : how}`];
  });
  return parts.length === 0 ? null : firstOf(parts);
}

export function shareFigures(suite: SuiteResult): MeasuredMetric[] {
  return measuredMetrics(suite).filter(({ values }) => values.share !== undefined);
}
