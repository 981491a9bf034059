import type { DecidedRun, FeatureTools, PlanningRun } from '../../app/run/feature.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { FeaturePlan, PlannedFeature } from '../../money/feature-plan.ts';
import { createAsker } from '../../trials/asker.ts';
import { hasFallen, mirrored } from '../../trials/fallen.ts';
import { promptChange } from '../../trials/prompt-units.ts';
import { readSideFiles, type SideFiles } from '../../trials/side-files.ts';
import { experimentCalls } from '../../trials/tries.ts';
import { MOST_CAUSE_CALLS, mostAgentCalls, runsAgents } from './calls.ts';
import type { SuiteCauses } from './result.ts';
import type { CauseSettings } from './settings.ts';
import { causesOfSuite } from './suspect.ts';

/** Probability that a run blames a harmless change. */
const ALPHA = 0.05;

export function planCauses({
  input: { mode, again, code },
  head,
  suites,
}: PlanningRun<unknown>): FeaturePlan<CauseSettings> | null {
  if (mode !== 'diff' || again !== undefined) return null;
  const settings = head.project.settings.explain;
  const possibleIn = suites.filter((suite) => {
    const { base, head: changed } = suite.run.suite;
    if (suite.compared.length === 0 || suite.policy.kind === 'pairs') return false;
    const units = (promptChange(base, changed, () => null).units ?? []).length;
    // A changed file counts as one change until its lines are read.
    return units > 1 || (units === 1 && (settings.fix || runsAgents(suite.run.suite)));
  });
  const isPrompt = possibleIn.some(({ run }) => !runsAgents(run.suite));
  const agents = possibleIn.filter(({ run }) => runsAgents(run.suite));
  const most =
    (isPrompt ? MOST_CAUSE_CALLS : 0) + sum(agents.map(({ run }) => mostAgentCalls(run)));
  const possible = possibleIn.length === 0 ? 0 : (settings.max_calls ?? most);
  return {
    own: settings,
    possible,
    asker: settings.fix ? (createAsker(head, code)?.asker ?? null) : null,
  };
}

export async function findSuiteCauses(
  plan: PlannedFeature<CauseSettings>,
  run: DecidedRun,
  tools: FeatureTools,
): Promise<{ causes: SuiteCauses[]; fixed_by: SuiteCauses[] }> {
  const worse = run.rows.filter(({ result }) => hasFallen(result));
  const better = run.rows
    .filter((suite) => !worse.includes(suite) && !hasOwnBudget(suite, plan.own))
    .map((suite) => ({ ...suite, result: mirrored(suite.result) }))
    .filter(({ result }) => hasFallen(result));
  if (worse.length + better.length === 0) return { causes: [], fixed_by: [] };
  const read = await readSideFiles(
    run.suites.map(({ run: { suite } }) => suite),
    tools.sources,
  );
  const room = plan.own.max_calls ?? experimentCalls(run.calls, MOST_CAUSE_CALLS);
  const search = createSearch(plan, run, { tools, read });
  const causes = await search(worse, { room, isMirrored: false });
  const left = room - sum(causes.map(({ explained }) => explained.calls));
  return { causes, fixed_by: await search(better, { room: left, isMirrored: true }) };
}

/** By default, the search in an agent's suite has a limit of runs, not of calls. */
function hasOwnBudget({ comparison }: SuiteRow, { max_calls }: CauseSettings): boolean {
  return max_calls === null && runsAgents(comparison.run.suite);
}

type Search = (
  suites: DecidedRun['rows'],
  of: { room: number; isMirrored: boolean },
) => Promise<SuiteCauses[]>;

function createSearch(
  { own: settings, asker }: PlannedFeature<CauseSettings>,
  { price, emptyResult: { trust }, groups }: DecidedRun,
  { tools, read }: { tools: FeatureTools; read: SideFiles },
): Search {
  // For outside contributors, a fix is only a revert, never a model's draft.
  const grader = trust === 'untrusted' ? null : (asker?.grader ?? null);
  return async (suites, { room: most, isMirrored }) => {
    let room = most;
    const found: SuiteCauses[] = [];
    for (const [index, fallen] of suites.entries()) {
      const isApart = hasOwnBudget(fallen, settings);
      const share = Math.ceil(room / (suites.length - index));
      const own = {
        ...{ ...fallen, isMirrored },
        groups: groups(fallen.result),
        off: settings.max_calls === 0,
        room: isApart ? mostAgentCalls(fallen.comparison.run) : share,
        alpha: ALPHA / suites.length,
        fixing: settings.fix && !isMirrored ? { grader } : null,
      };
      const suite = await causesOfSuite(own, read, { ...tools, price });
      if (!isApart) room -= suite.explained.calls;
      found.push(suite);
    }
    return found;
  };
}
