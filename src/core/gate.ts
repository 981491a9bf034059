import type { Conclusion, GateSettings, ReferenceResult, SuiteResult, YardstickResult } from '../types.ts';
import { percent, points, plural } from './wording.ts';

/** Above this share of tries in error nothing is judged: the run is red with that as its reason. */
export const MAX_ERROR_SHARE = 0.1;
/** Above this share of tries without a readable grade the verdict line says so. */
export const MAX_UNGRADED_SHARE = 0.1;
/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

export interface GateInput {
  suites: readonly SuiteResult[];
  yardstick: readonly YardstickResult[];
  settings: GateSettings;
  /** References that the change affects; 0 means that there was nothing to run. */
  affected: number;
  /** References that base gates on and head removes or newly skips, `suite: id`. */
  removed: readonly string[];
}

export interface Decision { conclusion: Conclusion; title: string; reasons: string[] }

/** The run's one conclusion with its reasons. Nothing else in the program decides. */
export function decide(input: GateInput): Decision {
  if (input.affected === 0 && input.removed.length === 0) {
    return { conclusion: 'success', title: 'No prompt, rubric or test changed: nothing to run.', reasons: [] };
  }
  return withTitle(unjudged(input) ?? gated(input), input);
}

/** Runs from which no verdict can come: red with their own words, never green. */
function unjudged({ suites, affected }: GateInput): Omit<Decision, 'title'> | null {
  const tries = suites.flatMap(({ references }) => references.flatMap(({ base, head }) => [...base?.tries ?? [], ...head?.tries ?? []]));
  const errors = tries.filter(({ outcome }) => outcome === 'error');
  if (errors.length > MAX_ERROR_SHARE * tries.length) {
    const examples = [...new Set(errors.map(({ error, scores }) => error ?? scores.find(({ status }) => status === 'error')?.reason ?? 'unknown'))];
    const share = `${String(errors.length)} of ${String(tries.length)} tries ended in an error, so nothing was judged`;
    return { conclusion: 'error', reasons: [share, ...examples.slice(0, 3)] };
  }
  const judged = tries.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  if (affected > 0 && !judged) return { conclusion: 'error', reasons: ['No test ran, so there is no verdict.'] };
  return null;
}

function gated(input: GateInput): Omit<Decision, 'title'> {
  const failures = [...regressions(input), ...belowFloor(input), ...failedReferences(input), ...yardstickFailures(input), ...removals(input)];
  const open = input.suites.filter(({ verdict }) => verdict === 'inconclusive').map(({ name, summary }) => `${name}: cannot tell. ${summary}`);
  const { fail_on, on_inconclusive } = input.settings;
  if (failures.length > 0 && fail_on === 'never') {
    return { conclusion: 'neutral', reasons: [...failures, 'Not failed, because fail_on is never.', ...open, ...ungradedShare(input)] };
  }
  const failed = failures.length > 0 || (open.length > 0 && on_inconclusive === 'fail' && fail_on !== 'never');
  const conclusion = failed ? 'failure' : open.length > 0 ? 'neutral' : 'success';
  return { conclusion, reasons: [...failures, ...open, ...ungradedShare(input)] };
}

function regressions({ suites }: GateInput): string[] {
  return suites.filter(({ verdict }) => verdict === 'regressed').map(({ name, summary }) => `${name} regressed: ${summary}`);
}

function belowFloor({ suites, settings: { min_pass_rate: floor } }: GateInput): string[] {
  if (floor === null) return [];
  return suites
    .filter(({ pass_rate }) => pass_rate.head !== null && pass_rate.head < floor)
    .map(({ name, pass_rate }) => `${name}: pass rate ${percent(pass_rate.head)} is below min_pass_rate ${percent(floor)}`);
}

function failedReferences({ suites, settings }: GateInput): string[] {
  if (settings.fail_on !== 'failure') return [];
  return suites.flatMap(({ name, references }) => {
    const failed = references.filter(fails);
    return failed.length === 0 ? [] : [`${name}: ${plural(failed.length, 'reference')} failed on head: ${listed(failed.map(({ id }) => id))}`];
  });
}

function fails({ skip, head }: ReferenceResult): boolean {
  return !skip && head?.rollup === 'fail';
}

function yardstickFailures({ yardstick, settings }: GateInput): string[] {
  if (settings.yardstick !== 'fail') return [];
  return yardstick
    .filter(({ yardstick_effect: effect }) => effect !== null && Math.abs(effect) > settings.min_drop)
    .map(({ name, yardstick_effect }) => `${name}: the yardstick moved the pass rate by ${points(yardstick_effect)}, and gate.yardstick is fail`);
}

function removals({ removed, settings }: GateInput): string[] {
  if (settings.removed !== 'fail' || removed.length === 0) return [];
  return [`${plural(removed.length, 'reference')} removed or newly skipped, and gate.removed is fail: ${listed(removed)}`];
}

function ungradedShare({ suites }: GateInput): string[] {
  return suites.flatMap(({ name, references }) => {
    const tries = references.flatMap(({ base, head }) => [...base?.tries ?? [], ...head?.tries ?? []]);
    const ungraded = tries.filter(({ outcome }) => outcome === 'ungraded').length;
    return ungraded > MAX_UNGRADED_SHARE * tries.length ? [`${name}: ${String(ungraded)} of ${String(tries.length)} tries have no readable grade`] : [];
  });
}

function withTitle(decision: Omit<Decision, 'title'>, input: GateInput): Decision {
  const title = titleOf(decision, input);
  return { ...decision, title: title.length > TITLE_LIMIT ? `${title.slice(0, TITLE_LIMIT - 1)}…` : title };
}

function titleOf({ conclusion, reasons }: Omit<Decision, 'title'>, { suites, affected, removed }: GateInput): string {
  const regressed = suites.filter(({ verdict }) => verdict === 'regressed');
  const open = suites.filter(({ verdict }) => verdict === 'inconclusive').length;
  const ran = suites.filter(({ references }) => references.some(({ base, head }) => base !== null || head !== null)).length;
  if (conclusion === 'error') return `Not judged: ${reasons[0] ?? 'no verdict'}`;
  if (regressed.length > 0) return `Regressed: ${regressed.map(inShort).join(', ')}`;
  if (conclusion === 'failure') return reasons[0] ?? 'Failed';
  if (affected === 0) return `Nothing to run: ${plural(removed.length, 'reference')} removed or newly skipped`;
  if (open > 0) return `Cannot tell for ${plural(open, 'suite')} of ${String(ran)}`;
  return `No regression in ${plural(affected, 'affected reference')} of ${plural(ran, 'suite')}`;
}

function inShort({ name, pass_rate: { base, head, difference } }: SuiteResult): string {
  return `${name} ${percent(base)} → ${percent(head)} (${points(difference)})`;
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length > 10 ? `${shown} and ${String(ids.length - 10)} more` : shown;
}
