import { effectOfNotRun } from '../../kernel/judge/run-rules.ts';
import type { Result } from '../../kernel/result/result.ts';
import { createLedger } from '../../money/ledger.ts';
import type { Problem } from '../../types/plain.ts';
import { changedTexts } from './changed-texts.ts';
import type { RunPlan } from './feature.ts';
import { keyProblems } from './key-problems.ts';
import { judgeWithoutKeys, notEvaluated, withTitle } from './not-judged.ts';
import { planRun } from './plan.ts';
import type { Edges, PlannedRun, RunInput } from './record.ts';
import { run } from './run.ts';
import type { JudgeEdges } from './spending.ts';
import { RUN_WORDS } from './suite-notices.ts';

/** Reads both sides, plans, asks, judges and explains. */
export async function planAndRun(input: RunInput, edges: Edges): Promise<Result> {
  const planned = await planRun(input, edges);
  if (!planned.ready) return planned.result;
  edges.planned(planned);
  const guarded = guardedEdges(planned, edges, { base: input.base, head: input.head });
  const judge = async (plan: RunPlan): Promise<Result> => {
    const result = await run(plan, guarded);
    const { calls, reused } = result.usage;
    const notices = calls + reused === 0 ? result.notices : await planned.relist(result.notices);
    // The changed texts are read last, because reading them earlier would delay the first call.
    return withTitle({ ...result, notices, ...(await readChanges(input, planned)) });
  };
  const keys = input.part?.isAnswered === true ? [] : keyProblems(planned, edges.missingKeys);
  const plan = withAskers(planned, edges.missingKeys);
  if (keys.length === 0) return judge(plan);
  const { models, agents } = planned.forecast;
  if (models.length === 0 && agents === undefined) return judge(withUnusedKeys(plan, keys));
  const { withheld, isQueue = false } = input;
  const effect = effectOfNotRun('maintainer', { isQueue, gate: planned.gate });
  if (withheld === null || effect === 'fails') return notEvaluated(planned.emptyResult, keys);
  return judgeWithoutKeys(plan, withheld, edges.missingKeys, judge);
}

/** The edges of a run whose calls stop at the plan's caps. */
export function guardedEdges(
  { caps, price, reread }: PlannedRun,
  edges: Edges,
  sources: NonNullable<JudgeEdges['sources']>,
): JudgeEdges {
  const ledger = createLedger(caps, price);
  edges.ledger(ledger);
  const halted = () => ledger.halt() ?? edges.halted();
  return { ...edges, words: RUN_WORDS, halted, sources, reread };
}

/** A feature whose grader has no key explains nothing. */
function withAskers(plan: PlannedRun, missingKeys: Edges['missingKeys']): PlannedRun {
  const features = plan.features.map((planned) => {
    const grader = planned.asker?.grader ?? null;
    const [missing] = grader === null ? [] : missingKeys([grader.target]);
    if (missing === undefined) return planned;
    return { ...planned, asker: { grader: null, unasked: missing.message } };
  });
  return { ...plan, features };
}

function withUnusedKeys(plan: PlannedRun, keys: readonly Problem[]): PlannedRun {
  const notices = keys.map(({ place, message }) => ({
    kind: 'settings' as const,
    place,
    message: `Only stored answers are judged. ${message}`,
  }));
  const { emptyResult } = plan;
  return {
    ...plan,
    emptyResult: { ...emptyResult, notices: [...emptyResult.notices, ...notices] },
  };
}

async function readChanges(
  { mode, base, head, again }: RunInput,
  { suites }: PlannedRun,
): Promise<Pick<Result, 'changes'>> {
  if (mode !== 'diff' || base === null || again !== undefined) return {};
  const affected = suites.map(({ run }) => run.suite);
  const withTests = affected.filter(({ references }) => references.length > 0);
  return { changes: await changedTexts(withTests, base, head) };
}
