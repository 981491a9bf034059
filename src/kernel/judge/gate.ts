import { counted } from '../../text/amounts.ts';
import type { WaitingBatches } from '../../types/model.ts';
import type { Halt, Unmade } from '../plan/halt.ts';
import { showsOnly, ungradedSuites } from '../result/counts.ts';
import { errorOf, type TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import {
  metricsOf,
  newFailures,
  poolFall,
  removals,
  removalWarnings,
  suiteFindings,
  suiteGate,
  scoringFailures,
  scoringWarnings,
} from './findings.ts';
import { NO_TEST, type Decision, type GateFinding, type GateInput } from './outcome.ts';
import { isEndedOpen, isUnjudged, ruleRun, type EndedRun, type RunFacts } from './run-rules.ts';
import { seldomIn, unseenIn } from './unseen.ts';

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
  const why = `${halt.title}: ${halt.why}; ${String(made)} of ${String(planned)} tries were made`;
  const ended = { halt: halt.title, why, made, planned, waiting: halt.waiting ?? null };
  // Tries that were not made are not errors of the run.
  const facts = runFacts({ ...input, suites: withoutUnmade(input.suites, unmade) }, ended);
  return { outcome: ruleRun(facts), reasons: endedReasons(facts, ended) };
}

function runFacts(input: GateInput, ended: RunFacts['ended']): RunFacts {
  const tries = allTries(input.suites);
  const errors = tries.filter(({ outcome }) => outcome === 'error');
  const plain = { ...input, ended, hasTooManyErrors: false, silence: null, ...NO_FINDINGS };
  if (isTooMany(tries) && !headAlone(input.suites)) {
    const share =
      `${String(errors.length)} of ${String(tries.length)} tries ended in an error, ` +
      'so nothing was judged';
    return { ...plain, hasTooManyErrors: true, reasons: [share, ...errorTexts(errors)] };
  }
  const { silence, reasons } = findSilence(input, tries);
  if (silence === 'error') return { ...plain, silence, reasons };
  const replaced = input.replaced.map(({ sentence }) => sentence);
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
      reasons: uncomparable.map(
        (name) =>
          `${name}: judged by preference alone, and there is no answer of base to compare with.`,
      ),
    };
  const shown = tries.every(({ outcome }) => outcome === 'skipped') ? suites.filter(showsOnly) : [];
  if (shown.length === 0) return { silence: 'error', reasons: withoutVerdict(tries) };
  // Values of metrics that gate nothing may still fail the run.
  if (suites.some((suite) => metricsOf(suite, 'fail').length > 0))
    return { silence: null, reasons: [] };
  return {
    silence: 'nothing-gates',
    reasons: shown.map(
      ({ name }) => `${name}: no metric gates, so there is no verdict; their values are shown.`,
    ),
  };
}

function errorTexts(errors: readonly TryResult[]): string[] {
  const texts = errors.flatMap((tryResult) => errorOf(tryResult) ?? []);
  return [...new Set(texts)].slice(0, 3);
}

function causesOfSilence(suites: readonly SuiteResult[]): string[] {
  const silent = suites.filter(({ reason }) => reason?.by === 'unanswered');
  const tries = silent.flatMap(({ references }) =>
    references.flatMap(({ head }) => head?.tries ?? []),
  );
  return errorTexts(tries.filter(({ outcome }) => outcome === 'error'));
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

function withoutVerdict(tries: readonly TryResult[]): string[] {
  const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded');
  const reasons = ungraded.flatMap(
    ({ scores }) => scores.find(({ status }) => status === 'ungraded')?.reason ?? [],
  );
  return ungraded.length === 0
    ? [tries.some(({ outcome }) => outcome === 'skipped') ? NONE_JUDGES : NO_TEST]
    : [
        `${String(ungraded.length)} of ${String(tries.length)} tries have no readable grade ` +
          'and no other was judged, so there is no verdict.',
        ...[...new Set(reasons)].slice(0, 3),
      ];
}

type GateFindings = Pick<
  RunFacts,
  'fails' | 'failsByOpen' | 'isHeld' | 'isPartlyUnseen' | 'reasons'
>;

function findByGate(input: GateInput): GateFindings {
  const { settings } = input;
  const ofRun = [...poolFall(input), ...removals(input), ...newFailures(input)].map(
    (text): GateFinding => ({ text, failOn: settings.fail_on }),
  );
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
  const unseen = [...unseenIn(input.suites, settings.alpha), ...input.unjudged];
  const reasons = [
    ...failures.map(({ text }) => text),
    ...causesOfSilence(input.suites),
    ...held.map(({ text }) => text),
    ...(held.length === 0 ? [] : [notFailed(held.length, failures.length)]),
    ...open.map(({ name, summary }) => `${name}: inconclusive. ${summary}`),
    ...unseen,
    ...ungradedShare(input),
    ...scoringWarnings(input),
    ...removalWarnings(input),
    ...input.weakened,
    ...seldomIn(input.suites, settings.alpha),
    ...input.suites.flatMap((suite) => metricsOf(suite, 'warn')),
  ];
  return {
    fails: failures.length > 0 || openFails,
    failsByOpen: failures.length === 0 && openFails,
    isHeld: held.length > 0,
    isPartlyUnseen: unseen.length > 0,
    reasons,
  };
}

function notFailed(held: number, failures: number): string {
  return failures === 0
    ? 'Not failed, because fail_on is never.'
    : `The last ${held === 1 ? 'of these does' : `${String(held)} of these do`} not count: ` +
        'fail_on is never there.';
}

/** Not green without anything that counts, or a readable base: deleting tests cannot help. */
function notGreenReasons(
  { suites, counted: counts, affected, unused, blind }: GateInput,
  { fails, isHeld, isPartlyUnseen }: GateFindings,
): string[] {
  const isOpen = suites.some(({ verdict }) => verdict === 'inconclusive');
  if (fails || isHeld || isPartlyUnseen || isOpen) return [];
  if (blind !== null) return [blind];
  if (counts > 0) return [];
  const why = unused
    ? [
        'What this pull request changes is not used when it comes from an outside contributor; ' +
          'the notices say what.',
      ]
    : [];
  return [affected === 0 ? NO_TEST : NONE_COUNTS, ...why];
}

function ungradedShare({ suites }: GateInput): string[] {
  return ungradedSuites(suites).map(
    ({ name, ungraded, tries }) =>
      `${name}: ${String(ungraded)} of ${String(tries)} tries have no readable grade`,
  );
}

const NONE_COUNTS = 'No test that counts ran, so there is no verdict.';
const NONE_JUDGES = 'No metric judges any answer, so there is no verdict.';

/** What a batch still holds is neither missing nor red: another run picks it up. */
function endedReasons(facts: RunFacts, { halt, why, made, waiting }: EndedRun): string[] {
  const { reasons } = facts;
  if (!isEndedOpen(facts)) return [...reasons, `${why}, which is enough for this verdict.`];
  if (waiting !== null) return [`${why}.`, heldWords(waiting), ...(made === 0 ? [] : reasons)];
  return [
    `${why}, which is not enough for a verdict${halt === 'Interrupted' ? '; run it again' : ''}.`,
    ...(isUnjudged(facts)
      ? reasons.filter((reason) => ![NO_TEST, NONE_COUNTS, NONE_JUDGES].includes(reason))
      : []),
  ];
}

function heldWords({ ids, requests }: WaitingBatches): string {
  const named = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
  return (
    `${counted(requests, 'request')} ${requests === 1 ? 'is' : 'are'} with the vendor in ` +
    `${named}: paid for once, and picked up by the next run.`
  );
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
