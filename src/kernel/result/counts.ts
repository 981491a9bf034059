import type { Counts } from '../statistics/table.ts';
import type { MetricResult, MetricValues } from './metric-result.ts';
import type { ReferenceResult, SideResult } from './reference-result.ts';
import type { EvidenceCount, SuiteResult } from './suite-result.ts';

/** What is skipped or in quarantine is only shown. */
export function countsForVerdict({
  skip,
  quarantined,
}: Pick<ReferenceResult, 'skip' | 'quarantined'>): boolean {
  return !skip && quarantined !== true;
}

/** Passes among the judged tries of a side; null: it did not run, and has none. */
export function sideCounts(side: Pick<SideResult, 'passes' | 'tries_judged'> | null): Counts {
  return { passes: side?.passes ?? 0, tries: side?.tries_judged ?? 0 };
}

export function sideShare({ passes, tries_judged }: SideResult): number {
  return passes / Math.max(1, tries_judged);
}

/** Worse by their own tries in suites not called regressed: a suite's level is stricter. */
export function worseAlone(suites: readonly SuiteResult[]): number {
  return suites
    .filter(({ verdict }) => verdict !== 'regressed')
    .flatMap(({ references }) => references)
    .filter((reference) => reference.status === 'regressed' && countsForVerdict(reference)).length;
}

export function failingMetrics({ metrics }: SuiteResult): (MetricResult & {
  values: MetricValues;
})[] {
  return metrics.flatMap((metric) =>
    metric.values?.moved === 'worse' && metric.values.gate === 'fail'
      ? [{ ...metric, values: metric.values }]
      : [],
  );
}

export function showsOnly({ metrics }: SuiteResult): boolean {
  return metrics.length > 0 && metrics.every(({ gates }) => !gates);
}

/** Above this share of a suite's tries without a readable grade the verdict line says so. */
const MAX_UNGRADED_SHARE = 0.1;

export function ungradedSuites(
  suites: readonly SuiteResult[],
): { name: string; ungraded: number; tries: number }[] {
  return suites.flatMap(({ name, references }) => {
    const tries = references.flatMap(({ base, head }) => [
      ...(base?.tries ?? []),
      ...(head?.tries ?? []),
    ]);
    const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded').length;
    return ungraded > MAX_UNGRADED_SHARE * tries.length
      ? [{ name, ungraded, tries: tries.length }]
      : [];
  });
}

export function ungradedInAll(
  suites: readonly SuiteResult[],
): { tries: number; of: number } | null {
  const found = ungradedSuites(suites);
  return found.length === 0
    ? null
    : {
        tries: found.reduce((sum, { ungraded }) => sum + ungraded, 0),
        of: found.reduce((sum, { tries }) => sum + tries, 0),
      };
}

/** Above this share of a run's references without evidence it is never green. */
const MOST_MISSING = 0.02;

/**
 * The counts that stand between a run and green: all in which something is missing where that is
 * more than a fiftieth of the run's references; else those of a critical reference, and of a suite
 * in which nothing could be judged.
 */
export function standsBeforeGreen<T extends EvidenceCount>(counts: readonly T[]): T[] {
  const lacking = counts.filter(({ missing }) => missing.length > 0);
  const missing = lacking.reduce((sum, count) => sum + count.missing.length, 0);
  if (missing > MOST_MISSING * counts.reduce((sum, { of }) => sum + of, 0)) return lacking;
  return lacking.filter(({ critical, references }) => critical.length > 0 || references === 0);
}

export function evidenceInAll(
  suites: readonly Pick<SuiteResult, 'evidence'>[],
): { references: number; of: number } | null {
  const counts = suites.map(({ evidence }) => evidence);
  const references = counts.reduce((sum, count) => sum + count.references, 0);
  const of = counts.reduce((sum, count) => sum + count.of, 0);
  return references === of ? null : { references, of };
}

/** References that make a suite red though its pass rate is no lower; null: that is not why. */
export function brokenUnderRise({
  verdict,
  reason,
  pass_rate: { base, head },
}: Pick<SuiteResult, 'verdict' | 'reason' | 'pass_rate'>): string[] | null {
  if (verdict !== 'regressed' || reason?.by !== 'references') return null;
  return base === null || head === null || head < base ? null : reason.references;
}

/** The metric that fell most, with its own pass rates, where a suite is red because of it. */
export function fallenMetric({
  verdict,
  reason,
  metrics,
}: Pick<SuiteResult, 'verdict' | 'reason' | 'metrics'>): NamedRate | null {
  const [name] = reason?.metrics ?? [];
  if (verdict !== 'regressed' || reason?.by !== 'fall' || name === undefined) return null;
  const row = metrics.find((metric) => metric.name === name);
  return { name, base: row?.base ?? null, head: row?.head ?? null };
}

interface NamedRate {
  name: string;
  base: number | null;
  head: number | null;
}
