import type { NextTries, SuiteRun } from '../kernel/plan/suite-run.ts';
import { sum } from '../kernel/statistics/sums.ts';
import { counted } from '../text/amounts.ts';
import { takesOverlay } from '../types/model.ts';
import type { Problem, Purpose } from '../types/plain.ts';
import { capWords, type Cap } from './cost-cap.ts';
import type { CallNames, PlannedFeature } from './feature-plan.ts';
import { judgingCalls, type JudgingCalls } from './judging-calls.ts';
import { isReplayedTarget, plannedQuestions, type Plan } from './prepared.ts';

/** For example: `; up to 20 more calls if something regresses or is fixed`. */
export function possibleWords(
  { possible, always = {} }: Plan,
  priceWords: (calls: number) => string,
): string {
  const words = (calls: number, when: string) =>
    calls === 0 ? '' : `; up to ${counted(calls, 'more call')}${priceWords(calls)} ${when}`;
  return (
    words(sum(Object.values(possible)), 'if something regresses or is fixed') +
    words(sum(Object.values(always)), 'after the verdict')
  );
}

export function recordedWords(replayed: number): string {
  return replayed === 0 ? '' : `, ${counted(replayed, 'answer')} from recordings`;
}

export function minimumCalls({ prompt_calls, grader_calls, certain }: Plan): number {
  return prompt_calls + grader_calls + sum(Object.values(certain));
}

export function planOf(suites: readonly SuiteRun[], next: NextTries): Plan {
  const questions = plannedQuestions(suites, next);
  const recorded = questions.filter(({ generation }) => isReplayedTarget(generation));
  const judging = judgingCalls(suites, next);
  const evaluating = judging.filter(({ purpose }) => purpose === 'evaluator');
  const grading = judging.filter(({ purpose }) => purpose !== 'evaluator');
  const isReplayed = ({ asked }: JudgingCalls) => asked.target.provider === 'replay';
  const replayed = sumOfTries(recorded);
  return {
    ...planSize(suites),
    prompt_calls: sumOfTries(questions) - replayed,
    replayed: replayed + sumOf(grading.filter(isReplayed)),
    grader_calls: sumOf(grading.filter((each) => !isReplayed(each))),
    certain: { evaluator_calls: sumOf(evaluating) },
    possible: {},
  };
}

function sumOfTries(questions: readonly { tries: number }[]): number {
  return sum(questions.map(({ tries }) => tries));
}

function planSize(suites: readonly SuiteRun[]): PlanSize {
  const most = new Map<string, number>();
  const isAgent = new Map<string, boolean>();
  for (const { suite, runs } of suites.filter((run) => run.runs.length > 0)) {
    const side = suite.head ?? suite.base;
    const { file = '', name = '' } = side?.suite.prompt ?? {};
    const key = `${file}\n${name}`;
    const isOfAgent = takesOverlay(side?.variant.target ?? null);
    most.set(key, Math.max(most.get(key) ?? 0, runs.length));
    isAgent.set(isOfAgent ? file : key, isOfAgent);
  }
  const agents = [...isAgent.values()].filter(Boolean).length;
  return {
    suites: isAgent.size,
    ...(agents === 0 ? {} : { agent_suites: agents }),
    references: sum([...most.values()]),
  };
}

type PlanSize = Pick<Plan, 'suites' | 'agent_suites' | 'references'>;

/** For example `3 references of 2 prompts`, or `3 tasks of 1 agent suite`. */
export function sizeWords(
  size: PlanSize,
  order: 'references of suites' | 'suites with references',
) {
  const { suites, agent_suites: agents = 0, references } = size;
  const isAll = agents === suites;
  const suite = agents === 0 ? 'prompt' : isAll ? 'agent suite' : 'suite';
  const reference = agents === 0 ? 'reference' : isAll ? 'task' : 'test';
  const many = counted(suites, suite);
  const each = counted(references, reference);
  return order === 'references of suites' ? `${each} of ${many}` : `${many} with ${each}`;
}

export function withFeatureCalls(
  plan: Plan,
  planned: readonly PlannedFeature[],
  features: readonly { key: string; calls?: CallNames }[],
): Plan {
  const certain = { ...plan.certain };
  const possible: Record<string, number> = {};
  for (const { key, calls: names } of features) {
    const own = planned.find((each) => each.key === key);
    if (names?.certain !== undefined)
      certain[names.certain.key] =
        (certain[names.certain.key] ?? 0) + sumOf(own?.certain.filter((each) => !isGrade(each)));
    if (names?.possible !== undefined) possible[names.possible] = own?.possible ?? 0;
  }
  const always = features.flatMap(({ key, calls: names }) => {
    const calls = planned.find((each) => each.key === key)?.possible ?? 0;
    return names?.always === undefined || calls === 0 ? [] : [[names.always, calls] as const];
  });
  const grades = planned.flatMap((own) => own.certain.filter(isGrade));
  return {
    ...plan,
    grader_calls: plan.grader_calls + sumOf(grades),
    certain,
    possible,
    ...(always.length > 0 && { always: Object.fromEntries(always) }),
  };
}

function isGrade({ purpose }: { purpose: Purpose }): boolean {
  return purpose === 'grader';
}

function sumOf(planned: readonly { calls: number }[] = []): number {
  return sum(planned.map(({ calls }) => calls));
}

export function overBudget(
  plan: Plan,
  cap: Cap | null,
  {
    bothSides,
    stored,
    certainWords,
  }: { bothSides: boolean; stored: number; certainWords: readonly string[] },
): Problem[] {
  const calls = minimumCalls(plan) - stored;
  if (cap === null || calls <= cap.limit) return [];
  const message = [
    `This run would make ${counted(calls, 'model call')} `,
    `(${plan.prompt_calls} answers for ${sizeWords(plan, 'references of suites')}`,
    bothSides ? ' on both sides' : '',
    ` + ${counted(plan.grader_calls, 'grader call')}`,
    ...certainWords.map((words) => ` + ${words}`),
    stored === 0 ? '' : `, without ${counted(stored, 'answer')} stored already`,
    `); the limit is ${capWords(cap, '')}. Nothing was sent.`,
    cap.limit === 0 ? ' A limit of 0 allows only stored answers and recordings.' : '',
  ].join('');
  return [{ place: null, message }];
}
