import type { JudgeEdges, Spending } from '../../app/run/spending.ts';
import { MOST_CAUSE_CALLS, defaultCauseCalls } from '../../kernel/plan/judging-calls.ts';
import type { Plan } from '../../kernel/plan/plan.ts';
import type { Prepared } from '../../kernel/plan/prepared.ts';
import type { SuiteComparison, SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Side, TrustLevel } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { suiteAttributes, type AttributeResult } from '../attributes/result.ts';
import type { CallCounter } from './cause-tries.ts';
import { hasFallen } from './fallen.ts';
import { promptChange } from './prompt-units.ts';
import type { SuiteCauses } from './result.ts';
import { causesOfSuite } from './suspect.ts';
import type { ReadLines } from './unit-places.ts';

/** Chance that a run names a unit which does nothing. */
const ALPHA = 0.05;

/**
 * A plan with the calls that look for what made a suite worse, and for its fix: where there is one
 * change, for the fix alone.
 */
export function withCauseCalls(plan: Plan, { suites, causes }: Prepared): Plan {
  const most = causes === null ? 0 : (causes.max_calls ?? MOST_CAUSE_CALLS);
  const possible = suites.some((suite) => {
    const { base, head } = suite.run.suite;
    if (suite.compared.length === 0 || suite.policy.kind === 'pairs') return false;
    const units = (promptChange(base, head, () => null).units ?? []).length;
    return units > 1 || (units === 1 && causes?.fix === true);
  });
  return { ...plan, cause_possible: possible ? most : 0 };
}

/**
 * Which units of a change made each suite worse that did get worse, by experiment. Verdicts and
 * rates stay as they are.
 */
export async function causesOf(
  { causes, price, suites, drafter }: Prepared,
  {
    comparisons,
    results,
    attributes,
    trust,
  }: {
    comparisons: SuiteComparison[];
    results: SuiteResult[];
    attributes: readonly AttributeResult[];
    trust: TrustLevel;
  },
  edges: JudgeEdges,
  spent: Spending,
): Promise<SuiteCauses[]> {
  const worse = comparisons.flatMap((comparison, index) => {
    const result = results[index];
    return result !== undefined && hasFallen(result) ? [{ comparison, result }] : [];
  });
  if (causes === null || worse.length === 0) return [];
  const read = await readFiles(
    suites.map(({ run }) => run),
    edges.sources,
  );
  // From an outside contributor nothing is drafted: setting back is all that is tried.
  const grader = trust === 'untrusted' ? null : (drafter?.grader ?? null);
  const { calls, reused } = spent.meter.totals();
  let room = causes.max_calls ?? defaultCauseCalls(calls + reused);
  const found: SuiteCauses[] = [];
  for (const [index, fallen] of worse.entries()) {
    const left = worse.length - index;
    const own = {
      ...fallen,
      attributes: suiteAttributes(fallen.result, attributes),
      off: causes.max_calls === 0,
      room: Math.ceil(room / left),
      alpha: ALPHA / worse.length,
      fixing: causes.fix
        ? ({ complete, ended }: CallCounter) => ({
            ended,
            grader: grader === null ? null : { grader, complete, random: edges.random },
          })
        : null,
    };
    const { complete } = spent;
    const { evaluate, checkSchema, random } = edges;
    const tools = { complete, evaluate, checkSchema, random, price };
    const suite = await causesOfSuite(own, read, { ...edges, tools }, spent);
    room -= suite.explained.calls;
    found.push(suite);
  }
  return found;
}

/** The texts of all prompt files, read beforehand. */
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
    texts.set(keyOf(side, file), await linesOf(tree, file));
  }
  return (side, file) => texts.get(keyOf(side, file)) ?? null;
}

async function linesOf(tree: SourceTree | null, file: string): Promise<readonly string[]> {
  if (tree?.files.has(file) !== true) return [];
  return new TextDecoder().decode(await tree.read(file)).split(/\r?\n/);
}
