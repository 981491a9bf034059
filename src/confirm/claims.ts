import { restsOn } from '../kernel/judge/confirmation.ts';
import { isPooled, isUnexplained } from '../kernel/judge/pool.ts';
import { preferenceTries } from '../kernel/judge/preference.ts';
import { namedRollup } from '../kernel/judge/roll-up.ts';
import type { SuiteVerdict } from '../kernel/judge/suite-row.ts';
import { directionalP } from '../kernel/judge/values.ts';
import type { RunVerdict } from '../kernel/judge/verdict.ts';
import { outcomeIn, suiteClusters } from '../kernel/plan/ledger.ts';
import { metricNumbers, numberTest } from '../kernel/plan/metric-numbers.ts';
import {
  runUnderBase,
  underBase,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../kernel/plan/suite-run.ts';
import type { VerdictSettings } from '../kernel/plan/tries.ts';
import { lacksAnswer } from '../kernel/result/reference-result.ts';
import { clusteredTries, contrast } from '../kernel/statistics/look.ts';
import { mostFallenMetric } from '../kernel/statistics/metric-min-p.ts';
import {
  countOutcomes,
  countTable,
  isComparable,
  meanOfCounts,
  type Table,
} from '../kernel/statistics/table.ts';
import { directionIn } from '../metrics/passing.ts';
import type { Outcome } from '../types/metric.ts';
import { wholeTry, type Claim, type Measure } from './steps.ts';

/**
 * The significance level if one session (program process) gave all answers of a side. The fall
 * already passed a test at `alpha`, so a second session only has to repeat it.
 *
 * In simulations, each session shifted each side's rate by a random error (standard deviation 3
 * points). A second session reduced red runs of 50 unchanged references from 16 % to 4 %. Without
 * such errors, it reduced red runs after a 10-point drop from 89 % to 78 %.
 */
const SESSION_LEVEL = 0.5;

/**
 * Claims about suites with stored answers or answers of one session. They share alpha with the
 * claim about all suites together (the pool).
 */
export function suiteClaims({ suites, pool }: RunVerdict, settings: VerdictSettings): Claim[] {
  const found = [...suites.values()].filter(restsOnEarlierAnswers).flatMap((row) => [
    ...ownClaims(row),
    ...row.moves
      .filter(({ gate, moved }) => gate === 'fail' && moved === 'worse')
      .map(({ name }) => ({
        row,
        metric: name,
        measure: byMean(row.suite, name),
        minDrop: null,
      })),
  ]);
  const claims = found.length + (pool === null ? 0 : 1);
  return found.map(({ row, ...claim }) => ({
    suites: [claimed(row)],
    ...levelOf([row.suite], settings, claims),
    ...claim,
  }));
}

type OwnClaim = Pick<Claim, 'metric' | 'measure' | 'minDrop'> & { row: SuiteVerdict };

/** If the first claim is not confirmed, a second one is tested: head answers less often. */
function ownClaims(row: SuiteVerdict): (OwnClaim & Partial<Claim>)[] {
  const { verdict, suite, reason } = row;
  if (reason.by === 'values' || (verdict !== 'regressed' && reason.by !== 'named')) return [];
  const minDrop = suite.gate.min_drop;
  const silent = { row, metric: null, measure: byOutcome(isAnswered), minDrop: null };
  if (reason.by === 'unanswered') return [silent];
  return [
    { row, metric: null, measure: chooseMeasure(row), minDrop },
    // `none`, because the plan reserves no calls to test individual references for this claim.
    ...(reason.unanswered === true ? [{ ...silent, judged: 'none' as const }] : []),
  ];
}

/**
 * The claim that all suites together (the pool) got worse. Leaves out suites that are red by
 * themselves.
 */
export function poolClaim(
  { pool, suites }: RunVerdict,
  settings: VerdictSettings,
  others: number,
): Claim | null {
  if (pool === null) return null;
  const rows = [...suites.values()].filter((row) => isPooled(row) && isUnexplained(row));
  const old = rows.filter(restsOnEarlierAnswers).map(({ suite }) => suite);
  if (old.length === 0) return null;
  return {
    metric: null,
    suites: rows.map(claimed),
    measure: byOutcome(wholeTry),
    ...levelOf(old, settings, others + 1),
    judged: 'none',
    minDrop: Math.min(...rows.map(({ suite }) => suite.gate.min_drop)),
  };
}

export function restsOnEarlierAnswers({ suite: { compared } }: SuiteVerdict): boolean {
  return restsOn(compared) !== null;
}

function claimed({ suite, upTo }: SuiteVerdict): Claim['suites'][number] {
  return { suite, runs: suite.compared, upTo };
}

export function claimAbout(
  suite: SuiteComparison,
  runs: readonly ReferenceRun[],
  outcome: (made: Try) => Outcome,
  settings: VerdictSettings & { claims: number },
): Claim {
  return {
    metric: null,
    suites: [{ suite, runs, upTo: Infinity }],
    measure: byOutcome(outcome),
    ...levelOf([suite], settings, settings.claims),
    minDrop: suite.gate.min_drop,
  };
}

export function meanClaimUnderBase(
  suite: SuiteComparison,
  metric: string,
  settings: VerdictSettings & { claims: number },
): Claim {
  const { test, ...measure } = byMean(underBase(suite) ?? suite, metric);
  return {
    metric,
    suites: [{ suite, runs: suite.compared, upTo: Infinity }],
    measure: { ...measure, test: (runs) => test(runs.map(runUnderBase)) },
    ...levelOf([suite], settings, settings.claims),
    minDrop: null,
  };
}

export function outcomeUnderBase({ byBase }: Try): Outcome {
  return byBase?.outcome ?? 'error';
}

function levelOf(
  suites: readonly SuiteComparison[],
  { alpha, gate_on, churn }: VerdictSettings,
  claims: number,
): Pick<Claim, 'level' | 'judged'> {
  const isStored = suites.some(({ compared }) => restsOn(compared) === 'stored');
  const judged = gate_on === 'suite' ? 'none' : churn === 'accept' ? 'critical' : 'all';
  return { level: isStored ? alpha / claims : SESSION_LEVEL, judged };
}

function chooseMeasure({ suite, look, reason: { by } }: SuiteVerdict): Measure {
  const { tests } = suite.run.scoring;
  if (by !== 'fall') return byOutcome(wholeTry);
  if (suite.policy.kind === 'pairs') return byPreference(suite);
  if (suite.policy.kind === 'references' && tests.rollup.kind !== 'code')
    return byRollUp(tests.rollup);
  const metric = mostFallenMetric(look, suite.gate.min_drop);
  return byOutcome(metric === null ? wholeTry : ({ byHead }) => outcomeIn(byHead, metric));
}

function isAnswered({ byHead }: Try): Outcome {
  return lacksAnswer(byHead) ? 'fail' : 'pass';
}

function byOutcome(outcome: (made: Try) => Outcome): Measure {
  return {
    test: testBy((tries) => tries.map(outcome)),
    outcome,
    isPaired: false,
    isRolledUp: false,
  };
}

function byRollUp(rollup: Parameters<typeof namedRollup>[0]): Measure {
  const side = (tries: readonly Try[]): Outcome[] => {
    const { passes, tries: judged } = countOutcomes(tries.map(wholeTry));
    return [namedRollup(rollup, passes, judged, tries.length - judged) ?? 'error'];
  };
  return { test: testBy(side), outcome: null, isPaired: false, isRolledUp: true };
}

function testBy(outcomes: (tries: readonly Try[]) => Outcome[]): Measure['test'] {
  return (runs) => {
    const tries = runs.map(({ base, head }) => ({ base: outcomes(base), head: outcomes(head) }));
    const rates = meansOf(tries.map((own) => countTable(own)));
    return rates === null
      ? null
      : { ...rates, p: contrast(clusteredTries(tries, suiteClusters(runs))).test.midDown };
  };
}

function byPreference({ run }: SuiteComparison): Measure {
  const test: Measure['test'] = (runs) => {
    const { tables, test: signs } = contrast(preferenceTries(run.scoring.tests, runs));
    const rates = meansOf(tables);
    return rates === null ? null : { ...rates, p: signs.midDown };
  };
  return { test, outcome: null, isPaired: true, isRolledUp: false };
}

function meansOf(tables: readonly Table[]): { base: number; head: number } | null {
  const compared = tables.filter(isComparable);
  const base = meanOfCounts(compared.map((table) => table.base));
  const head = meanOfCounts(compared.map((table) => table.head));
  return base === null || head === null ? null : { base, head };
}

function byMean(suite: SuiteComparison, name: string): Measure {
  const number = metricNumbers(suite).find((each) => each.name === name);
  const test: Measure['test'] = (runs) => {
    if (number === undefined) return null;
    const clusters = suiteClusters(runs);
    const found = numberTest(suite, number, { runs, clusters, upTo: Infinity });
    if (found === null) return null;
    const better = directionIn(number.metric, suite.run.scoring.rubrics, number.entry);
    return { base: found.base, head: found.head, p: directionalP(found, better, 'worse') };
  };
  return { test, outcome: null, isPaired: false, isRolledUp: false };
}
