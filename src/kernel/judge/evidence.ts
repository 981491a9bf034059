import { SIDES, type Side } from '../../types/plain.ts';
import {
  isCritical,
  countingRuns,
  type ReferenceRun,
  type SuiteComparison,
} from '../plan/suite-run.ts';
import { blocksGreen } from '../result/counts.ts';
import { lacksAnswer } from '../result/reference-result.ts';
import type { EvidenceCount } from '../result/suite-result.ts';
import { gates, type AffectedSuite, type AffectedReference } from '../select/affected-suite.ts';
import { holmLevels } from '../statistics/holm.ts';
import { ALPHA_SHARES } from '../statistics/levels.ts';
import { countOutcomes, reachesLevel } from '../statistics/table.ts';
import { countsIn } from '../suite/gate.ts';
import { moreOftenOnHead, ruledOutByEndings } from './endings.ts';
import { comparedInPairs } from './preference.ts';
import type { RunRollUps } from './roll-up.ts';
import { isUnaskable, type SuiteFacts } from './suite-rules.ts';

export function countEvidence(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): EvidenceCount {
  const wanted = countingRuns(suite).filter((run) => !isInapplicable(run));
  const { run: own, policy, compared } = suite;
  const inPairs = policy.kind === 'pairs' ? comparedInPairs(own.scoring.tests, compared) : null;
  const missing = wanted.filter((run) =>
    inPairs !== null && compared.includes(run)
      ? !inPairs.has(run)
      : !hasEvidence(suite, run, rollUps.get(run)),
  );
  return {
    references: wanted.length - missing.length,
    of: wanted.length,
    missing: missing.map(idOf),
    critical: missing.filter(isCritical).map(idOf),
  };
}

function idOf({ affected: { reference } }: ReferenceRun): string {
  return reference.id;
}

function isInapplicable({ base, head }: ReferenceRun): boolean {
  const outcomes = [...base, ...head].map(({ byHead }) => byHead.outcome);
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === 'skipped');
}

function hasEvidence(
  suite: SuiteComparison,
  run: ReferenceRun,
  rollUps: RunRollUps | undefined,
): boolean {
  if (replacesQuestionOfBase(suite, run)) return false;
  const { base } = run.affected;
  const canRun = (side: Side) =>
    run.affected[side] !== null && (side === 'head' || base?.kind !== 'impossible');
  const sides = SIDES.filter(canRun);
  // This suite compares roll-ups (combined tries). After a few tries, they may have no outcome.
  if (suite.policy.kind === 'references' && rollUps !== undefined)
    return sides.every((side) => rollUps[side].outcome !== null);
  return sides.every((side) => judgedOf(run[side]) > 0);
}

/**
 * Whether the reference replaces what base ran: it is new while another is gone, all runs are
 * head-only, or nothing is compared and a side cannot run it. False if the suite is new.
 */
function replacesQuestionOfBase(
  { run: { suite, runs }, compared }: SuiteComparison,
  run: ReferenceRun,
): boolean {
  if (suite.base === null) return false;
  if (runs.every(isHeadAlone) || (compared.length === 0 && isUnaskable(run))) return true;
  const { base, change } = run.affected;
  return (
    base === null &&
    change === 'added' &&
    suite.references.some((reference) => isGone(suite, reference))
  );
}

function isHeadAlone({ affected: { base, head } }: ReferenceRun): boolean {
  return head !== null && (base === null || base.kind === 'impossible');
}

function isGone(suite: AffectedSuite, reference: AffectedReference): boolean {
  const { change, baseReference: before } = reference;
  if (suite.base === null || before === null || !countsIn(suite.base.scoring.tests, before))
    return false;
  return change === 'removed' || !gates(suite, reference);
}

function judgedOf(tries: ReferenceRun['base']): number {
  return countOutcomes(tries.map(({ byHead }) => byHead.outcome)).tries;
}

export type EvidenceFacts = Pick<SuiteFacts, 'unanswered' | 'missing' | 'endings'>;

/**
 * Tests whether head answers less often than base. The test gets an extra 0.2 alpha, so the total
 * error is 1.2 alpha. No test is needed if a critical reference or a whole suite has no answers.
 */
export function evidenceFacts(
  suites: readonly SuiteComparison[],
  alpha: number,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): Map<SuiteComparison, EvidenceFacts> {
  const level = ALPHA_SHARES.answered * alpha;
  const counts = suites.map((suite) => ({ suite, ...countEvidence(suite, rollUps) }));
  const lacking = new Map(blocksGreen(counts).map(({ suite, missing }) => [suite, missing]));
  const tested = new Map(
    suites
      .filter(({ compared }) => compared.length > 0)
      .map((suite) => [suite, moreOftenOnHead(suite.compared, lacksAnswer)] as const),
  );
  const levels = holmLevels(
    new Map([...tested].map(([suite, p]) => [suite, (at) => reachesLevel(p, at)])),
    level,
  );
  const pOf = (suite: SuiteComparison) => {
    const p = tested.get(suite) ?? 1;
    return reachesLevel(p, levels.get(suite) ?? 0) ? p : null;
  };
  return new Map(
    suites.map((suite) => [
      suite,
      {
        unanswered: unansweredIn(suite, pOf(suite)),
        missing: lacking.get(suite) ?? null,
        endings: ruledOutByEndings(suite, level),
      },
    ]),
  );
}

/** References with answers on base but not on head. `p` is null if the test found nothing. */
function unansweredIn({ compared }: SuiteComparison, p: number | null): SuiteFacts['unanswered'] {
  const silent = compared.filter(
    ({ base, head }) =>
      judgedOf(base) > 0 && judgedOf(head) === 0 && head.some(({ byHead }) => lacksAnswer(byHead)),
  );
  const answered = compared.filter(({ base }) => judgedOf(base) > 0);
  const whole = answered.length > 0 && silent.length === answered.length;
  const less = compared.filter(
    (run) => unansweredShare(run, 'head') > unansweredShare(run, 'base'),
  );
  const worse = p === null || silent.length > 0 ? silent : less;
  const named = p !== null || whole ? worse : silent.filter(isCritical);
  return named.length === 0 ? null : { references: named.map(idOf), p };
}

function unansweredShare(run: ReferenceRun, side: Side): number {
  const tries = run[side].map(({ byHead }) => byHead);
  return tries.filter(lacksAnswer).length / Math.max(1, tries.length);
}
