import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { clustersOf, criticalOf } from '../plan/tries.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import { isScoringKey, onlySkipDiffers, referenceScoringDiffers } from '../select/scoring.ts';
import { gates } from '../select/select.ts';
import { cohenKappa } from '../statistics/agreement.ts';
import { bundlesOf } from '../statistics/bundles.ts';
import { combinedGate } from '../statistics/gate.ts';
import { meanDifference } from '../statistics/interval.ts';
import { mcnemar } from '../statistics/suite-test.ts';
import { countOutcomes, tableOf, type Counts, type Table } from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { everyMetric } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';
import { percent, counted, pointsApart, signedBetween } from '../text/amounts.ts';
import type { Outcome } from '../types/metric.ts';
import type { Side } from '../types/plain.ts';
import type { RunRollUps } from './roll-up.ts';
import { meanOfCounts, sharedTries } from './tables.ts';

/**
 * Outputs of base and head, each under the scoring of base and of head, and how the change of the
 * pass rate splits: what the
 * prompt did under head's scoring, plus what the scoring did on base's outputs. `hidden`: what
 * `fallUnderBase` found. Null when the scorings do not differ.
 */
export function scoringSplit(
  comparison: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  hidden: FallUnderBase | null = null,
): ScoringResult | null {
  const { run: suite } = comparison;
  if (suite.other === null) return null;
  const fell = hidden === null || hidden.excuse === 'passes' ? [] : hidden.references;
  const excused = hidden !== null && hidden.excuse !== 'none';
  const runs = splitRuns(comparison);
  const headDecides = suite.deciding.side === 'head';
  const rates = ratesOf(runs.map((run) => cornersOf(run, headDecides, splitTries(comparison))));
  const effects = {
    prompt_effect: difference(rates.head_head, rates.base_head),
    scoring_effect: difference(rates.base_head, rates.base_base),
    total: difference(rates.head_head, rates.base_base),
  };
  const because = suite.suite.because.filter(
    ({ key }) => isScoringKey(key) || key === 'references',
  );
  const flipped = flips(runs, rollUps, headDecides);
  return {
    path: suite.suite.path,
    name: suite.suite.name,
    rates,
    ...effects,
    because,
    flipped,
    same_answers: sameAnswers(runs, headDecides),
    ...(excused ? { excused } : {}),
    ...(fell.length === 0 ? {} : { fell: fell.flatMap((id) => fallenTry(runs, id) ?? []) }),
    summary: inWords({ rates, because, flipped }, partNames(suite)),
  };
}

/** References that gate and have tries of both sides. */
function splitRuns({ run: { suite, runs }, quarantined }: SuiteComparison): ReferenceRun[] {
  return runs.filter(
    ({ affected: reference, base, head }) =>
      base.length > 0 &&
      head.length > 0 &&
      gates(suite, reference) &&
      !quarantined(reference.reference.id),
  );
}

/** Tries of each reference that count: where suspects got more, the number that all share. */
function splitTries(suite: SuiteComparison): number {
  return suite.policy.kind === 'adaptive'
    ? sharedTries(splitRuns(suite))
    : Number.POSITIVE_INFINITY;
}

/** Pass rates of base's and of head's answers under base's scoring, and what fell between them. */
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

/** Keeps the rounding of means from taking a rate for lower than its equal. */
const SLACK = 1e-9;

/**
 * Where what is sent and the scoring changed: head's answers, if they clearly fall under base's
 * scoring. A new format with a scoring to match is excused; a new scoring under which nobody passes
 * hides the fall, and so does one that only lacks checks. Null: there is no such fall, or base's
 * scoring decides anyway.
 */
