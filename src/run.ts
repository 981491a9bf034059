import type {
  NoiseNote,
  Notice,
  Problem,
  Project,
  Request,
  Result,
  Settings,
  SourceTree,
  Target,
  TrustLevel,
} from './types.ts';
import { readProject, type ReadOptions } from './config/project.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from './config/settings.ts';
import { sweepNotice } from './config/sweep.ts';
import { arrange, type Arranged } from './core/select/arrange.ts';
import { createGuard, type Caps, type Guard } from './core/spend/budget.ts';
import { costCap, costProblems, spendNotices, type CostCap } from './core/spend/cost-cap.ts';
import { forecast, portionOfCost, timesForecast, type Forecast } from './core/spend/forecast.ts';
import { budgetHalt, type Halt } from './core/gate/halt.ts';
import { judge, type JudgeEdges } from './core/judge.ts';
import { affordable, askable, withExplainCalls } from './core/explain/explain-plan.ts';
import { readPinned, type Pinned } from './core/explain/pinned.ts';
import { withoutStored } from './core/explain/stored.ts';
import { judgeWithoutKeys } from './core/plan/keyless.ts';
import { callsOf, overBudget, repeated, type Plan } from './core/plan/plan.ts';
import {
  prepare,
  priceSettings,
  targetsOf,
  type PrepareInput,
  type Prepared,
} from './core/plan/prepare.ts';
import { NO_LIST, priceFrom, type ListPrice } from './core/spend/price.ts';
import { blankResult, DEFAULT_GATE, notEvaluated, type ResultHead } from './core/result.ts';
import { ownCaps, type Spent } from './core/shard/caps.ts';
import { batchProblems, partOfPlan, type Shard } from './core/shard/part.ts';
import { withFilesOf } from './core/select/settings-of-base.ts';
import { sources, type Withheld } from './core/select/trust.ts';
import { problem } from './errors.ts';
import { builtInRubrics } from './metrics/built-in-rubrics.ts';
import { metrics } from './metrics/index.ts';

export interface RunInput extends PrepareInput {
  trust: TrustLevel;
  /** Why there may be no keys; null: a missing one is a mistake. */
  withheld: Withheld | null;
  /** Cap on cost that the workflow or the command line sets, in US dollars; null: the settings'. */
  maxCost: number | null;
  read: ReadOptions;
  /** The part of a sweep to carry out; absent: all of it. */
  shard?: Shard | undefined;
  /**
   * What the shards were paid for that this run merges: the caps hold for all together, and what
   * they answered needs no key.
   */
  merged?: Spent | undefined;
}

export interface Pricing {
  list: ListPrice;
  stored(request: Request): boolean;
}

/** What a plan is made with: nothing of it asks a model. */
export interface PlanTools {
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /**
   * As a run draws delimiters; absent: which ratings of chosen attributes are stored is not known.
   */
  random?: JudgeEdges['random'];
  /**
   * Vendors' public prices, and whether an answer lies in a store; asked for only by a run that has
   * something to ask.
   */
  pricing(): Promise<Pricing>;
}

/** What the pipeline needs from the world. */
export interface Edges extends Omit<JudgeEdges, 'halted'>, Omit<PlanTools, 'random'> {
  /** Every paid call goes through this guard from now on. */
  guard(guard: Guard): void;
  /** Why the world ends the run before its plan is done: its time, or a signal. */
  halted(): Halt | null;
  /** Keys and addresses without which these targets cannot be asked. */
  missingKeys(targets: readonly Target[]): Problem[];
  /** Told what will run and why before anything is asked. */
  planned(plan: Plan, ready: ReadyPlan): void;
  /**
   * The last measurement of the gate's own false alarms, and how it is replaced; absent: nobody
   * keeps it.
   */
  lastNoise?(): Promise<NoiseNote | null>;
  keepNoise?(note: NoiseNote): Promise<void>;
}

/** What a run would do, worked out without asking anyone; or the result that says why it cannot. */
export type Planned = ReadyPlan | { ready: false; result: Result };
/** `whole` is what `prepared` is a shard's part of, or `prepared` itself. */
export interface ReadyPlan {
  ready: true;
  prepared: Prepared;
  whole: Prepared;
  blank: Result;
  forecast: Forecast;
  caps: Caps;
  sweep: Settings['sweep'];
}

/**
 * The whole job: read → select → plan → execute → score → roll up → compare → decide. User mistakes
 * are in the result.
 */
