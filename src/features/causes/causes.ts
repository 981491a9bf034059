import type { DecidedRun, FeatureTools, PlanningRun } from '../../app/run/feature.ts';
import type { JudgeEdges } from '../../app/run/spending.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { askerOf } from '../../trials/asker.ts';
import { hasFallen } from '../../trials/fallen.ts';
import { promptChange } from '../../trials/prompt-units.ts';
import type { CallCounter } from '../../trials/tries.ts';
import type { ReadLines } from '../../trials/unit-places.ts';
import type { Side } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { MOST_CAUSE_CALLS, defaultCauseCalls } from './calls.ts';
import type { SuiteCauses } from './result.ts';
import type { CauseSettings } from './settings.ts';
import { causesOfSuite } from './suspect.ts';

/** Chance that a run names a unit which does nothing. */
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
  return {
    own: settings,
    certain: [],
    possible: isPossible ? (settings.max_calls ?? MOST_CAUSE_CALLS) : 0,
    asker: settings.fix ? (askerOf(head, code)?.asker ?? null) : null,
    tested: 0,
    problems: [],
    notices: [],
  };
}

/** Finds the units of a change that made suites worse. Verdicts and rates stay as they are. */
export async function findSuiteCauses(
  { own: settings, asker }: FeaturePlan<CauseSettings>,
  { price, planned, suites, trust, groups }: DecidedRun,
  tools: FeatureTools,
): Promise<SuiteCauses[]> {
  const { spent, random, evaluate, checkSchema, scoreMetric } = tools;
  const worse = suites.filter(({ result }) => hasFallen(result));
  if (worse.length === 0) return [];
  const read = await readFiles(
    planned.map(({ run }) => run),
    tools.sources,
  );
  // From an outside contributor nothing is drafted: setting back is all that is tried.
  const grader = trust === 'untrusted' ? null : (asker?.grader ?? null);
  const { calls, reused } = spent.meter.totals();
  let room = settings.max_calls ?? defaultCauseCalls(calls + reused);
  const found: SuiteCauses[] = [];
  for (const [index, fallen] of worse.entries()) {
    const own = {
      ...fallen,
      groups: groups(fallen.result),
      off: settings.max_calls === 0,
      room: Math.ceil(room / (worse.length - index)),
      alpha: ALPHA / worse.length,
      fixing: settings.fix
        ? ({ complete, ended }: CallCounter) => ({
            ended,
            grader: grader === null ? null : { grader, complete, random },
          })
        : null,
    };
    const { complete } = spent;
    const trying = { complete, evaluate, checkSchema, random, scoreMetric, price };
    const suite = await causesOfSuite(own, read, { ...tools, tools: trying }, spent);
    room -= suite.explained.calls;
    found.push(suite);
  }
  return found;
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

async function fileLines(tree: SourceTree | null, file: string): Promise<readonly string[]> {
  if (tree?.files.has(file) !== true) return [];
  return new TextDecoder().decode(await tree.read(file)).split(/\r?\n/);
}
