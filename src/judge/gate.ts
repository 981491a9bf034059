import type { AttributeResult } from '../result/attributes.ts';
import { countsForVerdict, standsBeforeGreen, ungradedSuites } from '../result/counts.ts';
import type {
  MetricValues,
  ReferenceResult,
  SuiteResult,
  TryResult,
} from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { GateSettings } from '../suite/suite.ts';
import {
  percent,
  percentAndLimit,
  counted,
  meansInWords,
  pointsBetween,
  signed,
} from '../text/amounts.ts';
import {
  NO_TEST,
  neverForReplaced,
  outcomeOf,
  type Decision,
  type Found,
  type GateInput,
} from './outcome.ts';

/** Above this share of tries in error nothing is judged: the run is red with that as its reason. */
const MAX_ERROR_SHARE = 0.1;

/**
 * Keeps the rounding of means from taking a rate for lower, or a change for larger, than the limit
 * that it is equal to.
 */
const SLACK = 1e-9;

/** What the run came to, with its reasons. Nothing else in the program decides. */
export function decide(input: GateInput): Decision {
  if (input.affected === 0 && input.removed.length === 0 && !input.unused)
    return { outcome: { kind: 'nothing-to-run', rubrics: input.testedRubrics }, reasons: [] };
  const found = neverForReplaced(unjudged(input) ?? neverGreen(gated(input), input), input);
  return { outcome: outcomeOf(found, input), reasons: found.reasons };
}

