import type { DecidedRun, FeatureTools, PlanningRun } from '../../app/run/feature.ts';
import type { JudgeEdges } from '../../app/run/spending.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { createAsker } from '../../trials/asker.ts';
import { hasFallen, mirrored } from '../../trials/fallen.ts';
import { promptChange } from '../../trials/prompt-units.ts';
import { experimentCalls, type CallCounter } from '../../trials/tries.ts';
import { fileLines, type ReadLines } from '../../trials/unit-places.ts';
import type { Side } from '../../types/plain.ts';
import { MOST_CAUSE_CALLS, USUAL_CAUSE_CALLS } from './calls.ts';
import type { SuiteCauses } from './result.ts';
import type { CauseSettings } from './settings.ts';
import { causesOfSuite, type Suspect } from './suspect.ts';

/** Chance that a run names a change that has no effect; for regressions and fixes each. */
const ALPHA = 0.05;

export function planCauses({
  input: { mode, again, code },
  head,
  suites,
}: PlanningRun<unknown>): FeaturePlan<CauseSettings> | null {
  if (mode !== 'diff' || again !== undefined) return null;
  const settings = head.project.settings.explain;
  const isPossible = suites.some((suite) => {
    const { base, head: changed } = suite.run.suite;
    if (suite.compared.length === 0 || suite.policy.kind === 'pairs') return false;
    const units = (promptChange(base, changed, () => null).units ?? []).length;
    return units > 1 || (units === 1 && settings.fix);
  });
  const possible = isPossible ? (settings.max_calls ?? MOST_CAUSE_CALLS) : 0;
  return {
    own: settings,
    certain: [],
    possible,
    usual: Math.min(possible, USUAL_CAUSE_CALLS),
    asker: settings.fix ? (createAsker(head, code)?.asker ?? null) : null,
    tested: 0,
    problems: [],
    notices: [],
  };
}

/**
 * Finds the changes that made suites worse. Uses the remaining calls to find changes that fixed
 * references. Does not change verdicts or rates.
 */
export async function findSuiteCauses(
  plan: FeaturePlan<CauseSettings>,
  run: DecidedRun,
  tools: FeatureTools,
): Promise<{ causes: SuiteCauses[]; fixed_by: SuiteCauses[] }> {
  const worse = run.suites.filter(({ result }) => hasFallen(result));
  const better = run.suites
    .filter((suite) => !worse.includes(suite))
    .map((suite) => ({ ...suite, result: mirrored(suite.result) }))
    .filter(({ result }) => hasFallen(result));
  if (worse.length + better.length === 0) return { causes: [], fixed_by: [] };
  const read = await readFiles(
    run.planned.map(({ run: own }) => own),
    tools.sources,
  );
  const room = plan.own.max_calls ?? experimentCalls(run.calls, MOST_CAUSE_CALLS);
  const search = createSearch(plan, run, { tools, read });
  const causes = await search(worse, { room, isMirrored: false });
  const left = room - sum(causes.map(({ explained }) => explained.calls));
  return { causes, fixed_by: await search(better, { room: left, isMirrored: true }) };
}

type Search = (
  suites: DecidedRun['suites'],
  of: { room: number; isMirrored: boolean },
) => Promise<SuiteCauses[]>;

function createSearch(
  { own: settings, asker }: FeaturePlan<CauseSettings>,
  { price, trust, groups }: DecidedRun,
  { tools, read }: { tools: FeatureTools; read: ReadLines },
): Search {
  const { spent, random, evaluate, checkSchema, scoreMetric } = tools;
  const { complete } = spent;
  const trying = { complete, evaluate, checkSchema, random, scoreMetric, price };
  // For an outside contributor no draft is made: only reverting is tried.
  const grader = trust === 'untrusted' ? null : (asker?.grader ?? null);
  const fixing = (counter: CallCounter): ReturnType<NonNullable<Suspect['fixing']>> => ({
    ended: counter.ended,
    grader: grader === null ? null : { grader, complete: counter.complete, random },
  });
  return async (suites, { room: most, isMirrored }) => {
    let room = most;
    const found: SuiteCauses[] = [];
    for (const [index, fallen] of suites.entries()) {
      const own = {
        ...{ ...fallen, isMirrored },
        groups: groups(fallen.result),
        off: settings.max_calls === 0,
        room: Math.ceil(room / (suites.length - index)),
        alpha: ALPHA / suites.length,
        fixing: settings.fix && !isMirrored ? fixing : null,
      };
      const suite = await causesOfSuite(own, read, { ...tools, tools: trying }, spent);
      room -= suite.explained.calls;
      found.push(suite);
    }
    return found;
  };
}

async function readFiles(
  runs: readonly SuiteRun[],
  sources: JudgeEdges['sources'],
): Promise<ReadLines> {
  const texts = new Map<string, readonly string[]>();
  const keyOf = (side: Side, file: string): string => `${side} ${file}`;
  const wanted = runs.flatMap(({ suite }) =>
    (['base', 'head'] as const).flatMap((side) => {
      const prompt = suite[side]?.suite.prompt;
      if (prompt === undefined) return [];
      const files = [
        prompt.file,
        ...prompt.messages.map(({ place }) => place.file),
        ...Object.values(prompt.places).map(({ file }) => file),
        ...(prompt.code === null ? [] : [prompt.code.place.file]),
      ];
      return [...new Set(files)].map((file) => ({ side, file, tree: sources?.[side] ?? null }));
    }),
  );
  for (const { side, file, tree } of wanted) {
    if (texts.has(keyOf(side, file))) continue;
    texts.set(keyOf(side, file), await fileLines(tree, file));
  }
  return (side, file) => texts.get(keyOf(side, file)) ?? null;
}
