import {
  inSize,
  pValue,
  percent,
  counted,
  firstWords,
  pointsBetween,
  signed,
} from '../../text/amounts.ts';
import type { Side } from '../../types/plain.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { fallInWords } from '../result/counts.ts';
import type {
  EvidenceCount,
  PassRate,
  SuiteResult,
  TodayResult,
  Verdict,
} from '../result/suite-result.ts';
import { gates } from '../select/select.ts';
import { countOutcomes, isComparable } from '../statistics/table.ts';
import { rollupName } from '../suite/gate.ts';
import type { RunRollUps } from './roll-up.ts';
import { meanOfTables, meanRate, preferenceTables } from './suite-tables.ts';
import type { SuiteVerdict } from './verdict.ts';

export function ratedRuns({
  run,
  compared,
  quarantined,
}: SuiteComparison): readonly ReferenceRun[] {
  return compared.length > 0
    ? compared
    : run.runs.filter(
        (referenceRun) =>
          gates(run.suite, referenceRun.affected) &&
          !quarantined(referenceRun.affected.reference.id),
      );
}

/** Tries that count: where suspects got more, the number that all share. */
export function ratedTries({ policy }: SuiteComparison, verdict: SuiteVerdict | null): number {
  return policy.kind === 'adaptive' && verdict !== null ? verdict.tries : Number.POSITIVE_INFINITY;
}

/** Of references judged on both sides only, so that the rates agree with the difference. */
export function passRate(suite: SuiteComparison, verdict: SuiteVerdict | null): PassRate {
  if (verdict === null || verdict.interval === null) {
    const [runs, tries] = [ratedRuns(suite), ratedTries(suite, verdict)];
    return {
      base: meanRate(runs, 'base', tries),
      head: meanRate(runs, 'head', tries),
      difference: null,
      low: null,
      high: null,
      p: null,
    };
  }
  const {
    interval: { difference, low, high },
    p,
    tables,
  } = verdict;
  return {
    base: meanOfTables(tables, 'base'),
    head: meanOfTables(tables, 'head'),
    difference,
    low,
    high,
    p,
  };
}

export function comparedFirst({ references, of }: EvidenceCount): string {
  return references === of ? '' : `${String(references)} of ${counted(of, 'reference')} compared; `;
}

export function rolledUp(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): NonNullable<SuiteResult['rollups']> {
  const runs = ratedRuns(suite);
  const count = (side: Side): { passes: number; references: number } | null => {
    const found = runs.flatMap((run) => {
      const outcome = run.affected[side] === null ? null : rollUps.get(run)?.[side].outcome;
      return outcome === null || outcome === undefined ? [] : [outcome];
    });
    return found.length === 0
      ? null
      : { passes: found.filter((outcome) => outcome === 'pass').length, references: found.length };
  };
  return {
    policy: rollupName(suite.run.deciding.tests.rollup),
    base: count('base'),
    head: count('head'),
  };
}

export function comparedReferences(
  { run, policy, compared }: SuiteComparison,
  { tables }: SuiteVerdict,
): number {
  if (policy.kind !== 'pairs') return tables.filter(isComparable).length;
  return compared.filter(
    (referenceRun) => preferenceTables(run.deciding.tests, [referenceRun]).length > 0,
  ).length;
}

export function suiteSummary(
  shown: Verdict,
  rate: PassRate,
  verdict: SuiteVerdict | null,
  suite: SuiteComparison,
): string {
  if (verdict === null) return plainSummary(shown, rate, suite);
  if (verdict.interval === null)
    return verdict.reason.by === 'unanswered'
      ? `${whatFell(verdict, suite).replace(/; $/, '')}.`
      : plainSummary(shown, rate, suite);
  const { low, high } = verdict.interval;
  return (
    `${whatFell(verdict, suite)}${whatPasses(suite)} ${percent(rate.base)} → ` +
    `${percent(rate.head)} (${pointsBetween(rate.base, rate.head)}, 90 % interval ` +
    `${signed(low)} to ${signed(high)}, ` +
    `${pValue(verdict.p)}); ${whatIsSeen(verdict, suite)}${whyOpen(verdict)}${whatIsHidden(verdict)}`
  );
}

function whatPasses({ policy, run }: SuiteComparison): string {
  if (policy.kind === 'pairs') return "answers no worse than the other side's";
  return policy.kind === 'references'
    ? `references that pass (${rollupName(run.deciding.tests.rollup)})`
    : 'pass rate';
}

/** Why the suite is red; a reason other than its rate comes first. */
function whatFell(
  { verdict, reason: { by, references } }: SuiteVerdict,
  { compared }: SuiteComparison,
): string {
  if (verdict === 'regressed' && by === 'unanswered') {
    const named = new Set(references);
    const silent = compared
      .filter(({ affected: { reference } }) => named.has(reference.id))
      .every(({ head }) => countOutcomes(head.map(({ result }) => result.outcome)).tries === 0);
    return silent
      ? `head does not answer in ${counted(references.length, 'reference')} that base answers ` +
          `(${firstWords(references, MAX_NAMED_IN_SUMMARY)}); `
      : `head answers less often in ${counted(references.length, 'reference')} ` +
          `(${firstWords(references, MAX_NAMED_IN_SUMMARY)}); `;
  }
  if (verdict !== 'regressed' || by !== 'references') return '';
  return references.length === 0
    ? 'references broke, with too few tries to name them alone; '
    : `${counted(references.length, 'reference')} broke (${firstWords(references, MAX_NAMED_IN_SUMMARY)}); `;
}