/** Runs from which no verdict can come: red with their own words, never green. */
function unjudged({ suites, affected, uncomparable }: GateInput): Found | null {
  const tries = suites.flatMap(({ references }) =>
    references.flatMap(({ base, head }) => [...(base?.tries ?? []), ...(head?.tries ?? [])]),
  );
  const errors = tries.filter(({ outcome }) => outcome === 'error');
  if (isTooMany(tries) && !headAlone(suites)) {
    const share = `${String(errors.length)} of ${String(tries.length)} tries ended in an error, so nothing was judged`;
    return { conclusion: 'error', held: false, reasons: [share, ...causesOf(errors)] };
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

/** What tries in error say themselves: at most three texts. */
function causesOf(errors: readonly TryResult[]): string[] {
  const texts = errors.map(
    ({ error, scores }) =>
      error ?? scores.find(({ status }) => status === 'error')?.reason ?? 'unknown',
  );
  return [...new Set(texts)].slice(0, 3);
}

/** Why head has no answers, or none that can be judged, where base has them. */
function causesOfSilence(suites: readonly SuiteResult[]): string[] {
  const silent = suites.filter(({ reason }) => reason?.by === 'unanswered');
  const tries = silent.flatMap(({ references }) =>
    references.flatMap(({ head }) => head?.tries ?? []),
  );
  return causesOf(tries.filter(({ outcome }) => outcome === 'error'));
}

function isTooMany(tries: readonly TryResult[]): boolean {
  const errors = tries.filter(({ outcome }) => outcome === 'error').length;
  return errors > MAX_ERROR_SHARE * tries.length;
}

/** Errors of head where base answers are no trouble on the way: head got worse. */
function headAlone(suites: readonly SuiteResult[]): boolean {
  const ofBase = suites.flatMap(({ references }) =>
    references.flatMap(({ base }) => base?.tries ?? []),
  );
  return suites.some(({ reason }) => reason?.by === 'unanswered') && !isTooMany(ofBase);
}

/**
 * Suites in which no metric says what passes have values and no verdict, which is nobody's fault. A
 * value that may fail the run still does.
 */
function shownOnly(suites: readonly SuiteResult[]): { fails: boolean; found: Found } | null {
  const silent = suites.filter(
    ({ metrics }) => metrics.length > 0 && metrics.every(({ gates }) => gates === false),
  );
  if (silent.length === 0) return null;
  const reasons = silent.map(
    ({ name }) => `${name}: no metric gates, so there is no verdict; their values are shown.`,
  );
  const fails = suites.some((suite) => metricsOf(suite, 'fail').length > 0);
  return { fails, found: { conclusion: 'neutral', held: false, reasons } };
}

/**
 * Why nothing was judged although something ran: what graders said cannot be read, or nothing
 * applied.
 */
function withoutVerdict(tries: readonly TryResult[]): string[] {
  const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded');
  const reasons = ungraded.flatMap(
    ({ scores }) => scores.find(({ status }) => status === 'ungraded')?.reason ?? [],
  );
  return ungraded.length === 0
    ? [NO_TEST]
    : [
        `${String(ungraded.length)} of ${String(tries.length)} tries have no readable grade and no other was judged, so there is no verdict.`,
        ...[...new Set(reasons)].slice(0, 3),
      ];
}

/**
 * Something that makes a run red, unless what it belongs to (a suite, or the run) is never to fail.
 */
interface Finding {
  text: string;
  failOn: GateSettings['fail_on'];
}

function gated(input: GateInput): Found {
  const { settings } = input;
  const ofRun = removals(input).map((text): Finding => ({ text, failOn: settings.fail_on }));
  const findings = [
    ...input.suites.flatMap((suite) =>
      suiteFindings(suite, gateOf(suite, settings), input.attributes),
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
    open.some((suite) => gateOf(suite, settings).fail_on !== 'never');
  const blind = [...unseenReferences(input), ...unexplainedSuites(input)];
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
    ...input.suites.flatMap((suite) => metricsOf(suite, 'warn')),
    ...scoringWarnings(input),
  ];
  return { conclusion, held: held.length > 0, reasons };
}

function notFailed(held: number, failures: number): string {
  return failures === 0
    ? 'Not failed, because fail_on is never.'
    : `The last ${held === 1 ? 'of these does' : `${String(held)} of these do`} not count: fail_on is never there.`;
}

/** The gate's settings as they hold for one suite. */
function gateOf({ gate }: SuiteResult, settings: GateSettings): GateSettings {
  return { ...settings, ...gate };
}

function suiteFindings(
  suite: SuiteResult,
  gate: GateSettings,
  attributes: readonly AttributeResult[],
): Finding[] {
  return [
    ...regression(suite),
    ...belowFloor(suite, gate),
    ...failedReferences(suite, gate),
    ...regressedAttributes(suite, gate, attributes),
    ...metricsOf(suite, 'fail').map((text) => `${text}; gate.metrics is fail`),
  ].map((text) => ({ text, failOn: gate.fail_on }));
}

/**
 * Where nothing that counts was run there is no verdict, so there is no success either: deleting
 * tests is not a way to green.
 */
function neverGreen(decision: Found, { counted, affected, unused }: GateInput): Found {
  if (counted > 0 || decision.conclusion !== 'success') return decision;
  const why = unused
    ? [
        'What this pull request changes is not used when it comes from an outside contributor; the notices say what.',
      ]
    : [];
  return {
    conclusion: 'neutral',
    held: false,
    reasons: [
      affected === 0 ? NO_TEST : 'No test that counts ran, so there is no verdict.',
      ...why,
      ...decision.reasons,
    ],
  };
}

function regression({ verdict, name, summary }: SuiteResult): string[] {
  return verdict === 'regressed' ? [`${name} regressed: ${summary}`] : [];
}

function belowFloor(
  { name, pass_rate: { head } }: SuiteResult,
  { min_pass_rate: floor }: GateSettings,
): string[] {
  if (floor === null || head === null || head >= floor - SLACK) return [];
  const [rate, least] = percentAndLimit(head, floor);
  return [`${name}: pass rate ${rate} is below min_pass_rate ${least}`];
}

function failedReferences({ name, references }: SuiteResult, { fail_on }: GateSettings): string[] {
  const failed = fail_on === 'failure' ? references.filter(fails) : [];
  return failed.length === 0
    ? []
    : [
        `${name}: ${counted(failed.length, 'reference')} failed on head: ${listed(failed.map(({ id }) => id))}`,
      ];
}

/** Each is one of a family that shares alpha, so one alone is enough. */
function regressedAttributes(
  { name, path, variant }: SuiteResult,
  { attributes: word }: GateSettings,
  attributes: readonly AttributeResult[],
): string[] {
  if (word !== 'fail') return [];
  const own = attributes.filter(
    (one) =>
      one.verdict === 'regressed' &&
      one.path === path &&
      one.suite === name &&
      canonicalJson({ ...one.variant }) === canonicalJson({ ...variant }),
  );
  return own.map(
    (one) =>
      `${name}: the ${one.kind === 'domain' ? 'domain' : 'sub-task'} "${one.name}" regressed: pass rate ${percent(one.base)} → ${percent(one.head)} (${pointsBetween(one.base, one.head)}` +
      `${one.low === null || one.high === null ? '' : `, 90 % interval ${signed(one.low)} to ${signed(one.high)}`}) over ${counted(one.n, 'reference')}; gate.attributes is fail`,
  );
}

/** Metrics whose numbers got worse, in words. */
function metricsOf({ name, metrics }: SuiteResult, gate: MetricValues['gate']): string[] {
  return metrics.flatMap(({ name: metric, values }) => {
    if (values === undefined || values.moved !== 'worse' || values.gate !== gate) return [];
    const { base, head, references } = values;
    const way = (head ?? 0) < (base ?? 0) ? 'fell' : 'rose';
    return [
      `${name}: the mean of ${metric} ${way}, ${meansInWords(base, head)}, over ${counted(references, 'reference')}`,
    ];
  });
}

function fails(reference: ReferenceResult): boolean {
  return countsForVerdict(reference) && reference.head?.rollup === 'fail';
}

function scoringFailures(input: GateInput): Finding[] {
  return input.settings.scoring === 'fail'
    ? changedScorings(input).map(({ text, failOn }) => ({
        text: `${text}; gate.scoring is fail`,
        failOn,
      }))
    : [];
}

function scoringWarnings(input: GateInput): string[] {
  return input.settings.scoring === 'warn'
    ? changedScorings(input).map(({ text }) => `${text}: look at that change before the pass rate`)
    : [];
}

/**
 * Scorings that moved the pass rate of base's own answers by more than the margin of their suite.
 */
function changedScorings({ scoring, suites, settings }: GateInput): Finding[] {
  return scoring.flatMap(
    ({
      path,
      name,
      rates,
      scoring_effect: effect,
      same_answers: { pass_fail, fail_pass },
    }): Finding[] => {
      const suite = suites.find((one) => one.path === path && one.name === name);
      const gate = suite === undefined ? settings : gateOf(suite, settings);
      if (effect === null || Math.abs(effect) <= gate.min_drop + SLACK) return [];
      const text =
        `${name}: the scoring moved the pass rate by ${pointsBetween(rates.base_base, rates.base_head)} ` +
        `(the same answers: ${String(pass_fail)} pass → fail, ${String(fail_pass)} fail → pass)`;
      return [{ text, failOn: gate.fail_on }];
    },
  );
}

function removals({ removed, settings }: GateInput): string[] {
  if (settings.removed !== 'fail' || removed.length === 0) return [];
  return [
    `${counted(removed.length, 'reference')} removed or newly skipped, and gate.removed is fail: ${listed(removed)}`,
  ];
}

function ungradedShare({ suites }: GateInput): string[] {
  return ungradedSuites(suites).map(
    ({ name, ungraded, tries }) =>
      `${name}: ${String(ungraded)} of ${String(tries)} tries have no readable grade`,
  );
}

/** Too little evidence for green, in suites that do not say so by their verdict. */
function unseenReferences({ suites }: GateInput): string[] {
  const counts = suites.flatMap(({ name, verdict, evidence }) =>
    evidence === undefined ? [] : [{ name, verdict, ...evidence }],
  );
  return standsBeforeGreen(counts)
    .filter(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'regressed')
    .map(
      ({ name, references, of, missing }) =>
        `${name}: ${String(references)} of ${counted(of, 'reference')} could be judged; without evidence: ${listed(missing)}`,
    );
}

/** What was to gate and could not be looked at is not a success. */
function unexplainedSuites({ settings, unexplained }: GateInput): string[] {
  return settings.attributes === 'fail'
    ? unexplained.map(
        (name) =>
          `${name}: its attributes could not be worked out (the notices say why), and gate.attributes is fail`,
      )
    : [];
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length > 10 ? `${shown} and ${String(ids.length - 10)} more` : shown;
}
