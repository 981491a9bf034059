import { formatProblem } from '../errors.ts';
import type { SuiteRun } from '../kernel/plan/suite-run.ts';
import { sum } from '../kernel/statistics/sums.ts';
import { answerCalls, type AnswerCalls } from '../money/answer-calls.ts';
import { capLine, forecastWords, type Cap, type Caps } from '../money/cost-cap.ts';
import { minimumCalls, possibleWords, recordedWords } from '../money/plan.ts';
import type { Prepared, Plan } from '../money/prepared.ts';
import type { Forecast } from '../money/priced-calls.ts';
import { counted, formatDollars } from '../text/amounts.ts';
import { logLine } from '../text/log.ts';
import { SOURCE_LABELS, sources, type Sources, type TrustDecision } from '../trust/trust.ts';
import type { Notice } from '../types/plain.ts';

interface PlanView {
  trust: TrustDecision;
  prepared: Prepared;
  notices: readonly Notice[];
  certainWords: readonly string[];
  forecast?: Forecast;
  caps?: Caps;
  verbose?: boolean;
  references?: number;
}

const SHORT_SUITES = 10;

/** Describes a run before its first call. The lines are safe for logs. */
export function planLines({
  trust,
  prepared,
  notices,
  forecast,
  caps,
  certainWords,
  verbose = false,
  references = Number.POSITIVE_INFINITY,
}: PlanView): string[] {
  const { plan } = prepared;
  const affected = prepared.suites.filter(({ run }) => run.suite.references.length > 0);
  const suites = verbose || affected.length === 0 ? prepared.suites : affected;
  const shown = verbose ? suites : suites.slice(0, SHORT_SUITES);
  return [
    ...(prepared.mode === 'sweep'
      ? sweptLines(shown.map(({ run }) => run))
      : shown.flatMap(({ run }) => suiteLines(run, verbose ? references : 0))),
    ...(shown.length < suites.length
      ? [`and ${counted(suites.length - shown.length, 'more suite')}`]
      : []),
    callsLine(plan, certainWords, forecast),
    ...mostLine(answerCalls(prepared), caps?.maxCost ?? null),
    ...moneyLines(plan, forecast, caps),
    ...notices.map((notice) => `note: ${formatProblem(notice)}`),
    ...(verbose ? [''] : []),
    `trust: ${trust.level}: ${trust.reason}`,
    ...(verbose
      ? Object.entries(SOURCE_LABELS).map(
          ([key, label]) => `  ${label}: ${sources(trust.level)[key as keyof Sources]}`,
        )
      : []),
  ].map((line) => (line === '' ? '' : logLine(line)));
}

function moneyLines(plan: Plan, forecast?: Forecast, caps?: Caps): string[] {
  return [
    ...(forecast === undefined || minimumCalls(plan) === 0 ? [] : [forecastWords(forecast)]),
    ...(forecast === undefined || caps === undefined ? [] : [capLine(caps)]),
  ];
}

function mostLine(calls: AnswerCalls | null, cap: Cap | null): string[] {
  if (calls === null) return [];
  const agents = calls.most_usd === undefined ? '' : agentCostWords(calls.most_usd, cap);
  return [`at most ${counted(calls.most, 'call')} for all answers${agents}`];
}

function agentCostWords(most: number, cap: Cap | null): string {
  const stop =
    cap === null || most <= cap.limit
      ? ''
      : `; the run stops at $${cap.limit}, even if it has no verdict by then`;
  return (
    ` (here an agent's run counts with all its turns). Agents cost at most ` +
    `${formatDollars(most)} by the limits in their suites${stop}`
  );
}

export function planJson({ trust, prepared, notices, forecast, caps }: PlanView): object {
  const { suites, plan } = prepared;
  const { certain, possible, always, ...calls } = plan;
  return {
    trust,
    sources: sources(trust.level),
    plan: { ...calls, ...certain, ...possible, ...always },
    answer_calls: answerCalls(prepared),
    forecast: forecast ?? null,
    ...(caps !== undefined && { caps: { max_calls: caps.maxCalls, max_cost_usd: caps.maxCost } }),
    notices,
    suites: suites.map(({ run: { suite, runs } }) => ({
      path: suite.path,
      because: suite.because,
      unaffected: suite.unaffected,
      removed: suite.references.length - runs.length,
      references: runs.map(({ affected: { reference, change } }) => ({ id: reference.id, change })),
    })),
  };
}

/** `forecast`: to estimate what the possible calls cost. */
export function callsLine(
  plan: Plan,
  certainWords: readonly string[],
  forecast?: Forecast,
): string {
  const calls = sum((forecast?.models ?? []).map((model) => model.calls));
  const cost = forecast?.cost_usd ?? null;
  const priceWords = (of: number) =>
    cost === null || calls === 0 ? '' : ` (${formatDollars((of * cost) / calls)})`;
  const { prompt_calls, replayed, grader_calls } = plan;
  return [
    `${counted(prompt_calls, 'call')} for the first answers${recordedWords(replayed)}`,
    grader_calls === 0 ? '' : `, up to ${counted(grader_calls, 'call')} for their grades`,
    ...certainWords.map((words) => `, ${words}`),
    possibleWords(plan, priceWords),
  ].join('');
}

function sweptLines(runs: readonly SuiteRun[]): string[] {
  const prompts = Map.groupBy(runs, ({ suite }) => suite.path);
  return [...prompts].map(([path, variants]) => {
    const most = Math.max(...variants.map(({ runs: { length } }) => length));
    const times = variants.length === 1 ? '' : ` × ${counted(variants.length, 'variant')}`;
    return `${path}: ${counted(most, 'reference')}${times}`;
  });
}

function suiteLines({ suite, runs }: SuiteRun, limit: number): string[] {
  if (suite.references.length === 0) return [`${suite.path}: not affected`];
  const why = suite.because.map(({ key, file }) => `${key} (${file})`).join(', ');
  const removed = suite.references.length - runs.length;
  const shown = suite.references.slice(0, limit);
  return [
    `${suite.path}: ${counted(runs.length, 'reference')} because of ${why}` +
      (suite.unaffected > 0 ? `; ${suite.unaffected} not affected` : ''),
    ...shown.map(
      ({ reference, change, base }) =>
        `  ${reference.id}${change === 'both' ? '' : ` (${change})`}` +
        (base === null && change !== 'removed' ? ', head only' : ''),
    ),
    ...(limit > 0 && shown.length < suite.references.length
      ? [`  and ${suite.references.length - shown.length} more`]
      : []),
    ...(removed > 0 ? [`  ${counted(removed, 'reference')} removed, not run`] : []),
  ];
}