function whatIsSeen(verdict: SuiteVerdict, suite: SuiteComparison): string {
  const { interval, tries, visibleDrop: drop } = verdict;
  const low = interval?.low ?? -1;
  const size = `${counted(comparedReferences(suite, verdict), 'reference')} × ${triesInWords(tries)}`;
  const sees =
    drop === null
      ? `this suite (${size}) usually sees no drop but a collapse`
      : `this suite (${size}) detects drops of ${inSize(drop)} points or more (80 % power)`;
  if (verdict.verdict === 'regressed') return `${sees}.`;
  if (nothingPassed(verdict)) return `no try passes on base, so nothing could get worse (${size}).`;
  return low <= -1
    ? `${sees}.`
    : `rules out a drop above ${inSize(Math.min(0, low))} points; ${sees}.`;
}

function triesInWords(tries: number): string {
  return tries === 1 ? '1 try' : `${String(tries)} tries`;
}

function nothingPassed({ tables }: SuiteVerdict): boolean {
  return tables.every(({ base }) => base.passes === 0);
}

function whyOpen(suite: SuiteVerdict): string {
  const { reason, tries } = suite;
  const tolerated = `a drop above the tolerance of ${inSize(reason.tolerance)} points`;
  switch (reason.by) {
    case 'suspicious':
      return ` Suspicious still: ${firstWords(reason.references, MAX_NAMED_IN_SUMMARY)}.`;
    case 'named':
      return ` Worse by themselves: ${firstWords(reason.references, MAX_NAMED_IN_SUMMARY)}.`;
    case 'uncompared':
      return ` Without evidence: ${firstWords(reason.references, MAX_NAMED_IN_SUMMARY)}.`;
    case 'endings':
      return " One side's answers ended otherwise, so the rates say nothing.";
    case 'model':
    case 'unconfirmed':
      return ` ${todayWords(suite)}`;
    case 'unsettled':
      return ` It could not rule out ${tolerated} with ${triesInWords(tries)} a side.`;
    case 'level':
      if (nothingPassed(suite)) return '';
      return ` Head is no lower, but the suite is too small to rule out ${tolerated}.`;
    case 'run':
      return (
        ` By itself it cannot rule out ${tolerated}; ` +
        'all suites of the run together rule out one above 5 points.'
      );
    default:
      return toleratedWords(suite);
  }
}

function whatIsHidden({ hidden }: SuiteVerdict): string {
  if (hidden === undefined) return '';
  const { base, head, excuse } = hidden;
  return ` ${fallInWords(base, head, excuse !== 'none')}.`;
}

function toleratedWords({ verdict, reason }: SuiteVerdict): string {
  if (verdict === 'regressed' || reason.by === 'scoring') return '';
  return ` Tolerance ${inSize(reason.tolerance)} points.`;
}

const RESTS_ON: Readonly<Record<TodayResult['rests_on'], string>> = {
  stored: 'It fell against stored answers',
  session: 'It fell in one session of the program on each side',
};

/** Why a fall could not be confirmed. */
const UNCONFIRMED: Readonly<Record<NonNullable<TodayResult['limit']> | 'settled', string>> = {
  settled: 'which new answers of both sides could not confirm',
  max_calls: 'and max_calls left too few calls to ask again',
  max_cost_usd: 'and max_cost_usd left too little to ask again',
  time: 'and the time was up before base was asked again',
  errors: 'and base no longer answers',
};

function todayWords({ today, reason }: SuiteVerdict): string {
  if (reason.by === 'unconfirmed')
    return `${RESTS_ON[today?.rests_on ?? 'stored']}, ${UNCONFIRMED[today?.limit ?? 'settled']}.`;
  const drift = today?.drift ?? null;
  const fall = drift === null ? '' : ` (${percent(drift.stored)} → ${percent(drift.today)})`;
  return `The model changed, not your prompt: base falls today, too${fall}.`;
}

const MAX_NAMED_IN_SUMMARY = 5;

function plainSummary(shown: Verdict, rate: PassRate, { run }: SuiteComparison): string {
  if (shown === 'new') return `new: pass rate ${percent(rate.head)}, nothing to compare with.`;
  if (shown === 'removed') return 'removed by this change.';
  if (shown === 'unchanged')
    return `the prompt asks for the same answers on both sides; pass rate ${percent(rate.head)}.`;
  if (shown === 'not_compared')
    return `${whyUncompared(run)}${rate.head === null ? '' : `; pass rate on head ${percent(rate.head)}`}.`;
  return 'nothing was judged.';
}

function whyUncompared({ runs }: SuiteComparison['run']): string {
  const cannot = (side: Side): boolean =>
    runs.every(({ affected }) => affected[side] === null || affected[side].kind === 'impossible');
  if (cannot('head')) return 'head cannot answer these references';
  return cannot('base')
    ? 'base cannot answer these references'
    : 'these references could not be compared';
}