export async function run(input: RunInput, edges: Edges): Promise<Result> {
  const plan = await planRun(input, edges);
  if (!plan.ready) return plan.result;
  const { prepared } = plan;
  edges.planned(prepared.plan, plan);
  const blank = {
    ...plan.blank,
    noise: callsOf(prepared.plan) === 0 ? null : ((await edges.lastNoise?.()) ?? null),
  };
  const guarded = guardedEdges(plan, edges);
  const keys = input.merged === undefined ? edges.missingKeys(targetsOf(prepared)) : [];
  const ready = { ...prepared, explaining: askable(prepared.explaining, edges.missingKeys) };
  if (keys.length === 0) return judge(ready, guarded, blank);
  const { withheld } = input;
  const head = headOf(input, blank);
  if (withheld === null) return notEvaluated(head, keys, blank.notices);
  const { missingKeys } = edges;
  return judgeWithoutKeys({
    prepared: ready,
    head,
    notices: blank.notices,
    withheld,
    missingKeys,
    judge: (open) => judge(open, guarded, blank),
  });
}

/** Holds every paid call of a run to its caps. */
export function guardedEdges({ caps, prepared }: ReadyPlan, edges: Edges): JudgeEdges {
  const guard = createGuard(caps, prepared.price);
  edges.guard(guard);
  return { ...edges, halted: () => budgetHalt(guard) ?? edges.halted() };
}

/** For a run that asks nothing. */
const NO_PRICING: Pricing = { list: NO_LIST, stored: () => false };

/**
 * Everything up to the first call: reads both sides, puts back what a pull request must not choose,
 * selects, plans and prices.
 */
export async function planRun(input: RunInput, tools: PlanTools): Promise<Planned> {
  const read = await readSides(input, tools.hash);
  const unread: ResultHead = { ...input, gate: DEFAULT_GATE, n_tries: 'adaptive' };
  if (read.head === null)
    return { ready: false, result: notEvaluated(unread, read.problems, read.notices) };
  const arranged = arrange(read.base, read.head, sources(input.trust));
  const selected = prepare(input, arranged, tools.hash, read.pinned);
  const pricing = callsOf(selected.plan) === 0 ? NO_PRICING : await tools.pricing();
  const explaining = await withoutStored(selected.explaining, selected.lanes, input.mode, {
    stored: pricing.stored,
    random: tools.random,
  });
  const whole = {
    ...selected,
    explaining,
    plan: withExplainCalls(selected.plan, explaining),
    price: priceFrom(priceSettings(arranged), pricing.list),
  };
  const prepared = input.shard === undefined ? whole : partOfPlan(whole, input.shard, tools.hash);
  const spend = spending(input, arranged, { prepared, whole }, pricing);
  const { sweep, n_tries } = arranged.head.settings;
  const head: ResultHead = { ...input, gate: prepared.gate, n_tries };
  const notices = [
    ...read.notices,
    ...arranged.notices,
    ...arranged.head.notices,
    ...prepared.notices,
    ...sweepNotice(sweep, arranged.head.suites),
    ...spend.notices,
  ];
  const problems = [
    ...prepared.problems,
    ...nothingToSweep(input.mode, arranged.head, whole),
    ...batchProblems(whole, input.shard),
    ...spend.problems,
  ];
  if (problems.length > 0) return { ready: false, result: notEvaluated(head, problems, notices) };
  return {
    ready: true,
    whole,
    prepared: {
      ...prepared,
      explaining: affordable(prepared.explaining, prepared.price, spend.cap),
    },
    blank: { ...blankResult(head), notices },
    forecast: spend.forecast,
    caps: spend.caps,
    sweep,
  };
}

/**
 * A sweep that would judge nothing is a mistake, never green: whoever asked for it expected
 * answers.
 */
function nothingToSweep(
  mode: RunInput['mode'],
  { suites, settings }: Project,
  { rubricTests, evaluatorTests }: Prepared,
): Problem[] {
  if (
    mode !== 'sweep' ||
    suites.some(({ tests }) => tests.references.length > 0) ||
    rubricTests.length + evaluatorTests.length > 0
  )
    return [];
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      'no prompt here has references, so there is nothing to run; write prompts there with their tests ("evaldiff init" begins with some), or name the folder that has them (working-directory, --directory)',
    ),
  ];
}

/**
 * What the plan will cost, and by which caps the run is held. Shards are refused by the whole
 * sweep's plan, all alike, whatever each finds stored.
 */
