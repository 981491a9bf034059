import type { Side } from '../../types/plain.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { countsForVerdict, sideShare } from '../result/counts.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  TryResult,
} from '../result/reference-result.ts';
import type { PassRate, SuiteResult, Verdict } from '../result/suite-result.ts';
import { scoreCount } from '../select/scoring.ts';
import { referenceTest } from '../statistics/fixed-tries.ts';
import { REFERENCE_FDR } from '../statistics/levels.ts';
import { countOutcomes } from '../statistics/table.ts';
import { countsIn } from '../suite/gate.ts';
import { storedAnswers } from './confirmation.ts';
import { countEvidence } from './evidence.ts';
import { metricRows } from './metric-rows.ts';
import { preferenceOf } from './preference.ts';
import { comparedReferences, passRate, rolledUp, unaskedSide } from './rates.ts';
import { tallyOf, type RollUpOutcome, type RunRollUps } from './roll-up.ts';
import { shownFiles } from './shown-files.ts';
import { ruleUncompared } from './suite-rules.ts';
import type { SuiteVerdict } from './verdict.ts';

/** What a feature adds to a suite's result. */
export type SuitePart = (
  suite: SuiteComparison,
  rate: PassRate,
  verdict: SuiteVerdict | null,
) => Partial<SuiteResult>;

export function compareSuite(
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  suiteParts: readonly SuitePart[] = [],
): SuiteResult {
  const { run, compared } = suite;
  const { path, name, variant, baseVariant, because } = run.suite;
  const statuses = referenceStatuses(verdict);
  const references = run.runs.map((referenceRun) =>
    referenceResult(suite, referenceRun, rollUps.get(referenceRun), statuses.get(referenceRun)),
  );
  const removed = run.suite.references
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) =>
      removedReference(
        reference,
        !countsIn(run.suite.base?.scoring.tests ?? run.scoring.tests, reference),
      ),
    );
  const rate = passRate(suite, verdict);
  const preference = preferenceOf(run.scoring.tests, compared);
  const shown: Verdict = verdict?.verdict ?? ruleUncompared(suite);
  const own = suiteParts.map((part) => part(suite, rate, verdict));
  return {
    path,
    name,
    variant,
    base_variant: baseVariant,
    because,
    ...(Object.keys(suite.ownGate).length === 0 ? {} : { gate: suite.ownGate }),
    pass_rate: rate,
    verdict: shown,
    unit: UNITS[suite.policy.kind],
    ...(shown === 'not_compared' ? unaskedSide(run) : {}),
    ...verdictGrounds(suite, verdict),
    evidence: countEvidence(suite, rollUps),
    references: [...withRisen(withFallen(references, verdict), verdict), ...removed],
    metrics: metricRows(suite, verdict),
    rollups: rolledUp(suite, rollUps),
    ...Object.assign({}, ...own),
    ...(preference === null ? {} : { preference }),
  };
}

/** What the pass rate of a policy counts. */
const UNITS = {
  adaptive: 'tries',
  fixed: 'tries',
  references: 'references',
  pairs: 'pairs',
} as const satisfies Record<SuiteComparison['policy']['kind'], SuiteResult['unit']>;

function verdictGrounds(
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
): Pick<SuiteResult, 'reason' | 'visible_drop' | 'compared' | 'confirmation'> {
  if (verdict === null)
    return { reason: null, visible_drop: null, compared: { references: 0, tries: 0 } };
  return {
    reason: verdict.reason,
    visible_drop: verdict.visibleDrop,
    compared: { references: comparedReferences(suite, verdict), tries: verdict.tries },
    ...(verdict.confirmation === null
      ? {}
      : { confirmation: { ...verdict.confirmation, stored: storedAnswers(suite) } }),
  };
}

function withFallen(
  references: readonly ReferenceResult[],
  verdict: SuiteVerdict | null,
): ReferenceResult[] {
  const named = references.some(({ status }) => status === 'regressed');
  const open = verdict?.verdict === 'regressed' && (verdict.reason.by === 'fall' || !named);
  if (!open) return [...references];
  const fell = references.filter(hasUnprovenFall);
  const flipped = fell.filter(({ status }) => status === 'inconclusive');
  const shown = new Set(flipped.length > 0 || named ? flipped : fell);
  return references.map((reference) =>
    shown.has(reference) ? { ...reference, status: 'fell' } : reference,
  );
}

