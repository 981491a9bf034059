import { countsForVerdict, newFailing, ungradedSuites } from '../result/counts.ts';
import type { MetricValues } from '../result/metric-result.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { RATE_TOLERANCE } from '../statistics/table.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import type { GateInput } from './gate-input.ts';

export interface Finding {
  reason: Reason;
  /**
   * `fails` makes the run red. `held` would make it red if `fail_on` were not `never`. `unseen`
   * prevents green.
   */
  effect: 'fails' | 'held' | 'unseen' | 'warns';
}

export function collectFindings(input: GateInput): Finding[] {
  const { unseen, unjudged, suites, weakened, notRun, pool, settings } = input;
  const texts = (code: 'feature' | 'base-unreadable', of: readonly string[]): Reason[] =>
    of.map((text) => ({ code, text }));
  const ungraded = ungradedSuites(suites).map(({ name, ungraded: tries, tries: of }): Reason => ({
    code: 'ungraded',
    suite: name,
    tries,
    of,
  }));
  return [
    ...suites.flatMap((suite) => suiteFindings(suite, input)),
    ...scoringFindings(input),
    ...(pool === null ? [] : [{ code: 'pool' as const, ...pool }]).map(
      withEffect(failing(settings.fail_on)),
    ),
    ...notRun.map((reason) => ({
      reason,
      effect: reason.fails ? failing(settings.fail_on) : ('unseen' as const),
    })),
    ...[
      ...texts('base-unreadable', input.unread),
      ...unseen.blocking,
      ...texts('feature', unjudged),
    ].map(withEffect('unseen')),
    ...ungraded.map(withEffect('warns')),
    ...removedFindings(input),
    ...newFindings(input),
    ...[...weakened, ...unseen.warnings].map(withEffect('warns')),
  ];
}

function withEffect(effect: Finding['effect']): (reason: Reason) => Finding {
  return (reason) => ({ reason, effect });
}

function failing(failOn: GateSettings['fail_on']): Finding['effect'] {
  return failOn === 'never' ? 'held' : 'fails';
}

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

function suiteFindings(suite: SuiteResult, { settings, featureFindings }: GateInput): Finding[] {
  const gate = suiteGate(suite, settings);
  const { min_pass_rate: floor } = gate;
  const rate = suite.pass_rate.head;
  const isBelow = floor !== null && rate !== null && rate < floor - RATE_TOLERANCE;
  const failed = suite.references.filter(
    (reference) => countsForVerdict(reference) && reference.head?.rollup === 'fail',
  );
  const ids = gate.fail_on === 'failure' ? failed.map(({ id }) => id) : [];
  const own: Reason[] = [
    ...(suite.verdict === 'regressed'
      ? [{ code: 'regressed' as const, ...nameOfSuite(suite) }]
      : []),
    ...(isBelow ? [{ code: 'below-floor' as const, suite: suite.name, rate, floor }] : []),
    ...(ids.length > 0 ? [{ code: 'failed' as const, suite: suite.name, ids }] : []),
  ];
  const features = featureFindings
    .filter(
      (found) =>
        suite.path === found.suite.path &&
        suite.name === found.suite.name &&
        canonicalJson({ ...suite.variant }) === canonicalJson({ ...found.suite.variant }),
    )
    .map(({ text }): Reason => ({ code: 'feature', text }));
  return [
    ...[...own, ...features].map(withEffect(failing(gate.fail_on))),
    ...valueFindings(suite, gate),
  ];
}

/** The suite's own verdict already states values that decided it. */
function valueFindings(
  { name: suite, metrics, reason }: SuiteResult,
  gate: GateSettings,
): Finding[] {
  const decided = reason?.by === 'values' ? reason.metrics : [];
  return metrics.flatMap(({ name: metric, values, better }) => {
    const fails = values?.gate === 'fail';
    const effect = fails ? failing(gate.fail_on) : 'warns';
    const exploded = (values?.exploded ?? []).filter(
      ({ base, head }) => better === 'none' || (better === 'higher') === head < base,
    );
    return [
      ...(decided.includes(metric) ? [] : movedMeans(suite, metric, values)).map(
        withEffect(effect),
      ),
      ...exploded
        .map((found): Reason => ({ code: 'value-exploded', suite, metric, ...found }))
        .map(withEffect('warns')),
    ];
  });
}

