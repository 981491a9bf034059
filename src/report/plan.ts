import type { Notice } from '../types.ts';
import { formatProblem } from '../errors.ts';
import { callsOf, type Plan } from '../core/plan/plan.ts';
import type { Prepared } from '../core/plan/prepare.ts';
import type { LaneRun } from '../core/trial/rounds.ts';
import { forecastWords, type Forecast } from '../core/spend/forecast.ts';
import { sources, SOURCE_LABELS, type Sources, type TrustDecision } from '../core/select/trust.ts';
import { plural } from '../text/amounts.ts';
import { logLine } from '../text/log.ts';

export interface PlanView {
  trust: TrustDecision;
  prepared: Prepared;
  notices: readonly Notice[];
  /** What it will cost; absent where that is said elsewhere. */
  forecast?: Forecast;
  /** References that are named in each suite; the rest is counted. */
  references?: number;
}

/**
 * What a run will do and why, before anything is asked: what was selected, calls, the level of
 * trust and what comes from where. Filtered, one line each.
 */
export function planLines({
  trust,
  prepared,
  notices,
  forecast,
  references = Number.POSITIVE_INFINITY,
}: PlanView): string[] {
  const { lanes, plan } = prepared;
  return [
    ...lanes.flatMap(({ run }) => laneLines(run, references)),
    `${plural(plan.prompt_calls, 'call')} for the first answers, up to ${plural(plan.grader_calls, 'call')} for their grades${plan.evaluator_calls === 0 ? '' : `, at least ${plural(plan.evaluator_calls, 'call')} for evaluators`}${attributeCalls(plan)}`,
    ...(forecast === undefined || callsOf(plan) === 0 ? [] : [forecastWords(forecast)]),
    ...notices.map((notice) => `note: ${formatProblem(notice)}`),
    '',
    `trust: ${trust.level}: ${trust.reason}`,
    ...sourceLines(sources(trust.level)),
  ].map((line) => (line === '' ? '' : logLine(line)));
}

/** The same as data: what runs by suite and why, and what it takes. */
export function planJson({
  trust,
  prepared: { lanes, plan },
  notices,
  forecast,
}: PlanView): object {
  return {
    trust,
    sources: sources(trust.level),
    plan,
    forecast: forecast ?? null,
    notices,
    suites: lanes.map(({ run: { lane, runs } }) => ({
      path: lane.path,
      because: lane.because,
      unaffected: lane.unaffected,
      removed: lane.cases.length - runs.length,
      references: runs.map(({ case: { reference, change } }) => ({ id: reference.id, change })),
    })),
  };
}

/** Calls that say which kinds of inputs got worse. */
function attributeCalls({ qualeval_calls: certain, qualeval_possible: possible }: Plan): string {
  return `${certain === 0 ? '' : `, up to ${plural(certain, 'call')} about attributes`}${possible === 0 ? '' : `; up to ${plural(possible, 'more call')} if something regresses`}`;
}

function sourceLines(from: Sources): string[] {
  return Object.entries(SOURCE_LABELS).map(
    ([key, label]) => `  ${label}: ${from[key as keyof Sources]}`,
  );
}

function laneLines({ lane, runs }: LaneRun, limit: number): string[] {
  if (lane.cases.length === 0) return [`${lane.path}: not affected`];
  const why = lane.because.map(({ key, file }) => `${key} (${file})`).join(', ');
  const removed = lane.cases.length - runs.length;
  const shown = lane.cases.slice(0, limit);
  return [
    `${lane.path}: ${plural(runs.length, 'reference')} because of ${why}${lane.unaffected > 0 ? `; ${String(lane.unaffected)} not affected` : ''}`,
    ...shown.map(
      ({ reference, change, base }) =>
        `  ${reference.id}${change === 'both' ? '' : ` (${change})`}${base === null && change !== 'removed' ? ', head only' : ''}`,
    ),
    ...(shown.length < lane.cases.length
      ? [`  and ${String(lane.cases.length - shown.length)} more`]
      : []),
    ...(removed > 0 ? [`  ${plural(removed, 'reference')} removed, not run`] : []),
  ];
}
