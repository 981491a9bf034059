import type { HostCall } from '../../config/host-call.ts';
import { readProject, type ReadOptions, type ReadTools } from '../../config/project.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/settings.ts';
import { type ParsedDocuments, withText } from '../../documents/files.ts';
import { problem } from '../../errors.ts';
import { readPinned, type Pinned } from '../../features/attributes/pinned.ts';
import type { Shard, Spent } from '../../features/shards/part.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import type { Plan } from '../../kernel/plan/plan.ts';
import type { PrepareInput, Prepared } from '../../kernel/plan/prepared.ts';
import type { NoiseNote } from '../../kernel/result/pieces.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Project, Settings } from '../../kernel/suite/suite.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { Caps, Guard } from '../../money/budget.ts';
import type { ListPrice } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import { withFilesOf } from '../../trust/arrange.ts';
import { sources, type Withheld } from '../../trust/trust.ts';
import type { Request, Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import { chooseReferences } from './choose.ts';
import type { JudgeEdges } from './spending.ts';
import { toCompare } from './to-compare.ts';

export interface RunInput extends PrepareInput {
  /**
   * The base branch's tip, whose tests and settings judge; null or absent: base's own do, for it is
   * the tip, or there is no base branch.
   */
  tip?: SourceTree | null;
  /** What differs between base and head; absent: it is not known. */
  changed?: readonly ChangedFile[];
  trust: TrustLevel;
  /** What the caller has to say of the run before it begins; absent: nothing. */
  notices?: readonly Notice[];
  /** Somebody is about to write the first references: a sweep of none is no mistake. */
  mayBeEmpty?: true;
  /** A single reference that cannot run is a mistake of the whole; absent: the others run. */
  strict?: true;
  /** Why there may be no keys; null: a missing one is a mistake. */
  withheld: Withheld | null;
  /** Cap on cost that the workflow or the command line sets, in US dollars; null: the settings'. */
  maxCost: number | null;
  /** The cap is a default, which the user did not choose: it is kept as far as prices are known. */
  assumesCost?: true;
  read: ReadOptions;
  /**
   * Documents that are parsed already, by the same limits; gets those that are not. Absent: none.
   */
  parsed?: ParsedDocuments;
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
   * Source of random prompt delimiters; absent: which ratings of chosen attributes are stored is
   * not known.
   */
  random?: JudgeEdges['random'];
  /** Runs other tools' code at a commit while the project is read; absent: it is not run. */
  hostCall?(commit: string): HostCall;
  /** Compiles the project's code; absent: nobody looks at it before it runs. */
  evaluate?: JudgeEdges['evaluate'];
  /**
   * Vendors' public prices, where one of these targets may have one, and whether an answer lies in
   * a store; asked for only by a run that has something to ask.
   */
  pricing(targets: readonly Target[]): Promise<Pricing>;
  /** What is wrong with the lines of the servers that these targets are at; absent: nothing. */
  clashingHeaders?(targets: readonly Target[]): Problem[];
}

/** What the pipeline needs from the world. */
export interface Edges extends Omit<JudgeEdges, 'halted'>, Omit<PlanTools, 'random' | 'evaluate'> {
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

/** What a run would do, worked out without a model call; or the result that says why it cannot. */
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
  /** A full sweep would ask in further variants, those of the settings' own `sweep`. */
  sweepsFurther: boolean;
}

const NO_REFERENCES =
  'has no references, so there is nothing to run: list them under references, or name a data file under references_from';

/**
 * A sweep that would judge nothing is a mistake, never green: whoever asked for it expected
 * answers.
 */
export function nothingToSweep(
  { mode, mayBeEmpty }: Pick<RunInput, 'mode' | 'mayBeEmpty'>,
  { suites, settings }: Project,
  { rubricTests, evaluatorTests }: Prepared,
): Problem[] {
  if (
    mode !== 'sweep' ||
    mayBeEmpty === true ||
    suites.some(({ tests }) => tests.references.length > 0) ||
    rubricTests.length + evaluatorTests.length > 0
  )
    return [];
  const files = new Set(suites.map(({ tests }) => tests.file));
  if (files.size > 0) return [...files].map((file) => problem({ file, line: 0 }, NO_REFERENCES));
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      'no prompt here has references, so there is nothing to run; write prompts there with their tests ("npx evaldiff init" begins with some), or name the folder that has them (working-directory, --directory)',
    ),
  ];
}