export function fallUnderBase(
  suite: SuiteComparison,
  { alpha, gate_on: on }: Pick<GateSettings, 'alpha' | 'gate_on'>,
): FallUnderBase | null {
  const { run, compared, gate, policy } = suite;
  if (run.other === null || run.deciding.side !== 'head' || policy.kind === 'pairs') return null;
  const most = splitTries(suite);
  const { base_base, head_base, head_head } = ratesOf(
    splitRuns(suite).map((one) => cornersOf(one, true, most)),
  );
  if (base_base === null || head_base === null || head_head === null) return null;
  const outcomes = compared.map((one) => ({
    base: underBase(one.base, most),
    head: underBase(one.head, most),
  }));
  const tables = outcomes.map((outcome) => tableOf(outcome));
  const { regressed } = combinedGate(tables, {
    alpha,
    on,
    minDrop: gate.min_drop,
    critical: criticalOf(compared),
    bundles: bundlesOf(outcomes, clustersOf(compared), Infinity),
  });
  const references = compared.flatMap(({ affected: { reference } }, i) =>
    isFall(tables[i]) ? [reference.id] : [],
  );
  if (!regressed) return null;
  const passes = head_head >= base_base - SLACK;
  const excuse = !passes ? 'none' : hasFewerChecks(run) ? 'fewer-checks' : 'passes';
  return { base: base_base, head: head_base, references, excuse };
}

/**
 * Whether the metrics that gate on head are some of those that gate on base, but not all; or one of
 * base's gates there too and skips every answer that base's judges.
 */
function hasFewerChecks({ deciding, other, runs }: SuiteComparison['run']): boolean {
  const names = (tests: Tests): Set<string> =>
    new Set(everyMetric(tests).flatMap(({ name, skip }) => (skip ? [] : [name])));
  const after = names(deciding.tests);
  const before = other === null ? after : names(other.tests);
  const tries = runs.flatMap(({ base, head }) => [...base, ...head]);
  const [byHead, byBase] = [
    judging(tries.map(({ result }) => result)),
    judging(tries.flatMap(({ other: others }) => others ?? [])),
  ];
  return (
    (after.size < before.size && [...after].every((name) => before.has(name))) ||
    [...after].some((name) => byBase.has(name) && !byHead.has(name))
  );
}

/** The metrics that passed or failed an answer. */
function judging(tries: readonly TryResult[]): Set<string> {
  return new Set(
    tries.flatMap(({ scores }) =>
      scores.flatMap(({ metric, status }) =>
        status === 'pass' || status === 'fail' ? [metric] : [],
      ),
    ),
  );
}

function underBase(tries: ReferenceRun['base'], most: number): Outcome[] {
  return tries.slice(0, most).map(({ other }) => other?.outcome ?? 'error');
}

function isFall(table: Table | undefined): boolean {
  return table !== undefined && (meanDifference([table]) ?? 0) < 0;
}

/** A try of each side that shows the fall of a reference under base's scoring. */
function fallenTry(runs: readonly ReferenceRun[], id: string): NonNullable<ScoringResult['fell']> {
  const run = runs.find(({ affected: { reference } }) => reference.id === id);
  const before = run?.base.find(({ other }) => other?.outcome === 'pass');
  const after = run?.head.find(({ other }) => other?.outcome === 'fail');
  return before === undefined || after?.other === undefined || after.other === null
    ? []
    : [{ id, base_try: before.result.try, head_try: after.result.try, scores: after.other.scores }];
}

type Corners = Record<keyof ScoringResult['rates'], Counts>;

/** A reference's tries by whose output it is and whose scoring judges it. */
function cornersOf(run: ReferenceRun, headDecides: boolean, tries: number): Corners {
  const under = (outputs: Side, scoring: Side): Counts =>
    countOutcomes(
      run[outputs]
        .slice(0, tries)
        .flatMap(
          ({ result, other }) =>
            ((scoring === 'head') === headDecides ? result : other)?.outcome ?? [],
        ),
    );
  return {
    base_base: under('base', 'base'),
    base_head: under('base', 'head'),
    head_base: under('head', 'base'),
    head_head: under('head', 'head'),
  };
}

/**
 * Mean rates over the references that were judged in all four corners, for a difference between
 * rates of different references would be no effect of anything; where there are none, over those of
 * which base's answers were judged by both sides’ scoring.
 */
