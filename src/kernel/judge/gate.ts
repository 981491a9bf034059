import type { Halt, Unmade } from '../plan/halt.ts';
import { showsOnly, ungradedSuites } from '../result/counts.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import { errorOf, type TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import {
  explodedValues,
  metricsOf,
  newFailures,
  poolFall,
  removals,
  removalWarnings,
  suiteFindings,
  suiteGate,
  nameOfSuite,
  scoringFailures,
  scoringWarnings,
} from './findings.ts';
import type { Decision, GateInput } from './outcome.ts';
import { isEndedOpen, isUnjudged, ruleRun, type EndedRun, type RunFacts } from './run-rules.ts';

/** Above this share of tries in error nothing is judged: the run is red with that as its reason. */
const MAX_ERROR_SHARE = 0.1;

/** What the run came to, with its reasons. Nothing else in the program decides. */
export function decide(
  input: GateInput,
  early: { halt: Halt; unmade: Unmade } | null = null,
): Decision {
  if (early === null) {
    const facts = runFacts(input, null);
    const outcome = ruleRun(facts);
    return { outcome, reasons: outcome.kind === 'nothing-to-run' ? [] : facts.reasons };
  }
  const { halt, unmade } = early;
  const planned = allTries(input.suites).length;
  const made = planned - unmade.tries;
  const { code, why, waiting = null } = halt;
  const ended = { halt: code, why, made, planned, waiting };
  // Tries that were not made are not errors of the run.
  const facts = runFacts({ ...input, suites: withoutUnmade(input.suites, unmade) }, ended);
  return { outcome: ruleRun(facts), reasons: endedReasons(facts, ended) };
}

function runFacts(input: GateInput, ended: RunFacts['ended']): RunFacts {
  const tries = allTries(input.suites);
  const errors = tries.filter(({ outcome }) => outcome === 'error');
  const plain = { ...input, ended, hasTooManyErrors: false, silence: null, ...NO_FINDINGS };
  if (isTooMany(tries) && !headAlone(input.suites)) {
    const share: Reason = { code: 'errors', errors: errors.length, of: tries.length };
    return { ...plain, hasTooManyErrors: true, reasons: [share, ...errorWords(errors)] };
  }
  const { silence, reasons } = findSilence(input, tries);
  if (silence === 'error') return { ...plain, silence, reasons };
  const replaced = input.replaced.map(({ reason }) => reason);
  if (silence !== null) return { ...plain, silence, reasons: [...reasons, ...replaced] };
  const found = findByGate(input);
  const why = notGreenReasons(input, found);
  return { ...plain, ...found, reasons: [...why, ...found.reasons, ...replaced] };
}

const NO_FINDINGS = { fails: false, failsByOpen: false, isHeld: false, isPartlyUnseen: false };

function allTries(suites: readonly SuiteResult[]): TryResult[] {
  return suites.flatMap(({ references }) =>
    references.flatMap(({ base, head }) => [...(base?.tries ?? []), ...(head?.tries ?? [])]),
  );
}