type ReadSides = Pinned & { base: Project | null } & (
    { head: null } | { head: Project; sweepsFurther: boolean }
  );

/**
 * Head's mistakes stop the run; base's cannot be fixed by anyone here, so what base cannot say is
 * new.
 */
export async function readSides(
  input: RunInput,
  tools: Pick<PlanTools, 'hash' | 'hostCall'>,
): Promise<ReadSides> {
  const { base, tip = null, read, mode } = input;
  const toolsAt = readToolsOf(input, tools);
  const own = headToRead(input);
  // What a pull request may name is asked of the pull request: base's models were chosen by those
  // who may.
  const ofBase = { ...read, configRequired: false, allowedModels: null };
  const [before, later, after] = await Promise.all([
    base === null ? null : readProject(base, ofBase, toolsAt(base)),
    tip === null ? null : readProject(tip, ofBase, toolsAt(tip)),
    readProject(own.tree, own.read, toolsAt(own.tree)),
  ]);
  if (after.problems.length > 0)
    return { base: null, head: null, pinned: null, problems: after.problems, notices: own.notices };
  const swept = (project: Project): Project =>
    mode === 'sweep' ? project : onlyAskedSweep(project, read);
  const merged = toCompare(before, later, after.project);
  const { problems, notices, ...sides } = chooseReferences(
    merged.base === null ? null : swept(merged.base),
    swept(merged.head),
    read.overrides,
  );
  if (problems.length > 0)
    return { base: null, head: null, pinned: null, problems, notices: own.notices };
  const attributes = await readPinned(
    base === null || sides.base === null
      ? null
      : { tree: tip ?? base, project: sides.base, origin: base },
    { tree: input.head, project: sides.head },
    {
      source: sources(input.trust).attributes,
      limits: read.limits,
      chosen: [read.overrides.prompts, read.overrides.references, read.overrides.tags].some(
        (each) => each !== null,
      ),
    },
  );
  if (attributes.problems.length > 0)
    return { ...attributes, base: null, head: null, notices: own.notices };
  return {
    ...sides,
    ...attributes,
    sweepsFurther: sweptIn(sides.head) < sweptIn(merged.head),
    notices: [...own.notices, ...merged.notices, ...notices, ...attributes.notices],
  };
}

/** What each side is read with. */
function readToolsOf(
  { mode, today, parsed = new Map() }: RunInput,
  { hash, hostCall }: Pick<PlanTools, 'hash' | 'hostCall'>,
): (tree: SourceTree) => ReadTools {
  const shared: ReadTools = {
    builtInMetrics: metrics,
    builtInRubrics,
    hash,
    ends: { today, past: mode === 'diff' ? 'notice' : 'problem' },
    parsed,
  };
  return ({ commit }) =>
    hostCall === undefined ? shared : { ...shared, hostCall: hostCall(commit) };
}

/**
 * Reads head's prompts as they would be with a file in other words: by the reader that read them,
 * but that no code of the project runs for it.
 */
export function headReader(
  input: Parameters<typeof headToRead>[0],
  hash: PlanTools['hash'],
): NonNullable<JudgeEdges['reread']> {
  const { tree, read } = headToRead(input);
  const tools: ReadTools = { builtInMetrics: metrics, builtInRubrics, hash, parsed: new Map() };
  return async (file, text) => {
    const edited = withText(tree, file, text, hash(text));
    const { project, problems } = await readProject(edited, read, tools);
    return problems.length > 0 ? [] : project.suites.map(({ prompt }) => prompt);
  };
}

/**
 * From an outside contributor, head is read with base's settings: which files count, and what the
 * models' names stand for, is not part of what is measured.
 */
function headToRead({
  base,
  tip,
  head,
  read,
  trust,
}: Pick<RunInput, 'base' | 'tip' | 'head' | 'read' | 'trust'>): {
  tree: SourceTree;
  read: ReadOptions;
  notices: Notice[];
} {
  if (sources(trust).settings === 'head') return { tree: head, read, notices: [] };
  const { tree, unused } = withFilesOf(tip ?? base, head, [read.config, LLMEVAL_FILE], base);
  const notices = unused.map((file): Notice => ({
    kind: 'trust',
    place: { file, line: 0 },
    message: `this pull request comes from an outside contributor and changes ${file}. Base's settings were used.`,
  }));
  return { tree, read: { ...read, configRequired: false, allowedModels: null }, notices };
}

function sweptIn({ settings }: Project): number {
  return Object.keys(settings.sweep).length;
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
