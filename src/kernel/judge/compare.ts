import { filesIn, type FilePart } from '../../types/media.ts';
import type { Side } from '../../types/plain.ts';
import type { ReferenceRun, SuiteComparison, SuiteRun } from '../plan/suite-run.ts';
import { countsForVerdict, sideShare } from '../result/counts.ts';
import type { ReferenceResult, ReferenceStatus, SideResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { isNamedAt, referenceTest } from '../statistics/fixed-tries.ts';
import { countsIn } from '../suite/gate.ts';
import type { Reference, Tests } from '../suite/suite.ts';
import { storedAnswers } from './confirmation.ts';
import { countEvidence } from './evidence.ts';
import { metricRows } from './metric-rows.ts';
import { comparePreference } from './preference.ts';
import { comparedReferences, isJudgedByValues, passRate, rolledUp, unaskedSide } from './rates.ts';
import { talliedOf, type RollUpOutcome, type RunRollUps } from './roll-up.ts';
import type { SuiteVerdict } from './suite-row.ts';
import { ruleUncompared } from './suite-rules.ts';

export function compareSuite(
  suite: SuiteComparison,
  verdict: SuiteVerdict | null,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): SuiteResult {
  const { run, compared } = suite;
  const { path, name, variant, baseVariant, because } = run.suite;
  const statuses = referenceStatuses(verdict);
  const judgedByValues = isJudgedByValues(suite);
  const references = run.runs
    .map((referenceRun) =>
      referenceResult(suite, referenceRun, rollUps.get(referenceRun), statuses.get(referenceRun)),
    )
    .map((reference) => (judgedByValues ? withoutRollUps(reference) : reference));
  const removed = run.suite.references.flatMap(({ change, reference }) =>
    change === 'removed' ? removedReference(run, reference) : [],
  );
  const preference = comparePreference(run.scoring, compared);
  const shown = verdict?.verdict ?? ruleUncompared(suite);
  return {
    path,
    name,
    variant,
    base_variant: baseVariant,
    because,
    ...(Object.keys(suite.ownGate).length > 0 && { gate: suite.ownGate }),
    pass_rate: passRate(suite, verdict),
    verdict: shown,
    unit: judgedByValues ? 'values' : UNITS[suite.policy.kind],
    ...(shown === 'not_compared' && unaskedSide(run)),
    ...verdictGrounds(suite, verdict),
    evidence: countEvidence(suite, rollUps),
    references: [...withRisen(withFallen(references, verdict), verdict), ...removed],
    metrics: metricRows(suite, verdict),
    rollups: rolledUp(suite, rollUps),
    ...(preference !== null && { preference }),
  };
}

const UNITS = {
  adaptive: 'tries',
  fixed: 'tries',
  references: 'references',
  pairs: 'pairs',
} as const satisfies Record<SuiteComparison['policy']['kind'], SuiteResult['unit']>;

function verdictGrounds(suite: SuiteComparison, verdict: SuiteVerdict | null) {
  if (verdict === null)
    return { reason: null, visible_drop: null, compared: { references: 0, tries: 0 } };
  const { reason, visibleDrop, tries, confirmation } = verdict;
  return {
    reason,
    visible_drop: visibleDrop,
    compared: { references: comparedReferences(suite, verdict), tries },
    ...(confirmation !== null && {
      confirmation: { ...confirmation, stored: storedAnswers(suite) },
    }),
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
    verdict.references.map(({ run, id, table, q, isBroken, isFixed }): [ReferenceRun, Status] => {
      const isWorse = isCertain && (isBroken || isNamedAt(q.down) || silent.has(id));
      const isBetter = isNamedAt(q.up);
      const status = isWorse ? 'regressed' : isFixed ? 'fixed' : isBetter ? 'improved' : null;
      return [run, { status, p: referenceTest(table).down, q: q.down }];
    }),
  );
}

function referenceResult(
  suite: SuiteComparison,
  run: ReferenceRun,
  rollUps: RunRollUps | undefined,
  found: Status | undefined,
): ReferenceResult {
  const { reference } = run.affected;
  const { scoring } = suite.run;
  const side = (of: Side) => sideResult(run, scoring.tests, of, rollUps?.[of]);
  const base = side('base');
  const head = side('head');
  return {
    ...plainReference(reference, scoring.tests),
    ...(suite.quarantined(reference.id) && { quarantined: true }),
    ...shownFiles(run.affected),
    status: found?.status ?? plainStatus(run, base, head),
    p: found?.p ?? null,
    q: found?.q ?? null,
    base,
    head,
  };
}

function withoutRollUps({ base, head, ...reference }: ReferenceResult): ReferenceResult {
  const shown = (side: SideResult | null): SideResult | null => side && { ...side, rollup: null };
  return { ...reference, base: shown(base), head: shown(head) };
}

function plainReference(reference: Reference, tests: Tests) {
  const { id, place, tags, input, expected = null } = reference;
  const skip = !countsIn(tests, reference);
  return { id, file: place.file, line: place.line, tags, skip, input, expected };
}

function removedReference({ suite, scoring }: SuiteRun, reference: Reference): ReferenceResult {
  const own = plainReference(reference, suite.base?.scoring.tests ?? scoring.tests);
  return { ...own, status: 'removed', p: null, q: null, base: null, head: null };
}

function sideResult(
  run: ReferenceRun,
  tests: Tests,
  side: Side,
  rolled: RollUpOutcome | undefined,
): SideResult | null {
  if (run.affected[side] === null) return null;
  const tries = run[side].map(({ byHead }) => byHead);
  const { tally, passes, judged } = talliedOf(run, tests, tries);
  return { tally, rollup: rolled?.outcome ?? null, passes, tries_judged: judged, tries };
}

function shownFiles({ base, head }: ReferenceRun['affected']): Pick<ReferenceResult, 'files'> {
  const before = filesAsked(base);
  const after = filesAsked(head);
  const isCompared = base !== null && head !== null;
  const marked = (files: typeof before, others: typeof before, side: Side) =>
    [...files].map(([key, file]) => ({
      ...file,
      ...(isCompared && !others.has(key) && { side }),
    }));
  const lost = new Map([...before].filter(([key]) => !after.has(key)));
  const files = [...marked(after, before, 'head'), ...marked(lost, after, 'base')];
  return files.length === 0 ? {} : { files };
}

function filesAsked(generation: ReferenceRun['affected']['head']): Map<string, FilePart> {
  const files = generation?.kind === 'request' ? filesIn(generation.messages) : [];
  return new Map(files.map((file) => [`${file.id} ${file.path}`, file]));
}

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
