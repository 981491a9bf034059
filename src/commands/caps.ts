import { createGuard } from '../core/spend/budget.ts';
import { priceFrom } from '../core/spend/price.ts';
import { plural } from '../core/compare/wording.ts';
import { problem, UserError } from '../errors.ts';
import type { Edges } from '../run.ts';
import type { Problem, Project, Target } from '../types.ts';
import type { Opened } from './session.ts';

/**
 * Holds what a command is about to ask to the caps on calls and cost. Rejects, with `problems` before them, when the calls are surely too many
 * or a key is missing; then nothing was sent.
 */
export async function holdToCaps(
  { calls, targets, problems }: { calls: number; targets: readonly Target[]; problems: readonly Problem[] }, { settings }: Project, { input }: Opened, edges: Edges,
): Promise<void> {
  const maxCalls = input.maxCalls ?? settings.budget.max_calls;
  const tooMany = maxCalls === null || calls <= maxCalls ? [] : [problem(null, `this would make ${plural(calls, 'model call')}; the limit is ${String(maxCalls)} (--max-calls). Nothing was sent.`)];
  const all = [...problems, ...tooMany, ...edges.missingKeys(targets)];
  if (all.length > 0) throw new UserError(all);
  const { list } = await edges.pricing();
  edges.guard(createGuard({ maxCalls, maxCost: input.maxCost ?? settings.budget.max_cost_usd }, priceFrom([settings], list)));
}
