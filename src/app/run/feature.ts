/**
 * The interface between a run and its features. A feature is a folder of `src/features` and an
 * entry in `src/features.ts`. It has up to six hooks, in the order in which a run calls them: `read`,
 * `plan`, `before`, `judge`, `after`, and `report` (see `ReportRow`).
 *
 * Rules for every hook:
 * - Hooks are called in the order of the entries; `read` hooks run at the same time.
 * - A hook does not modify its arguments. It returns only the fields that it has something for.
 * - Hooks that do not call models throw only for internal errors. The others call models through
 *   `tools.spent.complete`, or through `extraTryMaker` for tries of which a cap may leave some unmade.
 *   Both count calls, and send none beyond a cap.
 * - Every run loads the modules of all entries, so an entry loads large code on demand.
 */
import type { z } from 'zod';
import type { ProjectSide } from '../../config/project-side.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import type { FeatureFinding } from '../../kernel/judge/gate-input.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts, KeySchemas, OwnKeys } from '../../kernel/result/feature-parts.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Scoring } from '../../kernel/select/scoring.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { CallNames, FeaturePlan, PlannedFeature } from '../../money/feature-plan.ts';
import type { PrepareInput, Prepared } from '../../money/prepared.ts';
import type { Project, OwnSettings } from '../../project/settings.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import type { Request } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel } from '../../types/plain.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { ReplacedServer } from './outdated.ts';
import type { SoleJudge } from './sole-judge.ts';
import type { JudgeEdges, Spending } from './spending.ts';

export interface SidesRead {
  trust: TrustLevel;
  isChosen: boolean;
  /** What the author wrote about the change. This text is untrusted. */
  description?: string | undefined;
  base: { tree: SourceTree; origin: SourceTree; project: Project } | null;
  head: { tree: SourceTree; project: Project };
  /** Paths on base and on head of the files that differ. */
  changed: readonly string[];
  /** Reads the project as it was at `since`. Null if there is no such commit. */
  earlier?: ((since: string) => Promise<EarlierProject | null>) | undefined;
}

interface EarlierProject {
  name: string;
  tree: SourceTree;
  project: Project;
  problems: Problem[];
}

export interface PlanningRun<Own> {
  input: Pick<PrepareInput, 'mode' | 'code' | 'again' | 'today'>;
  arranged: TrustedSides;
  base: ProjectSide | null;
  head: ProjectSide;
  gate: GateSettings;
  suites: readonly SuiteComparison[];
  read: Own | null;
  tools: PlanningTools;
}

export interface PlanningTools extends Pick<JudgeEdges, 'hash' | 'random' | 'kept'> {
  /** Opens the store. The function says whether the store has an answer to a request. */
  stored(): Promise<(request: Request) => boolean>;
}

/** What a run asks, judges and explains. Each of these steps adds fields. */
export interface RunPlan extends Prepared {
  /** The result of a run that has done nothing yet. */
  emptyResult: Untitled;
  allFeatures: Features;
}

export interface AskedRun extends RunPlan {
  tools: FeatureTools;
  served: readonly ReplacedServer[];
  judges: MeasuredGrader[];
  added: Partial<Added>[];
}

export interface ComparedRun extends AskedRun {
  rows: readonly SuiteRow[];
  /**
   * Makes new tries to check whether these references got worse. The significance level is alpha
   * divided by `claims`. Null if this is impossible or unnecessary.
   */
  confirm(
    suite: SuiteComparison,
    references: readonly string[],
    claims: number,
  ): Promise<Confirmation | null>;
}

export interface DecidedRun extends ComparedRun {
  parts: Partial<FeatureParts>;
  calls: number;
  groups(suite: SuiteResult): readonly ReferenceGroup[];
}

export type Untitled = Omit<Result, 'title'>;

export type FeatureTools = JudgeEdges & { spent: Spending };

export interface Added {
  parts: Partial<FeatureParts>;
  notices: Notice[];
}

export interface Judged extends Added {
  /** What a suite's result gains. */
  ofSuite?(row: SuiteRow): Partial<SuiteResult>;
  /** Each finding makes its suite fail. */
  findings: FeatureFinding[];
  /** Sentences that say why the verdict cannot be green. */
  unjudged: string[];
  groups?(suite: SuiteResult): ReferenceGroup[];
}

interface OwnFile {
  kind: string;
  type: z.ZodType;
  isWritten: boolean;
}

export interface LabelCounts {
  good: Counts;
  bad: Counts;
  /** Start of a sentence about the counts, such as `the evaluators tell`. */
  who: string;
}

/** Null if the grader's accuracy was not measured. */
export type MeasuredGrader = (sole: SoleJudge, deciding: Scoring) => LabelCounts | null;

type MaybePromise<T> = T | Promise<T>;

export interface Feature<Own = unknown, Read = unknown> {
  readonly key: string;
  readonly calls?: CallNames;
  readonly settings?: OwnSettings | readonly OwnSettings[];
  readonly result?: OwnKeys;
  files?(): Promise<OwnFile[]>;
  /** What the feature adds to the result if it has nothing to do. */
  readonly emptyParts?: Partial<FeatureParts>;

  /**
   * What `evaldiff dev` runs for a prompt if the user asks for it. `earlier`: what was found before.
   * `line`: the line to draft a test for.
   */
  onRequest?(earlier: Result, line: string | null): Feature;

  read?(sides: SidesRead): MaybePromise<{ read?: Read; problems?: Problem[]; notices?: Notice[] }>;

  /**
   * Called when the affected suites are known. If it returns null, the feature has nothing to do and
   * its later hooks are not called.
   */
  plan?(run: PlanningRun<Read>): MaybePromise<FeaturePlan<Own> | null>;

  /** Called after the tries and before any verdict. */
  before?(
    plan: PlannedFeature<Own>,
    tools: FeatureTools,
  ): MaybePromise<Partial<Added & { judges: MeasuredGrader[] }>>;

  /** Called when every suite has a verdict, before the run's verdict. */
  judge?(
    plan: PlannedFeature<Own>,
    run: ComparedRun,
    tools: FeatureTools,
  ): MaybePromise<Partial<Judged>>;

  /**
   * Called when every suite and finding of the gate is known. The hook can change neither, but calls
   * that pass a cap change the run's outcome, which is decided last.
   */
  after?(
    plan: PlannedFeature<Own>,
    run: DecidedRun,
    tools: FeatureTools,
  ): MaybePromise<Partial<Added & { rows: readonly SuiteRow[] }>>;
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

export function collectEmptyParts(features: Features): FeatureParts {
  return Object.assign({}, ...features.map(({ emptyParts }) => emptyParts ?? {})) as FeatureParts;
}

interface Active {
  feature: Feature;
  plan: PlannedFeature;
}

/** Calls a hook of the planned features one after another, so that calls have the same order. */
export async function inTurn<T>(
  { allFeatures, features }: RunPlan,
  hook: (active: Active) => MaybePromise<T>,
): Promise<Awaited<T>[]> {
  const results: Awaited<T>[] = [];
  for (const feature of allFeatures) {
    const plan = features.find(({ key }) => key === feature.key);
    if (plan !== undefined) results.push(await hook({ feature, plan }));
  }
  return results;
}
