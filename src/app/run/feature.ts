/**
 * The interface between a run and its features. A feature is a folder of `src/features` and an
 * entry in `src/features.ts`.
 *
 * Rules for every hook:
 * - Hooks are called in the order of the entries.
 * - A hook does not modify its arguments.
 * - Hooks that do not call models throw only for internal errors. The others call models through
 *   `tools.spent.complete`, which counts calls and stops at the caps.
 * - Every run loads the modules of all entries, so an entry loads large code on demand.
 */
import type { z } from 'zod';
import type { ProjectSide } from '../../config/project-side.ts';
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
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import type { Request } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import type { SourceTree } from '../../types/repository.ts';
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
}

export interface ComparedRun {
  mode: 'diff' | 'sweep';
  gate: GateSettings;
  trust: TrustLevel;
  price: Price;
  planned: readonly SuiteComparison[];
  suites: readonly ComparedSuite[];
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

export type FeatureTools = JudgeEdges & { spent: Spending };

export interface Added {
  parts: Partial<FeatureParts>;
  notices: Notice[];
}

export interface Judged extends Added {
  /** Each finding makes its suite fail. */
  findings: FeatureFinding[];
  /** Sentences that say why the verdict cannot be green. */
  unjudged: string[];
}

interface CallNames {
  certain?: { key: string; words(calls: number): string };
  possible?: string;
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

export interface Feature<Own = unknown, Read = unknown> {
  readonly key: string;
  readonly calls?: CallNames;
  readonly settings?: OwnSettings | readonly OwnSettings[];
  readonly result?: OwnKeys;
  files?(): Promise<OwnFile[]>;
  /** What the feature adds to the result if it has nothing to do. */
  readonly emptyParts?: Partial<FeatureParts>;

  read?(sides: SidesRead): Promise<{ read: Read; problems: Problem[]; notices: Notice[] }>;

  /** Called when the affected suites are known. Returns null if the feature has nothing to do. */
  plan?(run: PlanningRun<Read>): FeaturePlan<Own> | null;

  withoutStored?(
    plan: FeaturePlan<Own>,
    run: Pick<PlanningRun<Read>, 'input' | 'suites'>,
    tools: { stored(request: Request): boolean; random: JudgeEdges['random'] },
  ): Promise<FeaturePlan<Own>>;

  /** Called before the first model call. Returns data of earlier runs. */
  earlier?(tools: Pick<JudgeEdges, 'kept'>): Promise<Partial<Result>>;

  /**
   * Called before the first try. Adds earlier results and decides which references get more tries.
   */
  start?(
    suites: readonly SuiteComparison[],
    tools: JudgeEdges,
    plan: FeaturePlan<Own> | null,
  ): Promise<SuiteComparison[]>;

  /** Called after the tries and before any verdict. */
  before?(
    plan: FeaturePlan<Own>,
    tools: FeatureTools,
  ): Promise<Added & { judges: MeasuredGrader[] }>;

  suiteParts?(
    suite: SuiteComparison,
    rate: PassRate,
    verdict: SuiteVerdict | null,
    judges: readonly MeasuredGrader[],
  ): Partial<SuiteResult>;

  /** Called after the comparison. Adds data of earlier runs to the suites. */
  results?<Suite extends ComparedSuite>(
    suites: readonly Suite[],
    tools: FeatureTools,
  ): Promise<Suite[]>;

  /** Called after `results`, before the run's verdict. */
  compared?(plan: FeaturePlan<Own>, run: ComparedRun, tools: FeatureTools): Promise<Judged>;

  groups?(parts: Partial<FeatureParts>, suite: SuiteResult): ReferenceGroup[];

  /** Called after the verdict, which the hook cannot change. */
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
