import {
  firstWords,
  percentAndLimit,
  counted,
  meansInWords,
  pointsBetween,
} from '../../text/amounts.ts';
import { countsForVerdict, underBaseScoring } from '../result/counts.ts';
import type { MetricValues } from '../result/metric-result.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { allSuites } from './outcome-fields.ts';
import { newFailing, type FeatureFinding, type GateFinding, type GateInput } from './outcome.ts';

/** Rounding must not take a rate for lower, or a change for larger, than an equal limit. */
const SLACK = 1e-9;

export function suiteGate({ gate }: SuiteResult, settings: GateSettings): GateSettings {
  return { ...settings, ...gate };
}

export function suiteFindings(
  suite: SuiteResult,
  gate: GateSettings,
  features: readonly FeatureFinding[],
): GateFinding[] {
  return [
    ...regression(suite),
    ...belowFloor(suite, gate),
    ...failedReferences(suite, gate),
    ...features.filter((found) => isOf(suite, found)).map(({ text }) => text),
    ...metricsOf(suite, 'fail').map((text) => `${text}; gate.metrics is fail`),
  ].map((text) => ({ text, failOn: gate.fail_on }));
}

function isOf({ path, name, variant }: SuiteResult, { suite: of }: FeatureFinding): boolean {
  return (
    path === of.path &&
    name === of.name &&
    canonicalJson({ ...variant }) === canonicalJson({ ...of.variant })
  );
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
  const failed = fail_on === 'failure' ? references.filter(failsOnHead) : [];
  return failed.length === 0
    ? []
    : [
        `${name}: ${counted(failed.length, 'reference')} failed on head: ` +
          `${firstWords(failed.map(({ id }) => id))}`,
      ];
}

export function metricsOf({ name, metrics }: SuiteResult, gate: MetricValues['gate']): string[] {
  return metrics.flatMap(({ name: metric, values }) => {
    if (values === undefined || values.moved !== 'worse' || values.gate !== gate) return [];
    const { base, head, references } = values;
    const way = (head ?? 0) < (base ?? 0) ? 'fell' : 'rose';
    return [
      `${name}: the mean of ${metric} ${way}, ${meansInWords(base, head)}, ` +
        `over ${counted(references, 'reference')}`,
    ];
  });
}

function failsOnHead(reference: ReferenceResult): boolean {
  return countsForVerdict(reference) && reference.head?.rollup === 'fail';
}

export function scoringFailures(input: GateInput): GateFinding[] {
  return input.settings.scoring === 'fail'
    ? [...changedScorings(input), ...input.underBase].map(({ text, failOn }) => ({
        text: `${text}; gate.scoring is fail`,
        failOn,
      }))
    : [];
}

export function scoringWarnings(input: GateInput): string[] {
  if (input.settings.scoring === 'fail') return [];
  const moved = changedScorings(input);
  return [
    ...moved.map(({ text }) => `${text}; review that change first`),
    ...input.underBase.map(({ text }) => text),
  ];
}

export function movedByScoring({
  name,
  rates,
  same_answers: { pass_fail, fail_pass },
}: ScoringResult): string {
  const way = (rates.base_head ?? 0) < (rates.base_base ?? 0) ? 'lowers' : 'raises';
  const size = pointsBetween(rates.base_base, rates.base_head).replace(/^[+−]/, '');
  return (
    `${name}: the new scoring alone ${way} the pass rate by ${size} ` +
    `(of the same answers ${String(fail_pass)} now pass and ${String(pass_fail)} now fail)`
  );
}

/** Scorings that move base's own pass rate by more than the margin, or pass what base's fails. */
function changedScorings({ scoring, suites, settings }: GateInput): GateFinding[] {
  return scoring.flatMap((change): GateFinding[] => {
    const { path, name, scoring_effect: effect, excused = false } = change;
    const suite = suites.find((of) => of.path === path && of.name === name);
    const gate = suite === undefined ? settings : suiteGate(suite, settings);
    const moved = effect !== null && Math.abs(effect) > gate.min_drop + SLACK;
    return [
      ...(excused ? [`${name}: ${underBaseScoring(change, excused)}`] : []),
      ...(moved ? [movedByScoring(change)] : []),
    ].map((text) => ({ text, failOn: gate.fail_on }));
  });
}

export function poolFall({ pool }: GateInput): string[] {
  return pool === null ? [] : [`the pass rate fell over ${allSuites(pool)}`];
}

export function newFailures(input: GateInput): string[] {
  const failing = input.settings.new === 'fail' ? newFailing(input) : [];
  return failing.length === 0
    ? []
    : [
        `${counted(failing.length, 'new reference')} failed on head, and gate.new is fail: ` +
          firstWords(failing.map(({ suite, id }) => `${suite}: ${id}`)),
      ];
}

export function removals({ removed, askedAnew, settings }: GateInput): string[] {
  if (settings.removed !== 'fail') return [];
  const found: [readonly string[], string][] = [
    [removed, 'removed, newly skipped or quarantined'],
    [askedAnew, ASKED_ANEW],
  ];
  return found.flatMap(([names, what]) =>
    names.length === 0
      ? []
      : `${counted(names.length, 'reference')} ${what}, and gate.removed is fail: ${firstWords(names)}`,
  );
}

const ASKED_ANEW = 'edited to ask something else, so what base asked there is not compared';

/** Names what is gone from the verdict, and what of the rest passes less often on head. */
export function removalWarnings(input: GateInput): string[] {
  const { askedAnew, settings } = input;
  if (settings.removed !== 'warn') return [];
  return [
    ...goneWarnings(input),
    ...(askedAnew.length === 0
      ? []
      : [`${counted(askedAnew.length, 'reference')} ${ASKED_ANEW}: ${firstWords(askedAnew)}`]),
  ];
}

function goneWarnings({ removed, suites }: GateInput): string[] {
  if (removed.length === 0) return [];
  const gone = new Set(removed);
  const fell = suites.flatMap(({ path, references }) =>
    references
      .map((reference) => ({ name: `${path}: ${reference.id}`, reference }))
      .filter(({ name, reference }) => gone.has(name) && passesLess(reference))
      .map(
        ({ name, reference: { base, head } }) =>
          `${name} (${passedOfJudged(base)} → ${passedOfJudged(head)})`,
      ),
  );
  return [
    `${counted(removed.length, 'reference')} removed, newly skipped or quarantined: ${firstWords(removed)}`,
    ...(fell.length === 0
      ? []
      : [`newly skipped or quarantined, and worse on head: ${firstWords(fell)}`]),
  ];
}

function passesLess({ base, head }: ReferenceResult): boolean {
  const rate = (side: ReferenceResult['base']): number | null =>
    side === null || side.tries_judged === 0 ? null : side.passes / side.tries_judged;
  const [before, after] = [rate(base), rate(head)];
  return before !== null && after !== null && after < before;
}

function passedOfJudged(side: ReferenceResult['base']): string {
  return `${String(side?.passes ?? 0)} of ${String(side?.tries_judged ?? 0)} passed`;
}