function movedMeans(suite: string, metric: string, values: MetricValues | undefined): Reason[] {
  if (values === undefined || values.gate === 'ignore') return [];
  const { base, head, references, moved, way, by, gate, share, fell, rose } = values;
  if (moved === null || moved === 'better' || way === undefined || by === undefined) return [];
  const changed = way === 'fell' ? fell : rose;
  const own = {
    ...(share !== undefined && { share }),
    ...(changed !== undefined && { changed }),
  };
  const figures = { suite, metric, base, head, way, by, references, ...own };
  return moved === 'worse'
    ? [{ code: 'metric-worse', ...figures, fails: gate === 'fail' }]
    : [{ code: 'metric-moved', ...figures }];
}

/**
 * Reports a changed scoring if it moves base's pass rate, or if head's answers pass by it but fail
 * by base's scoring.
 */
function scoringFindings({ scoring, suites, settings, underBase }: GateInput): Finding[] {
  const fails = settings.scoring === 'fail';
  const changed = scoring.flatMap((change) => {
    const { path, name, rates, scoring_effect: effect, excused = false, under_base } = change;
    const suite = suites.find((of) => of.path === path && of.name === name);
    const { min_drop, fail_on: failOn } =
      suite === undefined ? settings : suiteGate(suite, settings);
    const moved = effect !== null && Math.abs(effect) > min_drop + RATE_TOLERANCE;
    const { unit, judged, pass_fail, fail_pass } = change.same_answers;
    const counts = { unit, judged, pass_fail, fail_pass };
    const own = { base: rates.base_base, head: rates.base_head, ...counts };
    const reasons: Reason[] = [
      ...(excused && under_base !== undefined
        ? [{ code: 'scoring-excuses' as const, suite: name, ...under_base, fails }]
        : []),
      ...(moved ? [{ code: 'scoring-moved' as const, suite: name, ...own, fails }] : []),
    ];
    return reasons.map((reason) => ({ reason, failOn }));
  });
  const alone = underBase.map(({ reason, failOn }) => ({ reason: { ...reason, fails }, failOn }));
  return [...changed, ...alone].map(({ reason, failOn }) => ({
    reason,
    effect: fails ? failing(failOn) : 'warns',
  }));
}

function newFindings({ settings, suites, mode }: GateInput): Finding[] {
  if (settings.new !== 'fail' || mode === 'sweep') return [];
  const named = newFailing(suites).map(({ suite, id }) => `${suite}: ${id}`);
  if (named.length === 0) return [];
  return [{ reason: { code: 'new-failed', named }, effect: failing(settings.fail_on) }];
}

function removedFindings({ removed, askedAnew, settings, suites }: GateInput): Finding[] {
  const fails = settings.removed === 'fail';
  const reasons: Reason[] = [
    ...(removed.length === 0 ? [] : [{ code: 'removed' as const, named: [...removed], fails }]),
    ...(fails ? [] : worseAndSkipped(removed, suites)),
    ...(askedAnew.length === 0
      ? []
      : [{ code: 'asked-anew' as const, named: [...askedAnew], fails }]),
  ];
  return reasons.map(withEffect(fails ? failing(settings.fail_on) : 'warns'));
}

function worseAndSkipped(removed: readonly string[], suites: readonly SuiteResult[]): Reason[] {
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
  const before = passedOf(base);
  const after = passedOf(head);
  return before.of > 0 && after.of > 0 && after.passes * before.of < before.passes * after.of;
}

function passedOf(side: ReferenceResult['base']) {
  return { passes: side?.passes ?? 0, of: side?.tries_judged ?? 0 };
}
