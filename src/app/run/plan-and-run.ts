import { effectOfNotRun } from '../../kernel/judge/run-rules.ts';
import type { Result } from '../../kernel/result/result.ts';
import { createLedger } from '../../money/ledger.ts';
import { minimumCalls } from '../../money/plan.ts';
import type { Prepared } from '../../money/prepared.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import { changedTexts } from './changed-texts.ts';
import type { Edges, ReadyPlan, RunInput } from './input.ts';
import { keyProblems } from './key-problems.ts';
import { judgeWithoutKeys, notEvaluated, withTitle } from './not-judged.ts';
import { resultHead, planRun, withAskers } from './plan-run.ts';
import { run } from './run.ts';
import type { JudgeEdges } from './spending.ts';
import { RUN_WORDS } from './suite-notices.ts';

export async function planAndRun(input: RunInput, edges: Edges): Promise<Result> {
  const plan = await planRun(input, edges);
  if (!plan.ready) return plan.result;
  const { prepared } = plan;
  edges.planned(prepared.plan, plan);
  const asks = minimumCalls(prepared.plan) + prepared.plan.replayed > 0;
  const earlier = await Promise.all(asks ? input.features.map((row) => row.earlier?.(edges)) : []);
  const emptyResult = Object.assign({ ...plan.emptyResult }, ...earlier) as Result;
  const guarded = {
    ...guardedEdges(plan, edges),
    sources: { base: input.base, head: input.head },
    reread: plan.reread,
  };
  const keys = input.part?.isAnswered === true ? [] : keyProblems(prepared, edges.missingKeys);
  const { models, agents } = plan.forecast;
  const isStored = models.length === 0 && agents === undefined;
  if (isStored) emptyResult.notices = [...emptyResult.notices, ...keys.map(unusedKey)];
  const ready = withAskers(
    prepared,
    ({ target }) => edges.missingKeys([target])[0]?.message ?? null,
  );
  // The changed texts are read last, because reading them earlier would delay the first call.
  const judged = async (open: Prepared): Promise<Result> => ({
    ...withTitle(await run(open, guarded, emptyResult, input.features)),
    ...(await readChanges(input, prepared)),
  });
  if (isStored || keys.length === 0) return judged(ready);
  const { withheld, isQueue = false } = input;
  const head = resultHead(input, emptyResult);
  const effect = effectOfNotRun('maintainer', { isQueue, gate: emptyResult.gate });
  if (withheld === null || effect === 'fails') return notEvaluated(head, keys, emptyResult.notices);
  const { missingKeys } = edges;
  return judgeWithoutKeys({
    prepared: ready,
    head,
    notices: emptyResult.notices,
    withheld,
    missingKeys,
    judge: judged,
  });
}

function unusedKey({ place, message }: Problem): Notice {
  return { kind: 'settings', place, message: `Only stored answers are judged. ${message}` };
}

async function readChanges(
  { mode, base, head, again }: RunInput,
  { suites }: Prepared,
): Promise<Pick<Result, 'changes'>> {
  if (mode !== 'diff' || base === null || again !== undefined) return {};
  const affected = suites.map(({ run }) => run.suite);
  return {
    changes: await changedTexts(
      affected.filter(({ references }) => references.length > 0),
      base,
      head,
    ),
  };
}

export function guardedEdges({ caps, prepared }: ReadyPlan, edges: Edges): JudgeEdges {
  const ledger = createLedger(caps, prepared.price);
  edges.ledger(ledger);
  return { ...edges, words: RUN_WORDS, halted: () => ledger.halt() ?? edges.halted() };
}
