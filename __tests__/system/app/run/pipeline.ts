import { createEmptyResult, withTitle } from '../../../../src/app/run/not-judged.ts';
import { RUN_WORDS } from '../../../../src/app/run/plan-and-run.ts';
import { prepare } from '../../../../src/app/run/prepare.ts';
import { run } from '../../../../src/app/run/run.ts';
import type { JudgeEdges } from '../../../../src/app/run/spending.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Suite } from '../../../../src/kernel/suite/suite.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import type { Prepared, PrepareInput } from '../../../../src/money/prepared.ts';
import type { Project, Settings } from '../../../../src/project/settings.ts';
import { applyTrust } from '../../../../src/trust/arrange.ts';
import { sources } from '../../../../src/trust/trust.ts';
import type { Rubric } from '../../../../src/types/metric.ts';
import type { Request } from '../../../../src/types/model.ts';
import type { SourceTree } from '../../../../src/types/repository.ts';
import { FEATURES, OWN_SETTINGS, PLANNING, ROWS } from '../../../stand-ins/features.ts';
import { answer, project, reference, suite } from '../../../unit/app/run/builders.ts';
import { sha256, solveHere } from '../../features/attributes/solvers.ts';

const tree = (commit: string): SourceTree => ({
  commit,
  files: new Map(),
  irregular: new Map(),
  read: async () => new Uint8Array(),
});
const [baseTree, headTree] = [tree('b'.repeat(40)), tree('h'.repeat(40))];
export const [OLD, NEW] = ['Old {q}', 'New {q}'];

/** A suite of `count` references `r00`, `r01`, … whose metric requires a "yes". */
export function shop(
  content: string,
  count: number,
  changes: Parameters<typeof suite>[0] = {},
): Suite {
  const references = Array.from({ length: count }, (_, index) =>
    reference(`r${String(index).padStart(2, '0')}`),
  );
  return suite({
    prompt: {
      messages: [{ role: 'user', content, place: { file: 'prompts/p.yaml', line: 6 } }],
      ...changes.prompt,
    },
    tests: { references, ...changes.tests },
  });
}

export interface Given {
  input?: Partial<PrepareInput>;
  edges?: Partial<JudgeEdges>;
}

export interface Ran {
  result: Result;
  requests: Request[];
  calls: (purpose: Request['purpose']) => number;
  planned: number;
}

/** Prepares a comparison of two projects at these commits. */
export function preparedFor(
  base: Project | null,
  head: Project,
  input: Partial<PrepareInput> = {},
  { kept }: Partial<JudgeEdges> = {},
): Promise<Prepared> {
  return prepare(
    {
      mode: 'diff',
      base: base && baseTree,
      head: headTree,
      maxCalls: null,
      failOn: null,
      code: 'sandbox',
      today: '2026-01-01',
      ...input,
    },
    applyTrust(base, head, sources('member'), OWN_SETTINGS),
    { ...PLANNING, hash: sha256, ...(kept && { kept }) },
    ROWS,
  );
}

/** Makes the planned calls and judges the answers, without code and store. */
export async function judged(
  prepared: Prepared,
  edges: Pick<JudgeEdges, 'complete'> & Partial<JudgeEdges>,
  {
    mode = 'diff',
    n_tries = 1,
  }: { mode?: PrepareInput['mode']; n_tries?: Settings['n_tries'] } = {},
): Promise<Result> {
  const emptyResult = createEmptyResult({
    mode,
    base: baseTree,
    head: headTree,
    trust: 'member',
    gate: prepared.gate,
    n_tries,
    features: FEATURES,
  });
  const result = await run(
    {
      ...prepared,
      emptyResult: { ...emptyResult, notices: prepared.notices },
      allFeatures: FEATURES,
    },
    {
      evaluate: async () => {
        throw new Error('no code runs here');
      },
      words: RUN_WORDS,
      random: () => 'delimiter',
      hash: sha256,
      scoreMetric,
      solve: solveHere,
      answered: () => undefined,
      ...edges,
    },
  );
  return withTitle(result);
}

/**
 * Plans and runs two projects. `reply` is every model and receives the request and the text of its
 * last message.
 */
export async function runPipeline(
  base: Project | null,
  head: Project,
  reply: (request: Request, question: string) => string | Error,
  { input = {}, edges = {} }: Given = {},
): Promise<Ran> {
  const requests: Request[] = [];
  const prepared = await preparedFor(base, head, input, edges);
  expect(prepared.problems).toEqual([]);
  const complete: JudgeEdges['complete'] = async (request) => {
    requests.push(request);
    const said = reply(request, request.messages.at(-1)?.content ?? '');
    return said instanceof Error
      ? { status: 'error', kind: 'timeout', message: said.message }
      : answer(said);
  };
  const { n_tries } = head.settings;
  const result = await judged(prepared, { complete, ...edges }, { ...input, n_tries });
  return {
    result,
    requests,
    calls: (purpose) => requests.filter((request) => request.purpose === purpose).length,
    planned: prepared.plan.prompt_calls + prepared.plan.grader_calls,
  };
}

type Reply = Parameters<typeof runPipeline>[2];
export const yes: Reply = () => 'yes';
/** Answers every question of head wrongly. */
export const noToNew: Reply = (_, question) => (question.startsWith('New') ? 'no' : 'yes');
/** Answers one question wrongly. */
export const noTo =
  (one: string): Reply =>
  (_, question) =>
    question === one ? 'no' : 'yes';

/** Runs a suite of `count` references in which only the prompt changes. */
export const reworded = (
  count: number,
  reply: Reply,
  {
    settings,
    changes,
    ...given
  }: Given & { settings?: Settings; changes?: Parameters<typeof suite>[0] } = {},
): Promise<Ran> => {
  const more = settings === undefined ? {} : { settings };
  return runPipeline(
    project([shop(OLD, count, changes)], more),
    project([shop(NEW, count, changes)], more),
    reply,
    given,
  );
};

/** The text between the fences of this name in a grader's prompt. */
export function fenced(text: string, name: string): string {
  return (
    new RegExp(`<<<${name} delimiter>>>\\n([^]*?)\\n<<<end delimiter>>>`).exec(text)?.[1] ?? ''
  );
}

export function rubricOf(prompt: string, more: Partial<Rubric> = {}): Rubric {
  return {
    name: 'polite',
    prompt,
    choice_scores: new Map([
      ['YES', 1],
      ['NO', 0],
    ]),
    better: 'higher',
    eval_type: 'cot_classify',
    examples: [],
    place: { file: 'rubrics/r.yaml', line: 1 },
    ...more,
  };
}

export function example(content: string, expected: string): Rubric['examples'][number] {
  return {
    content,
    context: null,
    ideal: null,
    expected,
    place: { file: 'rubrics/r.yaml', line: 9 },
  };
}
