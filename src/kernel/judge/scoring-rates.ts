import type { Outcome } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { clusteredRuns } from '../plan/ledger.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import { gates } from '../select/affected-suite.ts';
import type { Scoring } from '../select/scoring.ts';
import { combinedGate } from '../statistics/gate.ts';
import { meanDifference } from '../statistics/interval.ts';
import { contrast } from '../statistics/look.ts';
import { countOutcomes, type Counts, type Table, meanOfCounts } from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { gatesByPreference, metricsFor } from '../suite/metrics.ts';
import { sharedTries } from './mean-rates.ts';
import { preferenceTables } from './preference.ts';

type Corners = Record<keyof ScoringResult['rates'], Counts>;

function cornersOf(run: ReferenceRun, tries: number): Corners {
  const under = (outputs: Side, scoring: Side): Counts =>
    countOutcomes(
      run[outputs]
        .slice(0, tries)
        .flatMap(({ byHead, byBase }) => (scoring === 'head' ? byHead : byBase)?.outcome ?? []),
    );
  return {
    base_base: under('base', 'base'),
    base_head: under('base', 'head'),
    head_base: under('head', 'base'),
    head_head: under('head', 'head'),
  };
}

export function scoringRates(suite: SuiteComparison): ScoringResult['rates'] {
  const tries = splitTries(suite);
  return cornerRates(splitRuns(suite).map((run) => cornersOf(run, tries)));
}

/**
 * Mean rates over the references that were judged in all four corners, for a difference between
 * rates of different references would be no effect of anything; where there are none, over those of
 * which base's answers were judged by both sides' scoring.
 */
function cornerRates(corners: readonly Corners[]): ScoringResult['rates'] {
  const onBase = corners.filter(
    ({ base_base: before, base_head: after }) => before.tries > 0 && after.tries > 0,
  );
  const whole = onBase.filter(
    ({ head_base: before, head_head: after }) => before.tries > 0 && after.tries > 0,
  );
  const rate = (corner: keyof Corners): number | null =>
    meanOfCounts((whole.length > 0 ? whole : onBase).map((reference) => reference[corner]));
  return {
    base_base: rate('base_base'),
    base_head: rate('base_head'),
    head_base: rate('head_base'),
    head_head: rate('head_head'),
  };
}

function ratesUnderBase(suite: SuiteComparison): Pick<FallUnderBase, 'base' | 'head'> | null {
  const tries = splitTries(suite);
  const judged = splitRuns(suite)
    .map((run) => cornersOf(run, tries))
    .filter(({ base_base: before, head_base: after }) => before.tries > 0 && after.tries > 0);
  const base = meanOfCounts(judged.map(({ base_base }) => base_base));
  const head = meanOfCounts(judged.map(({ head_base }) => head_base));
  return base === null || head === null ? null : { base, head };
}

export function splitRuns({ run: { suite, runs }, quarantined }: SuiteComparison): ReferenceRun[] {
  return runs.filter(
    ({ affected: reference, base, head }) =>
      base.length > 0 &&
      head.length > 0 &&
      gates(suite, reference) &&
      !quarantined(reference.reference.id),
  );
}

function splitTries(suite: SuiteComparison): number {
  return suite.policy.kind === 'adaptive'
    ? sharedTries(splitRuns(suite))
    : Number.POSITIVE_INFINITY;
}

export interface FallUnderBase {
  base: number;
  head: number;
  references: string[];
  /**
   * What excuses the fall. `passes`: head's own scoring passes head's answers as often as base's
   * did base's. `fewer-checks`: the same, but with fewer metrics that gate. `none`: nothing.
   */
  excuse: 'none' | 'passes' | 'fewer-checks';
}

const SLACK = 1e-9;

/**
 * Where what is sent and the scoring changed: head's answers, if they clearly fall under base's
 * scoring. A new format with a scoring to match is excused; a new scoring under which nobody passes
 * hides the fall, and so does one that only lacks checks. Null: there is no such fall, or the
 * scorings do not differ.
 */
export function fallUnderBase(
  suite: SuiteComparison,
  { alpha, gate_on: on }: Pick<GateSettings, 'alpha' | 'gate_on'>,
): FallUnderBase | null {
  const { run, compared, gate } = suite;
  if (run.baseScoring === null) return null;
  const { base_base, head_head } = scoringRates(suite);
  const under = ratesUnderBase(suite);
  if (base_base === null || head_head === null || under === null) return null;
  const most = splitTries(suite);
  const { tables, units } = contrast(
    clusteredRuns(compared, ({ base, head }) => ({
      base: outcomesUnderBase(base, most),
      head: outcomesUnderBase(head, most),
    })),
  );
  const inPairs = gatesByPreference(run.baseScoring.tests);
  const { regressed } = combinedGate(
    inPairs ? preferenceTables(run.baseScoring.tests, compared.map(asBaseJudges)) : tables,
    {
      alpha,
      minDrop: gate.min_drop,
      on: inPairs ? 'suite' : on,
      ...(inPairs ? {} : { units }),
    },
  );
  if (!regressed) return null;
  const fell = compared.filter((_, i) => isMeanFall(tables[i]));
  const passes = head_head >= base_base - SLACK;
  const fewer = fell.some((referenceRun) => hasFewerChecks(run.scoring, referenceRun));
  return {
    ...under,
    references: fell.map(({ affected: { reference } }) => reference.id),
    excuse: !passes ? 'none' : fewer ? 'fewer-checks' : 'passes',
  };
}

/** Whether head's scoring has some of base's checks but not all, or lets one judge nothing. */
function hasFewerChecks({ tests }: Scoring, run: ReferenceRun): boolean {
  const { before, after } = checksOf({ ...run, base: [] });
  const has = new Set(metricsFor(tests, run.affected.reference).map(({ name }) => name));
  const lost = [...before].filter((name) => !after.has(name));
  return (
    lost.length > 0 &&
    ([...after].every((name) => before.has(name)) || lost.some((name) => has.has(name)))
  );
}

export function checksOf({ base, head }: ReferenceRun): {
  before: Set<string>;
  after: Set<string>;
} {
  const judging = (tries: readonly TryResult[]): Set<string> =>
    new Set(
      tries.flatMap(({ scores }) =>
        scores.flatMap(({ metric, status, skip }) =>
          !skip && (status === 'pass' || status === 'fail') ? [metric] : [],
        ),
      ),
    );
  const tries = [...base, ...head];
  return {
    before: judging(tries.flatMap(({ byBase }) => byBase ?? [])),
    after: judging(tries.map(({ byHead }) => byHead)),
  };
}

function outcomesUnderBase(tries: ReferenceRun['base'], most: number): Outcome[] {
  return tries.slice(0, most).map(({ byBase }) => byBase?.outcome ?? 'error');
}

export function asBaseJudges(run: ReferenceRun): ReferenceRun {
  const judged = (tries: ReferenceRun['base']): ReferenceRun['base'] =>
    tries.flatMap(({ byBase }) => (byBase === null ? [] : [{ byHead: byBase, byBase: null }]));
  return { ...run, base: judged(run.base), head: judged(run.head) };
}

function isMeanFall(table: Table | undefined): boolean {
  return table !== undefined && (meanDifference([table]) ?? 0) < 0;
}
