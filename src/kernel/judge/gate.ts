import { type Halt, type Unmade, MAX_ERROR_SHARE } from '../plan/halt.ts';
import {
  allTries,
  failingMetrics,
  fixedReferences,
  newFailing,
  onlyScoringChanged,
  showsOnly,
} from '../result/counts.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import { errorOf, type TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { isJudged } from '../statistics/table.ts';
import { collectFindings, nameOfSuite, suiteGate, type Finding } from './findings.ts';
import type { Decision, GateInput } from './gate-input.ts';
import { endsTooEarly, isUnjudged, ruleRun, type EndedRun, type RunFacts } from './run-rules.ts';

export function decide(
  input: GateInput,
  early: { halt: Halt; unmade: Unmade } | null = null,
): Decision {
  if (early === null) {
    const { facts, reasons } = factsAndReasons(input, null);
    const outcome = ruleRun(facts);
    return { outcome, reasons: outcome.kind === 'nothing-to-run' ? [] : reasons };
  }
  const { halt, unmade } = early;
  const planned = allTries(input.suites).length;
  const { code, why, waiting = null, isPassed = false } = halt;
  const ended = { halt: code, why, made: planned - unmade.tries, planned, waiting, isPassed };
  const judged = factsAndReasons({ ...input, suites: withoutUnmade(input.suites, unmade) }, ended);
  return { outcome: ruleRun(judged.facts), reasons: endedReasons(judged, ended) };
}

interface JudgedRun {
  facts: RunFacts;
  reasons: Reason[];
}

function factsAndReasons(input: GateInput, ended: EndedRun | null): JudgedRun {
  const tries = allTries(input.suites);
  const facts = { ...plainFacts(input), ended };
  if (isTooMany(tries) && !headAlone(input.suites)) {
    const errors = tries.filter(({ outcome }) => outcome === 'error');
    const share: Reason = { code: 'errors', errors: errors.length, of: tries.length };
    const words = errorWords(errors);
    const isCauseFirst = ended === null && words.length === 1 && errors.length === tries.length;
    return {
      facts: { ...facts, hasTooManyErrors: true },
      reasons: isCauseFirst ? [...words, share] : [share, ...words],
    };
  }
  const { silence, reasons: silent } = findSilence(input, tries);
  if (silence === 'error') return { facts: { ...facts, silence }, reasons: silent };
  const findings = collectFindings(input);
  const gating = silence === null ? input : { ...input, suites: [] };
  const found = { ...facts, silence, ...gateFacts(gating, findings) };
  const notGreen = silent.length > 0 ? silent : notGreenReasons(input, found);
  const ofFindings = findingReasons(gating, findings);
  const isDecided = found.fails || found.isHeld;
  return {
    facts: found,
    reasons: [
      ...(isDecided ? [...ofFindings, ...notGreen] : [...notGreen, ...ofFindings]),
      ...input.replaced.map(({ reason }) => reason),
    ],
  };
}

function plainFacts(input: GateInput): Omit<RunFacts, 'ended'> {
  const { affected, counted, tested, pool, suites } = input;
  const inconclusive = suites.filter(({ verdict }) => verdict === 'inconclusive');
  return {
    affected,
    counted,
    tested,
    pool,
    isSweep: input.mode === 'sweep',
    removed: input.removed.length,
    hasUnusedChanges: input.hasUnusedChanges,
    isReplaced: input.replaced.length > 0,
    hasTooManyErrors: false,
    silence: null,
    hasRegressed: pool !== null || suites.some(({ verdict }) => verdict === 'regressed'),
    isInconclusive: inconclusive.length > 0,
    isModelChange:
      inconclusive.length > 0 && inconclusive.every(({ reason }) => reason?.by === 'model'),
    fails: false,
    failsByInconclusive: false,
    isHeld: false,
    isUnseen: false,
    hasFixed: fixedReferences(suites).length > 0,
    hasImproved: suites.some(({ verdict }) => verdict === 'improved'),
    isScoringAlone: onlyScoringChanged(input).length > 0,
    hasNewFailing: newFailing(suites).length > 0,
  };
}

function gateFacts({ suites, settings }: GateInput, findings: readonly Finding[]) {
  const has = (effect: Finding['effect']) => findings.some((finding) => finding.effect === effect);
  const inconclusiveFails =
    settings.on_inconclusive === 'fail' &&
    suites.some(
      (suite) => suite.verdict === 'inconclusive' && suiteGate(suite, settings).fail_on !== 'never',
    );
  return {
    fails: has('fails') || inconclusiveFails,
    failsByInconclusive: !has('fails') && inconclusiveFails,
    isHeld: has('held'),
    isUnseen: has('unseen'),
  };
}

function findingReasons({ suites }: GateInput, findings: readonly Finding[]): Reason[] {
  const of = (effect: Finding['effect']): Reason[] =>
    findings.filter((finding) => finding.effect === effect).map(({ reason }) => reason);
  const fails = of('fails');
  const held = of('held');
  return [
    ...fails,
    ...causesOfSilence(suites),
    ...held,
    ...(held.length === 0
      ? []
      : [{ code: 'held' as const, held: held.length, others: fails.length > 0 }]),
    ...suites
      .filter(({ verdict }) => verdict === 'inconclusive')
      .map((suite) => ({ code: 'inconclusive' as const, ...nameOfSuite(suite) })),
    ...of('unseen'),
    ...of('warns'),
  ];
}

