import type { Score } from '../../types/metric.ts';
import type { ErrorKind, OkCompletion } from '../../types/model.ts';
import { SIDES, type Side } from '../../types/plain.ts';
import { MAX_ERROR_SHARE } from '../plan/halt.ts';
import { MOST_TRIES } from '../plan/looks.ts';
import {
  identityOf,
  withMoreTries,
  type NextTries,
  type SuiteComparison,
  type SuiteRun,
  type Try,
} from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import { referenceOn, type Generation } from '../select/affected-suite.ts';
import type { Scoring } from '../select/scoring.ts';
import { tryOutcomeOf } from '../suite/gate.ts';
import { everyMetric, isModelGraded } from '../suite/metrics.ts';
import type { Answered, AnswererTools, OwnAnswer } from '../suite/own-suite.ts';
import {
  tryIndexOf,
  execute,
  type Executors,
  type AnsweredTry,
  type PlannedTry,
} from './execute.ts';
import type { ScoringTools } from './score-metric.ts';
import { noAnswer, scoreAnswers } from './score.ts';

/**
 * If the scoring belongs to a feature (such as dialogues), the feature judges the answers. It
 * judges a shared answer once.
 */
async function viewsUnder(
  answers: readonly AnsweredTry[],
  { answerer }: Scoring,
  tools: AnswererTools,
): Promise<AnsweredTry[]> {
  const again = new Map<OwnAnswer, Promise<Answered>>();
  return Promise.all(
    answers.map(async (answer) => {
      const { planned, own } = answer;
      if (answerer === null) return asSingle(answer);
      if (answerer.fingerprint === planned.answerer?.fingerprint) return answer;
      const isItsKind = answerer.own.kind === planned.answerer?.own.kind;
      const judging =
        (own === null ? undefined : again.get(own)) ??
        answerer.judgeAgain(isItsKind ? answer : asSingle(answer), tryIndexOf(planned), tools);
      if (own !== null) again.set(own, judging);
      const { messages, completion, own: judged } = await judging;
      return { planned, messages, completion, own: judged };
    }),
  );
}

function asSingle(answer: AnsweredTry): AnsweredTry {
  const { planned, own } = answer;
  return own === null || planned.answerer === null
    ? answer
    : { planned, ...planned.answerer.firstAnswer(own.record), own: null };
}

const OF_SERVER: ReadonlySet<ErrorKind> = new Set(['key', 'rate-limit', 'network', 'server']);

/** Counts errors on base, and errors on head that a server caused. */
function lostTries(answers: readonly AnsweredTry[], made: ReadonlyMap<PlannedTry, Try>): number {
  return answers.filter(({ planned, completion }) => {
    const isOfServer = completion.status === 'error' && OF_SERVER.has(completion.kind);
    return made.get(planned)?.byHead.outcome === 'error' && (planned.side === 'base' || isOfServer);
  }).length;
}

export async function runRounds(
  started: readonly SuiteComparison[],
  next: (suites: readonly SuiteComparison[]) => NextTries,
  tools: Executors & ScoringTools,
): Promise<SuiteComparison[]> {
  let suites = [...started];
  const lost = new Map<string, number>();
  for (;;) {
    const wanted = next(suites);
    const planned = suites
      // If too many tries have failed, the suite cannot be judged, even if all others succeed.
      .filter(
        ({ run }) =>
          (lost.get(identityOf(run)) ?? 0) <= MAX_ERROR_SHARE * 2 * MOST_TRIES * run.runs.length,
      )
      .flatMap(({ run }) => triesToMake(run, wanted(run)))
      .sort((a, b) => a.try - b.try);
    if (planned.length === 0) return suites;
    const answers = await execute(planned, tools);
    const bySuite = Map.groupBy(answers, (answer) => answer.planned.suite);
    suites = await Promise.all(
      suites.map(async (suite) => {
        const id = identityOf(suite.run);
        const own = bySuite.get(id) ?? [];
        const made = await score(suite.run, own, tools);
        lost.set(id, (lost.get(id) ?? 0) + lostTries(own, made));
        return withMoreTries(suite, made);
      }),
    );
  }
}

function triesToMake(suite: SuiteRun, wanted: ReadonlyMap<number, number>): PlannedTry[] {
  const { answerer } = suite.scoring;
  return suite.runs.flatMap((reference, run) =>
    SIDES.flatMap((side) => {
      const generation = reference.affected[side];
      if (generation === null) return [];
      const first = reference[side].length;
      const count = Math.max(0, (wanted.get(run) ?? 0) - first);
      return Array.from({ length: count }, (_, step) => ({
        run,
        suite: identityOf(suite),
        side,
        try: first + step,
        generation,
        answerer,
      }));
    }),
  );
}

