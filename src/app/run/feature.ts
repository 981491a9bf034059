/**
 * The seam by which a feature plugs into a run. A feature is a folder of `src/features` and a row
 * of the table in `src/features.ts`, which the two entries hand down. Nothing below knows a feature
 * by name.
 *
 * Rules of every hook:
 * - Rows are called in the order of the table.
 * - A hook changes nothing that it is given. What it decides, it returns.
 * - Hooks without model calls throw only for internal errors. The others call models through
 *   `tools.spent.complete`, which counts calls and stops at the caps.
 * - A row's module is loaded at the start of every run, so it loads what is large on demand.
 */
import type { z } from 'zod';
import type { ProjectSide } from '../../config/project-side.ts';
import type { Limits } from '../../documents/limits.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import type { FeatureFinding } from '../../kernel/judge/gate-input.ts';
import type { SuiteVerdict } from '../../kernel/judge/suite-row.ts';
import type { ComparedSuite } from '../../kernel/judge/unseen.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts, KeySchemas, OwnKeys } from '../../kernel/result/feature-parts.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { PassRate, SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Scoring } from '../../kernel/select/scoring.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import type { PrepareInput } from '../../money/prepared.ts';
import type { Project, OwnSettings } from '../../project/settings.ts';
import type { Arranged } from '../../trust/arranged.ts';
import type { Request } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { SoleJudge } from './sole-judge.ts';
import type { JudgeEdges, Spending } from './spending.ts';

/** Both sides as read; base is null if nothing is compared. */
export interface SidesRead {
  trust: TrustLevel;
  limits: Limits;
  /** The run is limited to some prompts, references or tags. */
  isChosen: boolean;
  /** What the author wrote about the change; untrusted. Absent: unknown. */
  description?: string;
  base: { tree: SourceTree; origin: SourceTree; project: Project } | null;
  head: { tree: SourceTree; project: Project };
  /** The project as it was at `since`; null: there is no such commit. Absent: no repository. */
  earlier?(since: string): Promise<EarlierProject | null>;
}

interface EarlierProject {
  /** As a reader knows the commit. */
  name: string;
  tree: SourceTree;
  project: Project;
  problems: Problem[];
}

export interface PlanningRun<Own> {
  input: Pick<PrepareInput, 'mode' | 'code' | 'again' | 'today'>;
  arranged: Arranged;
  base: ProjectSide | null;
  head: ProjectSide;
  gate: GateSettings;
  suites: readonly SuiteComparison[];
  read: Own | null;
}

export interface ComparedRun {
  mode: 'diff' | 'sweep';
  gate: GateSettings;
  trust: TrustLevel;
  price: Price;
  /** All planned suites, even without a result. */
  planned: readonly SuiteComparison[];
  suites: readonly ComparedSuite[];
  /**
   * Before references of a suite make the run red by themselves: what new answers say, at alpha
   * shared by so many `claims`. Null: their tries do not rest on old answers.
   */
  confirm(
    suite: SuiteComparison,
    references: readonly string[],
    claims: number,
  ): Promise<Confirmation | null>;
}

export interface DecidedRun extends ComparedRun {
  /** Sets of a suite's reference ids that belong together, as `groups` of all rows give them. */
  groups(suite: SuiteResult): readonly (readonly string[])[];
}

export type FeatureTools = JudgeEdges & { spent: Spending };

export interface Added {
  parts: Partial<FeatureParts>;
  notices: Notice[];
}

export interface Judged extends Added {
  /** Sentences that make a suite red. */
  findings: FeatureFinding[];
  /** Sentences that keep the run from being green. */
  unjudged: string[];
}

/** A row's calls in a plan: their key in `plan --json`, and their name. */
interface CallNames {
  certain?: { key: string; words(calls: number): string };
  possible?: string;
}

interface OwnFile {
  kind: string;
  type: z.ZodType;
  isWritten: boolean;
}

/** How many of the good labelled answers, and of the bad ones, a judge gets right. */
export interface LabelCounts {
  good: Counts;
  bad: Counts;
  /** Whose counts, as the beginning of a sentence: `the evaluators tell`. */
  who: string;
}

/** How a judge that was tested did, if it is the only one of a suite; else null. */
export type TestedJudge = (sole: SoleJudge, deciding: Scoring) => LabelCounts | null;

export interface Feature<Own = unknown, Read = unknown> {
  readonly key: string;
  readonly calls?: CallNames;
  readonly settings?: OwnSettings;
  /** Schemas of its keys in result.json, each described. */
  readonly result?: OwnKeys;
  /** Schemas of files of its own. */
  files?(): Promise<OwnFile[]>;
  /** Values of these keys if the row had nothing to do. */
  readonly blank?: Partial<FeatureParts>;

  /** Reads its own files after both projects. */
  read?(sides: SidesRead): Promise<{ read: Read; problems: Problem[]; notices: Notice[] }>;

  /** After selection; pure. Null: it does not take part. */
  plan?(run: PlanningRun<Read>): FeaturePlan<Own> | null;

  /** Removes calls with stored answers. */
  withoutStored?(
    plan: FeaturePlan<Own>,
    run: Pick<PlanningRun<Read>, 'input' | 'suites'>,
    tools: { stored(request: Request): boolean; random: JudgeEdges['random'] },
  ): Promise<FeaturePlan<Own>>;

  /** Before the first call: data of earlier runs for the result. */
  earlier?(tools: Pick<JudgeEdges, 'kept'>): Promise<Partial<Result>>;

  /** Before the first try: adds history of references, and which are tried on. */
  start?(
    suites: readonly SuiteComparison[],
    tools: JudgeEdges,
    plan: FeaturePlan<Own> | null,
  ): Promise<SuiteComparison[]>;

  /** After the tries and before any verdict. `judges`: those that it tested on labelled answers. */
  before?(plan: FeaturePlan<Own>, tools: FeatureTools): Promise<Added & { judges: TestedJudge[] }>;

  /** Additions to a suite's result. */
  suiteParts?(
    suite: SuiteComparison,
    rate: PassRate,
    verdict: SuiteVerdict | null,
    judges: readonly TestedJudge[],
  ): Partial<SuiteResult>;

  /** After the comparison: adds stored facts to results. */
  results?<Suite extends ComparedSuite>(
    suites: readonly Suite[],
    tools: FeatureTools,
  ): Promise<Suite[]>;

  /** After the comparison, before the run's verdict. */
  compared?(plan: FeaturePlan<Own>, run: ComparedRun, tools: FeatureTools): Promise<Judged>;

  /** Groups of references, for later rows. */
  groups?(parts: Partial<FeatureParts>, suite: SuiteResult): string[][];

  /** After the verdict, which no longer changes. */
  decided?(plan: FeaturePlan<Own>, run: DecidedRun, tools: FeatureTools): Promise<Added>;
}

export type Features = readonly Feature[];

export function ownSettings(features: Features): OwnSettings[] {
  return features.flatMap(({ settings }) => settings ?? []);
}

export function ownKeys(features: Features): Required<OwnKeys> {
  const keysOf = (part: keyof OwnKeys): KeySchemas =>
    Object.assign({}, ...features.map(({ result }) => result?.[part] ?? {})) as KeySchemas;
  return { run: keysOf('run'), suite: keysOf('suite'), tries: keysOf('tries') };
}

export async function ownFiles(features: Features): Promise<OwnFile[]> {
  return (await Promise.all(features.map((row) => row.files?.() ?? []))).flat();
}