function findSilence(
  { suites, affected, preferenceAlone }: GateInput,
  tries: readonly TryResult[],
): Pick<RunFacts, 'silence'> & { reasons: Reason[] } {
  const judged = suites
    .filter((suite) => !showsOnly(suite))
    .some((suite) => allTries([suite]).some(({ outcome }) => isJudged(outcome)));
  if (affected === 0 || judged) return { silence: null, reasons: [] };
  if (preferenceAlone.length > 0)
    return {
      silence: 'nothing-gates',
      reasons: preferenceAlone.map((suite) => ({ code: 'preference-alone', suite })),
    };
  const isShown = tries.every(({ outcome }) => outcome !== 'ungraded');
  const shown = isShown ? suites.filter(showsOnly) : [];
  if (shown.length === 0) return { silence: 'error', reasons: withoutVerdict(tries) };
  // A metric's mean may fail the run even if no metric decides pass or fail.
  if (suites.some((suite) => failingMetrics(suite).length > 0))
    return { silence: null, reasons: [] };
  return {
    silence: 'nothing-gates',
    reasons: shown.map(({ name }) => ({ code: 'nothing-gates', suite: name })),
  };
}

function errorWords(errors: readonly TryResult[]): Reason[] {
  return wordsOf(errors.flatMap((tryResult) => errorOf(tryResult) ?? []));
}

function wordsOf(texts: readonly string[]): Reason[] {
  return [...new Set(texts)].slice(0, 3).map((text) => ({ code: 'words', text }));
}

function causesOfSilence(suites: readonly SuiteResult[]): Reason[] {
  const silent = suites.filter((suite) => isUnanswered(suite) || suite.reason?.by === 'uncompared');
  const tries = silent.flatMap(({ references }) =>
    references.flatMap(({ head }) => head?.tries ?? []),
  );
  return errorWords(tries.filter(({ outcome }) => outcome === 'error'));
}

function isTooMany(tries: readonly TryResult[]): boolean {
  const errors = tries.filter(({ outcome }) => outcome === 'error').length;
  return errors > MAX_ERROR_SHARE * tries.length;
}

function headAlone(suites: readonly SuiteResult[]): boolean {
  const ofBase = suites.flatMap(({ references }) =>
    references.flatMap(({ base }) => base?.tries ?? []),
  );
  return suites.some(isUnanswered) && !isTooMany(ofBase);
}

function isUnanswered({ reason }: SuiteResult): boolean {
  return reason?.by === 'unanswered' || reason?.unanswered === true;
}

function withoutVerdict(tries: readonly TryResult[]): Reason[] {
  const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded');
  const reasons = ungraded.flatMap(
    ({ scores }) => scores.find(({ status }) => status === 'ungraded')?.reason ?? [],
  );
  return ungraded.length === 0
    ? [{ code: tries.some(({ outcome }) => outcome === 'skipped') ? 'nothing-judged' : 'no-test' }]
    : [{ code: 'no-grades', ungraded: ungraded.length, of: tries.length }, ...wordsOf(reasons)];
}

function notGreenReasons({ affected, counted }: GateInput, facts: RunFacts): Reason[] {
  const { fails, isHeld, isUnseen, isInconclusive, hasUnusedChanges } = facts;
  if (fails || isHeld || isUnseen || isInconclusive) return [];
  if (counted > 0) return [];
  const none: Reason = { code: affected === 0 ? 'no-test' : 'nothing-counts' };
  return hasUnusedChanges ? [none, { code: 'unused-changes' }] : [none];
}

/** Results of waiting batches are not missing, because a later run collects them. */
function endedReasons(
  { facts, reasons }: JudgedRun,
  { waiting, isPassed, ...progress }: EndedRun,
): Reason[] {
  const ended = (effect: ReasonOf<'ended'>['effect']): Reason => ({
    code: 'ended',
    ...progress,
    effect,
  });
  if (!endsTooEarly(facts)) return [...reasons, ended('enough')];
  if (isPassed) return [ended('passed'), ...reasons];
  if (waiting !== null) {
    const { requests, ids } = waiting;
    const held: Reason = { code: 'waiting', requests, batches: ids };
    return [ended('waiting'), held, ...(progress.made === 0 ? [] : reasons)];
  }
  return [ended('too-few'), ...(isUnjudged(facts) ? reasons.filter(saysWhy) : [])];
}

function saysWhy({ code }: Reason): boolean {
  return code !== 'no-test' && code !== 'nothing-counts' && code !== 'nothing-judged';
}

/**
 * Removes one errored try for each try that was not made. Any will do, because the gate only counts
 * errors.
 */
function withoutUnmade(suites: readonly SuiteResult[], { tries, grades }: Unmade): SuiteResult[] {
  let answers = tries;
  let scored = grades;
  const keep = ({ outcome, error }: { outcome: string; error: string | null }) => {
    if (outcome !== 'error') return true;
    if (error !== null) return (answers -= 1) < 0;
    return (scored -= 1) < 0;
  };
  const side = <T extends SuiteResult['references'][number]['base']>(sideResult: T) =>
    sideResult === null ? sideResult : { ...sideResult, tries: sideResult.tries.filter(keep) };
  return suites.map((suite) => ({
    ...suite,
    references: suite.references.map((reference) => ({
      ...reference,
      base: side(reference.base),
      head: side(reference.head),
    })),
  }));
}