function withRisen(
  references: readonly ReferenceResult[],
  verdict: SuiteVerdict | null,
): ReferenceResult[] {
  if (verdict?.verdict !== 'improved') return [...references];
  return references.map((reference) => {
    const { status, base, head } = reference;
    if (status !== 'inconclusive' || !countsForVerdict(reference) || base === null || head === null)
      return reference;
    return sideShare(head) > sideShare(base) ? { ...reference, status: 'rose' } : reference;
  });
}

function hasUnprovenFall(reference: ReferenceResult): boolean {
  const { status, base, head } = reference;
  if (!countsForVerdict(reference) || base === null || head === null) return false;
  return (status === 'inconclusive' || status === 'flaky') && sideShare(head) < sideShare(base);
}

interface Status {
  status: ReferenceStatus | null;
  p: number | null;
  q: number | null;
}

function referenceStatuses(verdict: SuiteVerdict | null): Map<ReferenceRun, Status> {
  if (verdict === null) return new Map();
  const { confirmation, reason } = verdict;
  const silent = new Set(reason.by === 'unanswered' ? reason.references : []);
  const isCertain = confirmation === null || confirmation.status === 'confirmed';
  return new Map(
    verdict.references.map(({ run, id, table, q, isCalled, isFixed }): [ReferenceRun, Status] => {
      const isWorse = isCertain && (isCalled || q.down <= REFERENCE_FDR || silent.has(id));
      const isBetter = q.up <= REFERENCE_FDR;
      const status = isWorse ? 'regressed' : isFixed ? 'fixed' : isBetter ? 'improved' : null;
      return [run, { status, p: referenceTest(table).down, q: q.down }];
    }),
  );
}

function referenceResult(
  { run: { scoring }, quarantined }: SuiteComparison,
  run: ReferenceRun,
  rollUps: RunRollUps | undefined,
  found: Status | undefined,
): ReferenceResult {
  const { reference } = run.affected;
  const metrics = scoreCount(scoring.tests, reference);
  const skip = scoring.tests.skip || reference.skip;
  const base = sideResult(run, 'base', rollUps?.base, metrics, skip);
  const head = sideResult(run, 'head', rollUps?.head, metrics, skip);
  return {
    id: reference.id,
    file: reference.place.file,
    line: reference.place.line,
    tags: reference.tags,
    skip: !countsIn(scoring.tests, reference),
    ...(quarantined(reference.id) ? { quarantined: true } : {}),
    input: reference.input,
    ...shownFiles(run.affected),
    expected: reference.expected ?? null,
    status: found?.status ?? plainStatus(run, base, head),
    p: found?.p ?? null,
    q: found?.q ?? null,
    base,
    head,
  };
}

function sideResult(
  run: ReferenceRun,
  side: Side,
  rolled: RollUpOutcome | undefined,
  metrics: number,
  skip: boolean,
): SideResult | null {
  if (run.affected[side] === null) return null;
  const tries: TryResult[] = run[side].map(({ byHead }) => byHead);
  const { passes, tries: judged } = countOutcomes(tries.map(({ outcome }) => outcome));
  return {
    tally: tallyOf(tries, metrics, skip),
    rollup: rolled?.outcome ?? null,
    passes,
    tries_judged: judged,
    tries,
  };
}

/** In the order of the specification: the first that holds. */
function plainStatus(
  { affected: { change } }: ReferenceRun,
  base: SideResult | null,
  head: SideResult | null,
): ReferenceStatus {
  const unjudged = [base, head]
    .filter((side) => side !== null)
    .find(({ tries_judged }) => tries_judged === 0);
  if (unjudged !== undefined)
    return unjudged.tries.some(({ outcome }) => outcome === 'ungraded') ? 'ungraded' : 'error';
  if (change === 'added' || change === 'edited') return change;
  if (base === null) return head?.rollup ?? 'error';
  if (head === null) return 'removed';
  if (hasFlipped(base, head)) return 'inconclusive';
  return isMixed(base) || isMixed(head) ? 'flaky' : 'unchanged';
}

function hasFlipped(base: SideResult, head: SideResult): boolean {
  return base.rollup !== null && head.rollup !== null && base.rollup !== head.rollup;
}

function isMixed({ passes, tries_judged }: SideResult): boolean {
  return passes > 0 && passes < tries_judged;
}

function removedReference(
  reference: ReferenceRun['affected']['reference'],
  skip: boolean,
): ReferenceResult {
  return {
    id: reference.id,
    file: reference.place.file,
    line: reference.place.line,
    tags: reference.tags,
    skip,
    input: reference.input,
    expected: reference.expected ?? null,
    status: 'removed',
    p: null,
    q: null,
    base: null,
    head: null,
  };
}
