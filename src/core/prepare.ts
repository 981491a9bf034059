import type { GateSettings, Notice, Problem, Project, SourceTree, Target } from '../types.ts';
import type { Arranged } from './arrange.ts';
import { priceFrom, type Price } from './meter.ts';
import { overBudget, planOf, type Plan } from './plan.ts';
import { quarantineNotices, quarantineOf } from './quarantine.ts';
import { triesNeeded } from './rollup.ts';
import { startLane, type LaneRun, type NextTries } from './rounds.ts';
import { selectAffected, selectAll, type Lane } from './select.ts';
import { nextTries, tryPolicy } from './tries.ts';
import { comparedLane, type ComparedLane, type TryPolicy } from './verdict.ts';

export interface PrepareInput {
  mode: 'diff' | 'sweep';
  base: SourceTree | null;
  head: SourceTree;
  maxCalls: number | null;
  failOn: GateSettings['fail_on'] | null;
  /** Where the project's own code may run. */
  code: 'sandbox' | 'host' | 'off';
  /** `YYYY-MM-DD`. */
  today: string;
}

/** A run that is ready to ask: what runs, by which policy, under which gate. Nothing has been called yet. */
export interface Prepared {
  mode: 'diff' | 'sweep';
  /** Every selected lane, those in which nothing runs included. */
  lanes: ComparedLane[];
  gate: GateSettings;
  next: NextTries;
  plan: Plan;
  price: Price;
  problems: Problem[];
  notices: Notice[];
}

/** Selects what runs and plans its first tries; finds what only shows once both sides are known. */
export function prepare(input: PrepareInput, arranged: Arranged, hash: (text: string) => string): Prepared {
  const { mode, today } = input;
  const side = (project: Project, tree: SourceTree) => ({ project, context: { settings: project.settings, tree, hash } });
  const base = arranged.base === null || input.base === null ? null : side(arranged.base, input.base);
  const head = side(arranged.head, arranged.models === 'base' && input.base !== null ? input.base : input.head);
  const { lanes: selected, problems } = mode === 'sweep' ? selectAll(head) : selectAffected(base, head);
  const gate = { ...arranged.gate, fail_on: input.failOn ?? arranged.gate.fail_on };
  const lanes = selected.map((lane) => compared(startLane(lane, 'head'), arranged, mode === 'diff', today));
  const next = nextTries(lanes, gate);
  const plan = planOf(lanes.map(({ run }) => run), next);
  const maxCalls = input.maxCalls ?? arranged.budget.max_calls;
  return {
    mode, lanes, gate, next, plan,
    price: priceFrom([arranged.head.settings, ...(arranged.base === null ? [] : [arranged.base.settings])]),
    problems: [...problems, ...unreachableRollups(lanes), ...hostOnly(lanes, input.code), ...overBudget(plan, maxCalls)],
    notices: lanes.flatMap(({ run: { deciding: { tests } } }) => quarantineNotices(tests, today)),
  };
}

function compared(run: LaneRun, arranged: Arranged, compares: boolean, today: string): ComparedLane {
  return comparedLane(run, tryPolicy(run, arranged.head.settings, compares), quarantineOf(run.deciding.tests, today));
}

/** A roll-up that asks for more passes than there are tries could never pass. */
function unreachableRollups(lanes: readonly ComparedLane[]): Problem[] {
  return lanes.flatMap(({ run, policy }) => {
    const { tests } = run.deciding;
    const needed = triesNeeded(tests.rollup);
    const tries = triesOf(policy);
    if (run.runs.length === 0 || needed <= tries) return [];
    const message = `metrics_rollup at_least ${String(needed)} can never pass with ${String(tries)} tries; raise n_tries or lower k`;
    return [{ place: { file: tests.file, line: 0 }, message }];
  });
}

/** Prompt code and programs need network, packages or a checkout; only the workflow can allow that. */
function hostOnly(lanes: readonly ComparedLane[], code: PrepareInput['code']): Problem[] {
  if (code === 'host') return [];
  const needing = lanes.filter(({ run }) => run.runs.length > 0).flatMap(({ run: { lane } }) => [lane.base, lane.head]).filter((side) => side !== null);
  const problems = needing.flatMap(({ suite: { prompt }, variant }): Problem[] => {
    if (prompt.code !== null) return [{ place: prompt.code.place, message: 'prompt code needs network and packages. It runs only with code: host, on branches of this repository.' }];
    if (variant.target?.provider !== 'program') return [];
    const place = { file: prompt.file, line: prompt.lines['model'] ?? 0 };
    return [{ place, message: `the model "${variant.model ?? ''}" is a program of this repository. It runs only with code: host (input code, or --code host).` }];
  });
  return [...new Map(problems.map((problem) => [`${problem.place?.file ?? ''}:${String(problem.place?.line)}`, problem])).values()];
}

function triesOf(policy: TryPolicy): number {
  return policy.kind === 'fixed' ? policy.tries : 2;
}

/** Every place that requests of this run go to. */
export function targetsOf(lanes: readonly ComparedLane[]): Target[] {
  return lanes.filter(({ run }) => run.runs.length > 0).flatMap(({ run }) => {
    const answers = run.runs.flatMap(({ case: { base, head } }) => [base, head]).flatMap((generation) => (generation?.kind === 'request' ? [generation.target] : []));
    const graders = [...run.deciding.graders, ...run.other?.graders ?? []].map(({ target }) => target);
    return [...answers, ...graders];
  });
}

/** References that base gates on and this change removes. */
export function removedIds({ path, cases }: Lane): string[] {
  return cases.filter(({ change }) => change === 'removed').map(({ reference }) => `${path}: ${reference.id}`);
}
