import { runExtraTries, type ExtraTry } from '../kernel/ask/rounds.ts';
import type { SuiteRun } from '../kernel/plan/suite-run.ts';
import type { TryResult } from '../kernel/result/reference-result.ts';
import {
  type Generation,
  fingerprintOf,
  type AffectedReference,
} from '../kernel/select/affected-suite.ts';
import { judgingCalls } from '../money/judging-calls.ts';
import { counted } from '../text/amounts.ts';
import { takesOverlay, type Complete } from '../types/model.ts';
import { outcomeBy, type FallView } from './fallen.ts';
import type { PromptChange } from './prompt-units.ts';
import type { Draw } from './trials.ts';

export type TryTools = Pick<
  Parameters<typeof runExtraTries>[2],
  'complete' | 'evaluate' | 'random' | 'scoreMetric' | 'price'
>;

export interface CallCounter {
  complete: Complete;
  made(): number;
  refused(): string | null;
  /** Why the next call would be refused, as a clause. Null if it would not be. */
  ended(): string | null;
}

/** Most experiments need 30 to 60 calls. */
const LEAST_CALLS = 120;

export function experimentCalls(compared: number, most: number): number {
  return Math.min(most, Math.max(LEAST_CALLS, Math.ceil(compared / 2)));
}

export function callsPerTry(run: SuiteRun): number {
  const { answerer } = run.scoring;
  if (answerer !== null) return answerer.mostCalls;
  const isCompared = run.suite.base !== null;
  const first = run.runs.findIndex(
    ({ affected: { base, head } }) => head !== null && (base !== null || !isCompared),
  );
  if (first < 0) return 1;
  const own = { ...run, baseScoring: null };
  const graded = judgingCalls([own], () => new Map([[first, 1]]));
  return 1 + Math.ceil(graded.reduce((sum, { calls }) => sum + calls, 0) / (isCompared ? 2 : 1));
}

/**
 * Refuses calls beyond the cap. An agent's calls are known only after its run, so a running agent
 * counts as the mean of earlier ones.
 */
export function countCalls(
  complete: Complete,
  most: number,
  setting = 'explain.max_calls',
): CallCounter {
  let made = 0;
  const agents = { running: 0, ended: 0, calls: 0 };
  const usual = () => agents.calls / Math.max(1, agents.ended);
  const runAgent: Complete = async (request) => {
    agents.running += 1;
    const completion = await complete(request);
    const calls = Math.max(1, completion.attempts ?? 1);
    agents.running -= 1;
    agents.ended += 1;
    agents.calls += calls;
    made += calls;
    return completion;
  };
  let refused: string | null = null;
  return {
    async complete(request) {
      if (made + agents.running * Math.max(1, usual()) >= most) {
        const message = `${setting} is reached`;
        if (agents.ended > 0) refused ??= message;
        return { status: 'error', kind: 'budget', message };
      }
      const isAgent = takesOverlay(request.target);
      if (!isAgent) made += 1;
      const completion = await (isAgent ? runAgent : complete)(request);
      if (completion.status === 'error' && completion.kind === 'budget')
        refused ??= completion.message;
      return completion;
    },
    made: () => made,
    refused: () => refused,
    ended() {
      if (refused !== null || made < most) return refused;
      return most === 0 ? 'no calls were left for it' : `${counted(most, 'call')} were used up`;
    },
  };
}

interface PromptTry {
  reference: number;
  prompt: string;
  generation(reference: AffectedReference): Generation;
}

export type MakeTries = (wanted: readonly PromptTry[]) => Promise<(boolean | null)[]>;

export function extraTries(
  run: SuiteRun,
  ids: readonly string[],
  tools: TryTools,
  metrics: FallView['metrics'] = null,
): MakeTries {
  const make = extraResults(run, ids, tools);
  return async (wanted) =>
    (await make(wanted)).map((result) => {
      const outcome = outcomeBy(result, metrics);
      return outcome === 'pass' ? true : outcome === 'fail' ? false : null;
    });
}

/** Uses new try indices, so that no answer of the run is reused. */
export function extraResults(
  run: SuiteRun,
  ids: readonly string[],
  { complete, evaluate, random, scoreMetric, price }: TryTools,
): (wanted: readonly PromptTry[]) => Promise<TryResult[]> {
  const tools = { complete, evaluate, random, scoreMetric, price };
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
  return async (wanted) => {
    const tries = wanted.flatMap(({ reference, prompt, generation }): ExtraTry[] => {
      const index = indexOf.get(ids[reference] ?? '') ?? -1;
      const own = run.runs[index];
      if (own === undefined) return [];
      const asked = generation(own.affected);
      const key = fingerprintOf(asked);
      const at = next.get(key) ?? 0;
      next.set(key, at + 1);
      return [{ run: index, generation: asked, try: at, prompt }];
    });
    if (tries.length < wanted.length) throw new TypeError('a try needs a reference that ran');
    return runExtraTries(run, tries, tools);
  };
}

/** `isMirrored`: removes the units from head instead of adding them to base. */
export function attemptBy<Tried>(
  make: (wanted: readonly PromptTry[]) => Promise<Tried[]>,
  { units, generation }: PromptChange,
  isMirrored: boolean,
): (draws: readonly Draw[]) => Promise<Tried[]> {
  return (draws) =>
    make(
      draws.map(({ units: own, reference }) => {
        const made = [...units.keys()].filter((unit) => own.has(unit) !== isMirrored);
        return {
          reference,
          prompt: `with ${made.join(' ')}`,
          generation: (affected) => generation(affected, new Set(made)),
        };
      }),
    );
}
