/** The core from two projects to a result, with a scripted model and nothing of the world. */
import { arrange } from '../../src/core/select/arrange.ts';
import { judge, type JudgeEdges } from '../../src/core/judge.ts';
import { prepare, type PrepareInput } from '../../src/core/plan/prepare.ts';
import { blankResult } from '../../src/core/result.ts';
import { sources } from '../../src/core/select/trust.ts';
import type { Project, Request, Result, SourceTree, Suite } from '../../src/types.ts';
import { sha256, solveHere } from '../qualeval/solvers.ts';
import { answer, reference, suite } from './builders.ts';

export const tree = (commit: string): SourceTree => ({ commit, files: new Map(), irregular: new Map(), read: async () => new Uint8Array() });
export const [baseTree, headTree] = [tree('b'.repeat(40)), tree('h'.repeat(40))];
export const [OLD, NEW] = ['Old {q}', 'New {q}'];

/** A suite of `count` references `r00`, `r01`, …, of which the metric wants a "yes". */
export function shop(content: string, count: number, changes: Parameters<typeof suite>[0] = {}): Suite {
  const references = Array.from({ length: count }, (_, index) => reference(`r${String(index).padStart(2, '0')}`));
  return suite({ prompt: { messages: [{ role: 'user', content, place: { file: 'prompts/p.yaml', line: 6 } }], ...changes.prompt }, tests: { references, ...changes.tests } });
}

export interface Pipeline { input?: Partial<PrepareInput>; edges?: Partial<JudgeEdges> }

/** `reply` is the model: what it is asked, and the last message. */
export async function pipeline(base: Project | null, head: Project, reply: (request: Request, question: string) => string | Error, { input = {}, edges = {} }: Pipeline = {}): Promise<{ result: Result; requests: Request[] }> {
  const requests: Request[] = [];
  const arranged = arrange(base, head, sources('member'));
  const prepared = prepare({ mode: 'diff', base: base && baseTree, head: headTree, maxCalls: null, failOn: null, code: 'sandbox', today: '2026-01-01', ...input }, arranged, (text) => text);
  if (prepared.problems.length > 0) throw new Error(prepared.problems.map(({ message }) => message).join('\n'));
  const blank = { ...blankResult({ mode: 'diff', base: baseTree, head: headTree, trust: 'member', gate: prepared.gate, n_tries: head.settings.n_tries }), notices: prepared.notices };
  const result = await judge(prepared, {
    complete: async (request) => {
      requests.push(request);
      const said = reply(request, request.messages.at(-1)?.content ?? '');
      return said instanceof Error ? { status: 'error', kind: 'timeout', message: said.message } : answer(said);
    },
    evaluate: async () => { throw new Error('no code runs here'); },
    random: () => 'delimiter',
    hash: sha256,
    solve: solveHere,
    answered: () => undefined,
    ...edges,
  }, blank);
  return { result, requests };
}
