import { countsForVerdict } from '../result/counts.ts';
import type { MetricValues } from '../result/metric-result.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { newFailing, type FeatureFinding, type GateFinding, type GateInput } from './outcome.ts';

/** Rounding must not take a rate for lower, or a change for larger, than an equal limit. */
const SLACK = 1e-9;

export function suiteGate({ gate }: SuiteResult, settings: GateSettings): GateSettings {
  return { ...settings, ...gate };
}

export function nameOfSuite({
  name,
  path,
  variant,
}: SuiteResult): Omit<ReasonOf<'regressed'>, 'code'> {
  return { suite: name, path, variant };
}

export function suiteFindings(
  suite: SuiteResult,
  gate: GateSettings,
  features: readonly FeatureFinding[],
): GateFinding[] {
  const reasons: Reason[] = [
    ...(suite.verdict === 'regressed'
      ? [{ code: 'regressed' as const, ...nameOfSuite(suite) }]
      : []),
    ...belowFloor(suite, gate),
    ...failedReferences(suite, gate),
    ...features
      .filter((found) => isOf(suite, found))
      .map(({ text }) => ({ code: 'feature' as const, text })),
    ...metricsOf(suite, 'fail'),
  ];
  return reasons.map((reason) => ({ reason, failOn: gate.fail_on }));
}

function isOf({ path, name, variant }: SuiteResult, { suite: of }: FeatureFinding): boolean {
  return (
    path === of.path &&
    name === of.name &&
    canonicalJson({ ...variant }) === canonicalJson({ ...of.variant })
  );
}

function belowFloor(
  { name, pass_rate: { head } }: SuiteResult,
  { min_pass_rate: floor }: GateSettings,
): Reason[] {
  if (floor === null || head === null || head >= floor - SLACK) return [];
  return [{ code: 'below-floor', suite: name, rate: head, floor }];
}

function failedReferences({ name, references }: SuiteResult, { fail_on }: GateSettings): Reason[] {
  const failed = fail_on === 'failure' ? references.filter(failsOnHead) : [];
  const ids = failed.map(({ id }) => id);
  return ids.length === 0 ? [] : [{ code: 'failed', suite: name, ids }];
}

export function metricsOf({ name, metrics }: SuiteResult, gate: MetricValues['gate']): Reason[] {
  return metrics.flatMap(({ name: metric, values }): Reason[] => {
    if (values === undefined || values.gate !== gate) return [];
    const { base, head, references, moved, way, by } = values;
    if (moved === null || moved === 'better' || way === undefined || by === undefined) return [];
    const figures = { suite: name, metric, base, head, way, by, references };
    return moved === 'worse'
      ? [{ code: 'metric-worse', ...figures, fails: gate === 'fail' }]
      : [{ code: 'metric-moved', ...figures }];
  });
}

/** Single references whose value moved far beyond the others', for the worse or without direction. */
export function explodedValues({ name: suite, metrics }: SuiteResult): Reason[] {
  return metrics.flatMap(({ name: metric, values, better }) =>
    (values?.exploded ?? [])
      .filter(({ base, head }) => better === 'none' || (better === 'higher') === head < base)
      .map((found): Reason => ({ code: 'value-exploded', suite, metric, ...found })),
  );
}

function failsOnHead(reference: ReferenceResult): boolean {
  return countsForVerdict(reference) && reference.head?.rollup === 'fail';
}

export function scoringFailures(input: GateInput): GateFinding[] {
  if (input.settings.scoring !== 'fail') return [];
  return [
    ...changedScorings(input, true),
    ...input.underBase.map(({ reason, failOn }) => ({
      reason: { ...reason, fails: true },
      failOn,
    })),
  ];
}

export function scoringWarnings(input: GateInput): Reason[] {
  if (input.settings.scoring === 'fail') return [];
  return [...changedScorings(input, false), ...input.underBase].map(({ reason }) => reason);
}

/** Scorings that move base's own pass rate by more than the margin, or pass what base's fails. */
function changedScorings({ scoring, suites, settings }: GateInput, fails: boolean): GateFinding[] {
  return scoring.flatMap((change): GateFinding[] => {
    const { path, name, rates, scoring_effect: effect, excused = false, under_base } = change;
    const suite = suites.find((of) => of.path === path && of.name === name);
    const gate = suite === undefined ? settings : suiteGate(suite, settings);
    const moved = effect !== null && Math.abs(effect) > gate.min_drop + SLACK;
    const { pass_fail, fail_pass } = change.same_answers;
    const own = { base: rates.base_base, head: rates.base_head, pass_fail, fail_pass };
    const reasons: Reason[] = [
      ...(excused && under_base !== undefined
        ? [{ code: 'scoring-excuses' as const, suite: name, ...under_base, fails }]
        : []),
      ...(moved ? [{ code: 'scoring-moved' as const, suite: name, ...own, fails }] : []),
    ];
    return reasons.map((reason) => ({ reason, failOn: gate.fail_on }));
  });
}

export function poolFall({ pool }: GateInput): Reason[] {
  return pool === null ? [] : [{ code: 'pool', ...pool }];
}

export function newFailures(input: GateInput): Reason[] {
  const failing = input.settings.new === 'fail' ? newFailing(input) : [];
  const named = failing.map(({ suite, id }) => `${suite}: ${id}`);
  return named.length === 0 ? [] : [{ code: 'new-failed', named }];
}

export function removals(input: GateInput): Reason[] {
  return input.settings.removed === 'fail' ? [...gone(input, true), ...askedAnew(input, true)] : [];
}

/** Names what is gone from the verdict, and what of the rest passes less often on head. */
export function removalWarnings(input: GateInput): Reason[] {
  if (input.settings.removed !== 'warn') return [];
  return [...gone(input, false), ...worseAndSkipped(input), ...askedAnew(input, false)];
}

function gone({ removed }: GateInput, fails: boolean): Reason[] {
  return removed.length === 0 ? [] : [{ code: 'removed', named: [...removed], fails }];
}

function askedAnew({ askedAnew: asked }: GateInput, fails: boolean): Reason[] {
  return asked.length === 0 ? [] : [{ code: 'asked-anew', named: [...asked], fails }];
}

function worseAndSkipped({ removed, suites }: GateInput): Reason[] {
  const skipped = new Set(removed);
  const references = suites.flatMap(({ path, references: all }) =>
    all
      .filter((reference) => skipped.has(`${path}: ${reference.id}`) && passesLess(reference))
      .map(({ id, base, head }) => ({
        reference: `${path}: ${id}`,
        base: passedOf(base),
        head: passedOf(head),
      })),
  );
  return references.length === 0 ? [] : [{ code: 'worse-and-skipped', references }];
}

function passesLess({ base, head }: ReferenceResult): boolean {
  const rate = (side: ReferenceResult['base']): number | null =>
    side === null || side.tries_judged === 0 ? null : side.passes / side.tries_judged;
  const [before, after] = [rate(base), rate(head)];
  return before !== null && after !== null && after < before;
}

function passedOf(side: ReferenceResult['base']): { passes: number; of: number } {
  return { passes: side?.passes ?? 0, of: side?.tries_judged ?? 0 };
}
