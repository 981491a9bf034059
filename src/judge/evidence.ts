import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { clustersOf, criticalOf, outcomesOf } from '../plan/tries.ts';
import { standsBeforeGreen } from '../result/counts.ts';
import type { EvidenceCount } from '../result/suite-result.ts';
import { gates } from '../select/select.ts';
import { bundlesOf } from '../statistics/bundles.ts';
import { holm } from '../statistics/gate.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { countOutcomes, tableOf, within, type Tries } from '../statistics/table.ts';
import type { Outcome } from '../types/metric.ts';
import { preferenceTables } from './tables.ts';

/** Part of alpha at which head is held to answering as often as base. */
const ANSWERED_SHARE = 0.2;

/** Outcomes of a try that should have said something and does not. */
function isUnanswered(outcome: Outcome): boolean {
  return outcome === 'error' || outcome === 'ungraded';
}

/**
 * How many of a suite's references have evidence, of those that should: that gate, and that were to
 * be tried on every side there is. What no metric applies to, on either side, is not among them.
 */
export function countEvidence(suite: SuiteComparison): EvidenceCount {
  const wanted = wantedRuns(suite).filter((run) => !isInapplicable(run));
  const missing = wanted.filter((run) => !hasEvidence(suite, run)).map(referenceOf);
  const ids = missing.map(({ id }) => id);
  const critical = missing.filter(({ tags }) => tags.includes('critical')).map(({ id }) => id);
  return { references: wanted.length - missing.length, of: wanted.length, missing: ids, critical };
}

function referenceOf({ affected: { reference } }: ReferenceRun): { id: string; tags: string[] } {
  return reference;
}

/** Where one side is all there is (a sweep, a new prompt), all that gate; else what is compared. */
function wantedRuns({ run, compared, quarantined }: SuiteComparison): ReferenceRun[] {
  const counts = (one: ReferenceRun): boolean =>
    gates(run.suite, one.affected) && !quarantined(one.affected.reference.id);
  if (run.suite.base === null || run.suite.head === null) return run.runs.filter(counts);
  const chosen = new Set(compared);
  return run.runs.filter(
    (one) => chosen.has(one) || (counts(one) && one.affected.head?.kind === 'impossible'),
  );
}

function isInapplicable({ base, head }: ReferenceRun): boolean {
  const outcomes = [...base, ...head].map(({ result }) => result.outcome);
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === 'skipped');
}

function hasEvidence(
  { run: { suite, deciding }, policy }: SuiteComparison,
  run: ReferenceRun,
): boolean {
  if (policy.kind === 'pairs' && suite.base !== null && suite.head !== null)
    return preferenceTables(deciding.tests, [run]).length > 0;
  const sides = [
    ...(suite.base === null ? [] : [run.base]),
    ...(suite.head === null ? [] : [run.head]),
  ];
  return sides.every((tries) => judgedOf(tries) > 0);
}

function judgedOf(tries: ReferenceRun['base']): number {
  return countOutcomes(tries.map(({ result }) => result.outcome)).tries;
}

/** What missing evidence says of a suite. */
export interface EvidenceVerdict extends EvidenceCount {
  /** Head does not answer what base answers: in these references, with the test's p where it is one. */
  lost: { references: string[]; p: number | null } | null;
  /** It stands between the run and green. */
  open: boolean;
}

/**
 * Whether head answers as base does, in each suite in which something is compared: tested like pass
 * against fail, and without a test where a critical reference or the whole suite fell silent.
 */
export function judgeEvidence(
  suites: readonly SuiteComparison[],
  alpha: number,
): Map<SuiteComparison, EvidenceVerdict> {
  const counts = suites.map(countEvidence);
  const open = new Set(standsBeforeGreen(counts));
  const tested = suites.filter(({ compared }) => compared.length > 0);
  const adjusted = holm(tested.map(answeredLessOften));
  return new Map(
    suites.flatMap((suite, i): [SuiteComparison, EvidenceVerdict][] => {
      const count = counts[i];
      if (count === undefined) return [];
      const p = adjusted[tested.indexOf(suite)] ?? 1;
      const lost = lostIn(suite, within(p, ANSWERED_SHARE * alpha) ? p : null);
      return [[suite, { ...count, lost, open: open.has(count) }]];
    }),
  );
}

/** One-sided mid-p of "head answers less often"; 1 where everything is answered. */
function answeredLessOften({ compared }: SuiteComparison): number {
  const tries = compared.map((run) => answers(outcomesOf(run)));
  const all = tries.flatMap(({ base, head }) => [...base, ...head]);
  if (all.every((outcome) => outcome === 'pass')) return 1;
  const tables = tries.map((own) => tableOf(own, 0, Number.POSITIVE_INFINITY));
  return suiteTest(tables, bundlesOf(tries, clustersOf(compared), Number.POSITIVE_INFINITY))
    .midDown;
}

/** Tries as the test sees them: an answer passes, its absence fails. */
function answers({ base, head }: Tries): Tries {
  const word = (outcome: Outcome): Outcome => (isUnanswered(outcome) ? 'fail' : 'pass');
  return { base: base.map(word), head: head.map(word) };
}

function lostIn({ compared }: SuiteComparison, p: number | null): EvidenceVerdict['lost'] {
  const silent = compared.filter(
    ({ base, head }) =>
      judgedOf(base) > 0 &&
      judgedOf(head) === 0 &&
      head.some(({ result }) => isUnanswered(result.outcome)),
  );
  const answered = compared.filter(({ base }) => judgedOf(base) > 0);
  const whole = answered.length > 0 && silent.length === answered.length;
  const critical = criticalOf(silent).flatMap((i) => silent[i] ?? []);
  if (p !== null || whole) {
    const less = compared.filter(
      (run) => unansweredShare(run, 'head') > unansweredShare(run, 'base'),
    );
    return { references: less.map((run) => referenceOf(run).id), p };
  }
  return critical.length === 0
    ? null
    : { references: critical.map((run) => referenceOf(run).id), p: null };
}

function unansweredShare(run: ReferenceRun, side: 'base' | 'head'): number {
  const outcomes = run[side].map(({ result }) => result.outcome);
  return outcomes.filter(isUnanswered).length / Math.max(1, outcomes.length);
}
