import { runExtraTries, type ExtraTry } from '../ask/rounds.ts';
import type { PromptChange } from '../explain/prompt-units.ts';
import type { Attempt } from '../explain/trials.ts';
import type { SuiteRun } from '../plan/suite-run.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Complete } from '../types/model.ts';

/** What a try is made and judged with. */
export type TryTools = Parameters<typeof runExtraTries>[2];

export interface CallCounter {
  complete: Complete;
  made(): number;
  /** What the first call that was not made was refused for; null: none was. */
  refused(): string | null;
}

/** Counts every call of an experiment and makes none beyond its cap. */
export function countCalls(complete: Complete, most: number): CallCounter {
  let made = 0;
  let refused: string | null = null;
  return {
    async complete(request) {
      if (made >= most)
        return { status: 'error', kind: 'budget', message: 'explain.max_calls is reached' };
      made += 1;
      const completion = await complete(request);
      if (completion.status === 'error' && completion.kind === 'budget')
        refused ??= completion.message;
      return completion;
    },
    made: () => made,
    refused: () => refused,
  };
}

/** Tries of composed prompts, each under a number that its question has not been tried under yet. */
export function attemptIn(
  run: SuiteRun,
  ids: readonly string[],
  change: PromptChange,
  tools: TryTools,
): Attempt {
  const next = new Map<string, number>();
  for (const { affected, base, head } of run.runs)
    for (const [generation, made] of [
      [affected.base, base.length],
      [affected.head, head.length],
    ] as const) {
      if (generation === null) continue;
      const key = fingerprintOf(generation);
      next.set(key, Math.max(made, next.get(key) ?? 0));
    }
  const indexOf = new Map(run.runs.map(({ affected }, i) => [affected.reference.id, i]));
  return async (draws) => {
    const wanted = draws.flatMap(({ units, reference }): ExtraTry[] => {
      const index = indexOf.get(ids[reference] ?? '') ?? -1;
      const own = run.runs[index];
      if (own === undefined) return [];
      const generation = change.generation(own.affected, units);
      const key = fingerprintOf(generation);
      const at = next.get(key) ?? 0;
      next.set(key, at + 1);
      const prompt = [...units].sort((a, b) => a - b).join(' ');
      return [{ run: index, generation, try: at, prompt: `with ${prompt}` }];
    });
    if (wanted.length < draws.length) throw new TypeError('a draw is of a reference that ran');
    const results = await runExtraTries(run, wanted, tools);
    return results.map(({ outcome }) =>
      outcome === 'pass' ? true : outcome === 'fail' ? false : null,
    );
  };
}