function findSilence(
  { suites, affected, uncomparable }: GateInput,
  tries: readonly TryResult[],
): Pick<RunFacts, 'silence' | 'reasons'> {
  const judged = tries.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  if (affected === 0 || judged) return { silence: null, reasons: [] };
  if (uncomparable.length > 0)
    return {
      silence: 'nothing-gates',
      reasons: uncomparable.map((suite) => ({ code: 'preference-alone', suite })),
    };
  const shown = tries.every(({ outcome }) => outcome === 'skipped') ? suites.filter(showsOnly) : [];
  if (shown.length === 0) return { silence: 'error', reasons: withoutVerdict(tries) };
  // Values of metrics that gate nothing may still fail the run.
  if (suites.some((suite) => metricsOf(suite, 'fail').length > 0))
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
  const silent = suites.filter(({ reason }) => reason?.by === 'unanswered');
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
  return suites.some(({ reason }) => reason?.by === 'unanswered') && !isTooMany(ofBase);
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

type GateFindings = Pick<
  RunFacts,
  'fails' | 'failsByOpen' | 'isHeld' | 'isPartlyUnseen' | 'reasons'
>;

function findByGate(input: GateInput): GateFindings {
  const { settings } = input;
  const ofRun = [...poolFall(input), ...removals(input), ...newFailures(input)].map((reason) => ({
    reason,
    failOn: settings.fail_on,
  }));
  const findings = [
    ...input.suites.flatMap((suite) =>
      suiteFindings(suite, suiteGate(suite, settings), input.featureFindings),
    ),
    ...scoringFailures(input),
    ...ofRun,
  ];
  const [failures, held] = [
    findings.filter(({ failOn }) => failOn !== 'never'),
    findings.filter(({ failOn }) => failOn === 'never'),
  ];
  const open = input.suites.filter(({ verdict }) => verdict === 'inconclusive');
  const openFails =
    settings.on_inconclusive === 'fail' &&
    open.some((suite) => suiteGate(suite, settings).fail_on !== 'never');
  const unseen: Reason[] = [
    ...input.unseen.blocking,
    ...input.unjudged.map((text) => ({ code: 'feature' as const, text })),
  ];
  const reasons: Reason[] = [
    ...failures.map(({ reason }) => reason),
    ...causesOfSilence(input.suites),
    ...held.map(({ reason }) => reason),
    ...notFailed(held.length, failures.length),
    ...open.map((suite): Reason => ({ code: 'inconclusive', ...nameOfSuite(suite) })),
    ...unseen,
    ...ungradedShare(input),
    ...scoringWarnings(input),
    ...removalWarnings(input),
    ...input.weakened,
    ...input.unseen.warnings,
    ...input.suites.flatMap((suite) => [...metricsOf(suite, 'warn'), ...explodedValues(suite)]),
  ];
  return {
    fails: failures.length > 0 || openFails,
    failsByOpen: failures.length === 0 && openFails,
    isHeld: held.length > 0,
    isPartlyUnseen: unseen.length > 0,
    reasons,
  };
}

function notFailed(held: number, failures: number): Reason[] {
  return held === 0 ? [] : [{ code: 'held', held, others: failures > 0 }];
}

/** Not green without anything that counts, or a readable base: deleting tests cannot help. */
function notGreenReasons(
  { suites, counted: counts, affected, unused, blind }: GateInput,
  { fails, isHeld, isPartlyUnseen }: GateFindings,
): Reason[] {
  const isOpen = suites.some(({ verdict }) => verdict === 'inconclusive');
  if (fails || isHeld || isPartlyUnseen || isOpen) return [];
  if (blind !== null) return [{ code: 'base-unreadable', text: blind }];
  if (counts > 0) return [];
  const none: Reason = { code: affected === 0 ? 'no-test' : 'nothing-counts' };
  return unused ? [none, { code: 'unused-changes' }] : [none];
}

function ungradedShare({ suites }: GateInput): Reason[] {
  return ungradedSuites(suites).map(({ name, ungraded, tries }) => ({
    code: 'ungraded',
    ...{ suite: name, tries: ungraded, of: tries },
  }));
}

/** What a batch still holds is neither missing nor red: another run picks it up. */
function endedReasons(facts: RunFacts, { waiting, ...progress }: EndedRun): Reason[] {
  const { reasons } = facts;
  const ended = (effect: ReasonOf<'ended'>['effect']): Reason => ({
    code: 'ended',
    ...progress,
    effect,
  });
  if (!isEndedOpen(facts)) return [...reasons, ended('enough')];
  if (waiting !== null) {
    const { requests, ids } = waiting;
    const held: Reason = { code: 'waiting', requests, batches: ids };
    return [ended('waiting'), held, ...(progress.made === 0 ? [] : reasons)];
  }
  return [ended('too-few'), ...(isUnjudged(facts) ? reasons.filter(saysWhy) : [])];
}

/** Nothing else is known if all that there is to say is that nothing was judged. */
function saysWhy({ code }: Reason): boolean {
  return code !== 'no-test' && code !== 'nothing-counts' && code !== 'nothing-judged';
}

/** Removes as many tries in error as were never made; the gate only counts them, so any will do. */
function withoutUnmade(suites: readonly SuiteResult[], { tries, grades }: Unmade): SuiteResult[] {
  let [answers, scored] = [tries, grades];
  const keep = ({ outcome, error }: { outcome: string; error: string | null }): boolean => {
    if (outcome !== 'error') return true;
    if (error !== null) return (answers -= 1) < 0;
    return (scored -= 1) < 0;
  };
  const side = <T extends SuiteResult['references'][number]['base']>(sideResult: T): T =>
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