function ratesOf(corners: readonly Corners[]): ScoringResult['rates'] {
  const onBase = corners.filter(
    ({ base_base: before, base_head: after }) => before.tries > 0 && after.tries > 0,
  );
  const whole = onBase.filter(
    ({ head_base: before, head_head: after }) => before.tries > 0 && after.tries > 0,
  );
  const rate = (corner: keyof Corners): number | null =>
    meanOfCounts((whole.length > 0 ? whole : onBase).map((one) => one[corner]));
  return {
    base_base: rate('base_base'),
    base_head: rate('base_head'),
    head_base: rate('head_base'),
    head_head: rate('head_head'),
  };
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/**
 * Base's tries by their word under base's and under head's scoring: the same answers, so only the
 * scoring can differ.
 */
function sameAnswers(
  runs: readonly ReferenceRun[],
  headDecides: boolean,
): ScoringResult['same_answers'] {
  const pairs = runs.flatMap(({ base }) =>
    base.map(({ result, other }) =>
      headDecides ? [other?.outcome, result.outcome] : [result.outcome, other?.outcome],
    ),
  );
  const count = (before: Outcome, after: Outcome): number =>
    pairs.filter(([was, is]) => was === before && is === after).length;
  const [passFail, failPass] = [count('pass', 'fail'), count('fail', 'pass')];
  const table = [
    [count('pass', 'pass'), passFail],
    [failPass, count('fail', 'fail')],
  ];
  return {
    judged: table.flat().reduce((sum, one) => sum + one, 0),
    pass_fail: passFail,
    fail_pass: failPass,
    p: Math.min(1, mcnemar({ passFail, failPass }).midTwo),
    kappa: cohenKappa(table),
  };
}

/**
 * References whose roll-up on base's own outputs reads differently under head's scoring than
 * under base's.
 */
function flips(
  runs: readonly ReferenceRun[],
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  headDecides: boolean,
): ScoringResult['flipped'] {
  return runs.flatMap((run) => {
    const found = rollUps.get(run);
    if (found === undefined || found.other === null) return [];
    const [before, after] = headDecides
      ? [found.other.outcome, found.base.outcome]
      : [found.base.outcome, found.other.outcome];
    if (before === after) return [];
    const tag = (outcome: 'pass' | 'fail' | null): Outcome => outcome ?? 'ungraded';
    return [{ id: run.affected.reference.id, from: tag(before), to: tag(after) }];
  });
}

type Split = Pick<ScoringResult, 'rates' | 'because' | 'flipped'>;

function inWords(
  { rates: { base_base: before, base_head: between, head_head: after }, because, flipped }: Split,
  partName: (key: string) => string,
): string {
  if (before === null || between === null || after === null)
    return 'The scoring changed; the four rates could not all be measured.';
  const [total, scoring] = [pointsApart(before, after), pointsApart(before, between)];
  const moved =
    total === 0
      ? `The pass rate stayed at ${percent(after)}`
      : `The pass rate ${total > 0 ? 'rose' : 'fell'} ${signedBetween(before, after).slice(1)} points (${percent(before)} → ${percent(after)})`;
  const flat = scoring === 0;
  const how = flat ? 'changed' : `got ${scoring > 0 ? 'easier' : 'stricter'}`;
  const rolled =
    flat && flipped.length > 0
      ? ` ${counted(flipped.length, 'reference')} of base read otherwise all the same.`
      : '';
  return `${moved}: ${signedBetween(between, after)} from the prompt, ${signedBetween(before, between)} because ${whatChanged(because.map(({ key }) => partName(key)))} ${how}.${rolled}`;
}

/** The changed part of the scoring, as a subject in the singular. */
function whatChanged(parts: readonly string[]): string {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const names = parts.map((part) => part.replace(/^the /, ''));
  return names.length === 0 ? 'the scoring' : `the scoring (${names.join(', ')})`;
}

/** How a suite's parts of the scoring are called: of references, what was edited of them. */
function partNames({ runs }: SuiteComparison['run']): (key: string) => string {
  const edited = runs.flatMap(({ affected: { reference, baseReference } }) =>
    baseReference !== null && referenceScoringDiffers(baseReference, reference)
      ? [onlySkipDiffers(baseReference, reference)]
      : [],
  );
  const skips = edited.length > 0 && edited.every((only) => only);
  return (key) =>
    skips && key === 'references' ? 'the list of skipped references' : partName(key);
}

function partName(key: string): string {
  const [kind = '', ...rest] = key.split('.');
  const name = rest.join('.');
  if (kind === 'rubrics') return `the rubric ${name}`;
  if (kind === 'metrics') return `the metric ${name}`;
  if (kind === 'metrics_rollup') return 'the roll-up';
  if (kind === 'references') return 'the expected value of references';
  if (kind === 'embeddings') return 'the model of embeddings';
  return kind === 'grader' ? 'the grader' : 'the scoring';
}
