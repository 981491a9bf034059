import { conclusionOf } from '../../kernel/result/outcome.ts';
import { ask } from './ask.ts';
import { explainVerdict } from './explain.ts';
import type { RunPlan, Untitled } from './feature.ts';
import { judge, type GatedRun } from './judge.ts';
import type { JudgeEdges } from './spending.ts';

/** Asks, judges and explains what was planned. */
export async function run(plan: RunPlan, edges: JudgeEdges): Promise<Untitled> {
  const asked = await ask(plan, edges);
  if (asked.problems.length > 0) return withProblems({ ...asked, rows: [], remarks: [] });
  const judged = await judge(asked);
  return judged.problems.length > 0 ? withProblems(judged) : explainVerdict(judged);
}

function withProblems({
  emptyResult,
  problems,
  rows,
  remarks,
  tools,
}: Pick<GatedRun, 'emptyResult' | 'problems' | 'rows' | 'remarks' | 'tools'>): Untitled {
  const outcome = { kind: 'not-evaluated', problems: problems.length } as const;
  return {
    ...emptyResult,
    conclusion: conclusionOf(outcome),
    outcome,
    reasons: [],
    problems,
    suites: rows.map(({ result }) => result),
    notices: [...emptyResult.notices, ...remarks],
    usage: tools.spent.meter.totals(),
  };
}