async function score(
  suite: SuiteRun,
  answers: readonly AnsweredTry[],
  tools: ScoringTools,
): Promise<Map<PlannedTry, Try>> {
  const [byHead, byBase] = await Promise.all([
    scoreUnder(suite, answers, suite.scoring, tools),
    suite.baseScoring === null ? null : scoreUnder(suite, answers, suite.baseScoring, tools),
  ]);
  return new Map(
    [...byHead].map(([planned, result]) => [
      planned,
      { byHead: result, byBase: byBase?.get(planned) ?? null },
    ]),
  );
}

async function scoreUnder(
  { runs }: SuiteRun,
  answers: readonly AnsweredTry[],
  scoring: Scoring,
  tools: ScoringTools,
): Promise<Map<PlannedTry, TryResult>> {
  const views = await viewsUnder(answers, scoring, tools);
  const scored = await scoreAnswers(
    views.flatMap((answer) => {
      const run = runs[answer.planned.run];
      return run ? [{ answer, reference: referenceOn(run.affected, scoring.side) }] : [];
    }),
    scoring,
    tools,
  );
  return new Map(
    scored.map(({ answer, scores }) => [answer.planned, tryResult(answer, scores, scoring)]),
  );
}

export interface ExtraTry {
  run: number;
  generation: Generation;
  try: number;
  /**
   * Identifies the prompt, because a process that runs code must not see answers of two prompts.
   */
  prompt: string;
  /** Head if absent. Answers of both sides with the same `try` are compared. */
  side?: Side;
}

export async function runExtraTries(
  suite: SuiteRun,
  wanted: readonly ExtraTry[],
  tools: Executors & ScoringTools,
): Promise<TryResult[]> {
  const answers = await executeExtra(suite, wanted, tools);
  return [...(await scoreUnder(suite, answers, suite.scoring, tools)).values()];
}

export async function runNewTries(
  suite: SuiteRun,
  wanted: readonly ExtraTry[],
  tools: Executors & ScoringTools,
): Promise<Try[]> {
  const answers = await executeExtra(suite, wanted, tools);
  return [...(await score(suite, answers, tools)).values()];
}

async function executeExtra(
  suite: SuiteRun,
  wanted: readonly ExtraTry[],
  tools: Executors & ScoringTools,
): Promise<AnsweredTry[]> {
  const { answerer } = suite.scoring;
  return execute(
    wanted.map(({ run, generation, try: index, prompt, side = 'head' }) => ({
      run,
      suite: `${identityOf(suite)} ${prompt}`,
      side,
      try: index,
      generation,
      answerer,
    })),
    tools,
  );
}

function unansweredScores({ own }: AnsweredTry, { tests }: Scoring, reason: string): Score[] {
  const names = own === null ? [] : (tests.own?.kind.scores ?? []);
  return names.map((metric) => ({ metric, status: 'fail', value: null, reason, skip: false }));
}

function tryResult(answer: AnsweredTry, ofMetrics: Score[], scoring: Scoring): TryResult {
  const { planned, completion, own } = answer;
  const declinedFor = noAnswer(answer);
  if (completion.status === 'error') {
    const scores =
      declinedFor === null ? [] : [...unansweredScores(answer, scoring, declinedFor), ...ofMetrics];
    return {
      try: planned.try,
      outcome: tryOutcomeOf(scores) === 'fail' ? 'fail' : 'error',
      ...(own?.failedElsewhere === true && UNJUDGED),
      parts: null,
      error: completion.message,
      scores,
      usage: null,
      latency_ms: null,
      reused: false,
      ended: completion.ended ?? null,
      ...own?.parts,
    };
  }
  const { parts, usage, latency_ms, reused, ended } = completion;
  const scores = [...(own?.scores ?? []), ...ofMetrics];
  return {
    try: planned.try,
    outcome: tryOutcomeOf(scores),
    ...(failsByGrader(scores, scoring) && UNJUDGED),
    parts,
    error: null,
    scores,
    usage,
    latency_ms,
    reused,
    ended,
    ...answerOrigin(completion),
    ...own?.parts,
  };
}

const UNJUDGED = { unjudged: true } as const;

function failsByGrader(scores: readonly Score[], { tests }: Scoring): boolean {
  if (tryOutcomeOf(scores) !== 'error') return false;
  const graded = everyMetric(tests).flatMap((own) => (isModelGraded(own) ? own.name : []));
  return tryOutcomeOf(scores.filter(({ metric }) => !graded.includes(metric))) !== 'error';
}

function answerOrigin({ stored, ended_as, served, steps }: OkCompletion) {
  return {
    ...(stored !== undefined && { stored }),
    ...(ended_as !== undefined && { ended_as }),
    ...(served.model === null && served.fingerprint === null ? {} : { served }),
    ...(steps.length > 0 && { steps }),
  };
}
