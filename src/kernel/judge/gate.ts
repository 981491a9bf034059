import { counted } from '../../text/amounts.ts';
import type { WaitingBatches } from '../../types/model.ts';
import type { Halt, Unmade } from '../plan/halt.ts';
import { showsOnly, ungradedSuites } from '../result/counts.ts';
import { errorOf, type TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import {
  metricsOf,
  removals,
  removalWarnings,
  suiteFindings,
  suiteGate,
  scoringFailures,
  scoringWarnings,
} from './findings.ts';
import {
  NO_TEST,
  neverForReplaced,
  outcomeOf,
  type Decision,
  type GateConclusion,
  type GateFinding,
  type GateInput,
} from './outcome.ts';
import { seldomIn, unseenIn } from './unseen.ts';

/** Above this share of tries in error nothing is judged: the run is red with that as its reason. */
const MAX_ERROR_SHARE = 0.1;

/** What the run came to, with its reasons. Nothing else in the program decides. */
export function decide(input: GateInput): Decision {
  const { affected, removed, unused, blind } = input;
  if (affected === 0 && removed.length === 0 && !unused && blind === null)
    return { outcome: { kind: 'nothing-to-run', rubrics: input.tested }, reasons: [] };
  const found = neverForReplaced(
    findUnjudged(input) ?? neverGreen(findByGate(input), input),
    input,
  );
  return { outcome: outcomeOf(found, input), reasons: found.reasons };
}

function findUnjudged({ suites, affected, uncomparable }: GateInput): GateConclusion | null {
  const tries = suites.flatMap(({ references }) =>
    references.flatMap(({ base, head }) => [...(base?.tries ?? []), ...(head?.tries ?? [])]),
  );
  const errors = tries.filter(({ outcome }) => outcome === 'error');
  if (isTooMany(tries) && !headAlone(suites)) {
    const share =
      `${String(errors.length)} of ${String(tries.length)} tries ended in an error, ` +
      'so nothing was judged';
    return { conclusion: 'error', held: false, reasons: [share, ...errorTexts(errors)] };
  }
  const judged = tries.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  if (affected === 0 || judged) return null;
  if (uncomparable.length > 0) {
    return {
      conclusion: 'neutral',
      held: false,
      reasons: uncomparable.map(
        (name) =>
          `${name}: judged by preference alone, and there is no answer of base to compare with.`,
      ),
    };
  }
  const shown = tries.every(({ outcome }) => outcome === 'skipped') ? shownOnly(suites) : null;
  if (shown !== null) return shown.fails ? null : shown.found;
  return { conclusion: 'error', held: false, reasons: withoutVerdict(tries) };
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

/** Suites without a metric that says what passes: their values may still fail the run. */
function shownOnly(
  suites: readonly SuiteResult[],
): { fails: boolean; found: GateConclusion } | null {
  const silent = suites.filter(showsOnly);
  if (silent.length === 0) return null;
  const reasons = silent.map(
    ({ name }) => `${name}: no metric gates, so there is no verdict; their values are shown.`,
  );
  const fails = suites.some((suite) => metricsOf(suite, 'fail').length > 0);
  return { fails, found: { conclusion: 'neutral', held: false, reasons } };
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

function findByGate(input: GateInput): GateConclusion {
  const { settings } = input;
  const ofRun = removals(input).map((text): GateFinding => ({ text, failOn: settings.fail_on }));
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
  const failing =
    settings.on_inconclusive === 'fail' &&
    open.some((suite) => suiteGate(suite, settings).fail_on !== 'never');
  const blind = [...unseenIn(input.suites, settings.alpha), ...input.unjudged];
  const conclusion =
    failures.length > 0 || failing
      ? 'failure'
      : held.length + open.length + blind.length > 0
        ? 'neutral'
        : 'success';
  const reasons = [
    ...failures.map(({ text }) => text),
    ...causesOfSilence(input.suites),
    ...held.map(({ text }) => text),
    ...(held.length === 0 ? [] : [notFailed(held.length, failures.length)]),
    ...open.map(({ name, summary }) => `${name}: inconclusive. ${summary}`),
    ...blind,
    ...ungradedShare(input),
    ...scoringWarnings(input),
    ...removalWarnings(input),
    ...input.weakened,
    ...seldomIn(input.suites, settings.alpha),
    ...input.suites.flatMap((suite) => metricsOf(suite, 'warn')),
  ];
  return { conclusion, held: held.length > 0, reasons };
}

function notFailed(held: number, failures: number): string {
  return failures === 0
    ? 'Not failed, because fail_on is never.'
    : `The last ${held === 1 ? 'of these does' : `${String(held)} of these do`} not count: ` +
        'fail_on is never there.';
}

/** Not green without anything that counts, or a readable base: deleting tests cannot help. */
function neverGreen(
  decision: GateConclusion,
  { counted, affected, unused, blind }: GateInput,
): GateConclusion {
  if (decision.conclusion !== 'success') return decision;
  if (blind !== null)
    return { conclusion: 'neutral', held: false, reasons: [blind, ...decision.reasons] };
  if (counted > 0) return decision;
  const why = unused
    ? [
        'What this pull request changes is not used when it comes from an outside contributor; ' +
          'the notices say what.',
      ]
    : [];
  return {
    conclusion: 'neutral',
    held: false,
    reasons: [affected === 0 ? NO_TEST : NONE_COUNTS, ...why, ...decision.reasons],
  };
}

function ungradedShare({ suites }: GateInput): string[] {
  return ungradedSuites(suites).map(
    ({ name, ungraded, tries }) =>
      `${name}: ${String(ungraded)} of ${String(tries)} tries have no readable grade`,
  );
}

const NONE_COUNTS = 'No test that counts ran, so there is no verdict.';
const NONE_JUDGES = 'No metric judges any answer, so there is no verdict.';

/**
 * The conclusion of a run that was ended early. A regression that the tries so far show stands;
 * without one there is no verdict, for the tries that are missing could have shown it. Tries that
 * were not made are not errors of the run. What a batch still holds is neither missing nor red:
 * another run picks it up.
 */
export function decideHalted(input: GateInput, halt: Halt, unmade: Unmade): Decision {
  const rest = decide({ ...input, suites: withoutUnmade(input.suites, unmade) });
  const unjudged = rest.outcome.kind === 'not-judged';
  const planned = countAllTries(input.suites);
  const made = planned - unmade.tries;
  const why = `${halt.title}: ${halt.why}; ${String(made)} of ${String(planned)} tries were made`;
  if (!unjudged && input.suites.some(({ verdict }) => verdict === 'regressed'))
    return { ...rest, reasons: [...rest.reasons, `${why}, which is enough for this verdict.`] };
  const ended = { halt: halt.title, why, made, planned };
  if (halt.waiting !== undefined) {
    const met = made === 0 ? [] : rest.reasons;
    return {
      outcome: { kind: 'waiting', ...ended },
      reasons: [`${why}.`, heldWords(halt.waiting), ...met],
    };
  }
  return {
    outcome: { kind: 'ended-early', ...ended },
    reasons: [
      `${why}, which is not enough for a verdict${halt.title === 'Interrupted' ? '; run it again' : ''}.`,
      ...(unjudged
        ? rest.reasons.filter((reason) => ![NO_TEST, NONE_COUNTS, NONE_JUDGES].includes(reason))
        : []),
    ],
  };
}

function heldWords({ ids, requests }: WaitingBatches): string {
  const named = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
  return (
    `${counted(requests, 'request')} ${requests === 1 ? 'is' : 'are'} with the vendor in ` +
    `${named}: paid for once, and picked up by the next run.`
  );
}

function countAllTries(suites: readonly SuiteResult[]): number {
  return suites.reduce(
    (sum, { references }) =>
      sum +
      references.reduce(
        (own, { base, head }) => own + (base?.tries.length ?? 0) + (head?.tries.length ?? 0),
        0,
      ),
    0,
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