function spending(
  input: RunInput,
  { budget, base, head }: Arranged,
  { prepared, whole }: Pick<ReadyPlan, 'prepared' | 'whole'>,
  { stored }: Pricing,
): { forecast: Forecast; caps: Caps; cap: CostCap | null; problems: Problem[]; notices: Notice[] } {
  const found = priced(input, whole, stored);
  const cost = costCap(input.maxCost, budget);
  const caps: Caps = {
    maxCalls: input.maxCalls ?? budget.max_calls,
    maxCost: cost?.dollars ?? null,
  };
  const planned = callsOf(whole.plan) - found.stored;
  return {
    forecast: prepared === whole ? found : priced(input, prepared, stored),
    cap: cost,
    caps: ownCaps(caps, input, () => ({
      calls: { part: callsOf(prepared.plan), whole: callsOf(whole.plan) },
      cost: portionOfCost(whole, prepared),
    })),
    // The plan that a merge makes was held to the caps by its shards; the merge itself may say what
    // is wrong with these, and has what is left.
    problems:
      input.merged !== undefined
        ? []
        : [
            ...overBudget(whole.plan, caps.maxCalls, {
              bothSides: base !== null && input.base !== null,
              stored: input.shard === undefined ? found.stored : 0,
            }),
            ...costProblems(found, cost, head.settings.file ?? SETTINGS_FILE),
          ],
    notices: spendNotices(found, planned, { calls: caps.maxCalls, cost }),
  };
}

/** Comparisons of base with itself draw new answers each time, which are stored nowhere. */
function priced({ again }: RunInput, prepared: Prepared, stored: Pricing['stored']): Forecast {
  if (again === undefined) return forecast(prepared, { price: prepared.price, stored });
  const once = { ...prepared, plan: repeated(prepared.plan, 1 / again.runs) };
  return timesForecast(forecast(once, { price: prepared.price, stored: () => false }), again.runs);
}

function headOf(input: RunInput, { gate, n_tries }: Result): ResultHead {
  return { ...input, gate, n_tries };
}

interface ReadSides extends Pinned {
  base: Project | null;
  head: Project | null;
}

/**
 * Head's mistakes stop the run; base's cannot be mended by anyone here, so what base cannot say is
 * new.
 */
async function readSides(input: RunInput, hash: (text: string) => string): Promise<ReadSides> {
  const { base, read, mode } = input;
  const tools = { builtInMetrics: metrics, builtInRubrics, hash, parsed: new Map() };
  const own = headToRead(input);
  // What a pull request may name is asked of the pull request: base's models were chosen by those
  // who may.
  const [before, after] = await Promise.all([
    base === null
      ? null
      : readProject(base, { ...read, configRequired: false, allowedModels: null }, tools),
    readProject(own.tree, own.read, tools),
  ]);
  if (after.problems.length > 0)
    return { base: null, head: null, pinned: null, problems: after.problems, notices: own.notices };
  const swept = (project: Project): Project =>
    mode === 'sweep' ? project : onlyAskedSweep(project, read);
  const sides = {
    base: before === null || before.problems.length > 0 ? null : swept(before.project),
    head: swept(after.project),
  };
  const attributes = await readPinned(
    base === null || sides.base === null ? null : { tree: base, project: sides.base },
    { tree: input.head, project: sides.head },
    {
      source: sources(input.trust).attributes,
      limits: read.limits,
      chosen: read.overrides.prompts !== null,
    },
  );
  if (attributes.problems.length > 0)
    return { ...attributes, base: null, head: null, notices: own.notices };
  return {
    ...sides,
    ...attributes,
    notices: [...own.notices, ...unreadBase(before?.problems ?? []), ...attributes.notices],
  };
}

function unreadBase([first]: readonly Problem[]): Notice[] {
  return first === undefined
    ? []
    : [
        {
          kind: 'not-comparable',
          place: first.place,
          message: `base cannot be read, so everything on head is new: ${first.message}`,
        },
      ];
}

/**
 * From outside, head is read with base's settings: which files count, and what the models' names
 * stand for, is no part of what is measured.
 */
function headToRead({ base, head, read, trust }: RunInput): {
  tree: SourceTree;
  read: ReadOptions;
  notices: Notice[];
} {
  if (sources(trust).settings === 'head') return { tree: head, read, notices: [] };
  const { tree, unused } = withFilesOf(base, head, [read.config, LLMEVAL_FILE]);
  const notices = unused.map((file): Notice => ({
    kind: 'trust',
    place: { file, line: 0 },
    message: `this pull request comes from outside and changes ${file}. Base's settings were used.`,
  }));
  return { tree, read: { ...read, configRequired: false, allowedModels: null }, notices };
}

/**
 * The settings' `sweep` is for full sweeps; a comparison sweeps only what its overrides ask for.
 */
function onlyAskedSweep(project: Project, { overrides }: ReadOptions): Project {
  const sweep = Object.fromEntries(
    Object.entries(project.settings.sweep).filter(([key]) => overrides.parameters.has(key)),
  );
  return { ...project, settings: { ...project.settings, sweep } };
}
