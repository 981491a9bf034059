import { problem } from '../../errors.ts';
import type { AnsweredTry } from '../../kernel/ask/execute.ts';
import { runRounds } from '../../kernel/ask/rounds.ts';
import type { NextTries, SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { keyPlace } from '../../kernel/suite/suite.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import type { Usage } from '../../types/answer.ts';
import { type Complete, type Target, isAbandoned, modelLabel } from '../../types/model.ts';
import type { Problem, Purpose } from '../../types/plain.ts';
import { inTurn, type AskedRun, type FeatureTools, type RunPlan } from './feature.ts';
import { withoutOutdated } from './outdated.ts';
import { startSpending, type JudgeEdges } from './spending.ts';

/** Makes the tries of all suites, then measures graders and evaluators on labelled examples. */
export async function ask(plan: RunPlan, edges: JudgeEdges): Promise<AskedRun> {
  const tools = { ...edges, spent: startSpending(plan, edges) };
  const { suites, replaced: served } = await askRounds(plan, tools);
  const asked: AskedRun = { ...plan, suites, tools, served, judges: [], added: [] };
  const problems = unknownModels(asked, tools);
  if (problems.length > 0) return { ...asked, problems };
  const added = await inTurn(
    asked,
    async ({ feature, plan: own }) => (await feature.before?.(own, tools)) ?? {},
  );
  return { ...asked, added, judges: added.flatMap(({ judges = [] }) => judges) };
}

async function askRounds(
  plan: Prepared,
  tools: FeatureTools,
): Promise<ReturnType<typeof withoutOutdated>> {
  const made = withoutOutdated(await executeRounds(plan, tools, tools.spent.complete));
  if (made.replaced.length === 0) return made;
  const anew: Complete = (request) => tools.spent.complete({ ...request, anew: true });
  return { ...made, suites: await executeRounds({ ...plan, suites: made.suites }, tools, anew) };
}

async function executeRounds(
  plan: Prepared,
  tools: FeatureTools,
  complete: Complete,
): Promise<SuiteComparison[]> {
  const { meter, halted, unmade } = tools.spent;
  const whileCalled = (begun: readonly SuiteComparison[]): NextTries => {
    if (unknownModels(plan, tools).length > 0) return () => new Map();
    const wanted = plan.next(begun);
    return (run) => {
      const tries = wanted(run);
      if (halted() === null || tries.size === 0) return tries;
      unmade.rounds += 1;
      return new Map();
    };
  };
  return runRounds(plan.suites, whileCalled, {
    ...tools,
    complete,
    price: plan.price,
    answered: (answer, shared) => {
      if (shared)
        for (const purpose of callPurposes(answer)) meter.shared(purpose, savedBy(answer));
      else if (answer.planned.generation.kind === 'code') meter.ran('prompt');
      if (isAbandoned(answer.completion)) unmade.tries += 1;
    },
  });
}

function callPurposes({ own, planned }: AnsweredTry): readonly Purpose[] {
  return own?.calls ?? (planned.generation.kind === 'recorded' ? [] : ['prompt']);
}

/** Null if a feature produced the answer, because its usage is a sum over several models. */
function savedBy({
  own,
  completion,
  planned: { generation },
}: AnsweredTry): { target: Target; usage: Usage | null } | null {
  if (own !== null || generation.kind !== 'request' || completion.status === 'error') return null;
  return { target: generation.target, usage: completion.usage };
}

/**
 * A problem for each of head's prompts whose model does not exist. A sweep over models shows the
 * error of one model beside the results of the others.
 */
function unknownModels(
  plan: Prepared,
  { words: { meantModel }, spent: { missing } }: FeatureTools,
): Problem[] {
  if (plan.mode === 'sweep' || missing.size === 0) return [];
  const names = targetsOf(plan).flatMap((target) =>
    missing.has(modelLabel(target)) ? [] : [target.model],
  );
  const found = plan.suites.flatMap(({ run: { suite, runs } }): Problem[] => {
    const [target] = runs.flatMap(({ affected: { head } }) =>
      head?.kind === 'request' ? [head.target] : [],
    );
    const message = target === undefined ? undefined : missing.get(modelLabel(target));
    if (suite.head === null || target === undefined || message === undefined) return [];
    const near = meantModel(target.model, names);
    const hint = near === null ? '' : `Did you mean "${near}"? `;
    return [problem(keyPlace(suite.head.suite.prompt, 'model'), `${hint}${message}`)];
  });
  return [...new Map(found.map((each) => [JSON.stringify(each.place), each])).values()];
}
