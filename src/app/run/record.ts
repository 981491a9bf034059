import type { Halt } from '../../kernel/plan/halt.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Caps } from '../../money/cost-cap.ts';
import type { Portion } from '../../money/forecast.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { PrepareInput, Prepared } from '../../money/prepared.ts';
import type { ListPrice } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import type { Settings } from '../../project/settings.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import type { Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import type { Features, PlanningTools, RunPlan } from './feature.ts';
import type { JudgeEdges } from './spending.ts';

export interface RunInput extends PrepareInput {
  /** The base branch's tip. If given, its tests and settings apply instead of the merge base's. */
  tip?: SourceTree | null;
  changed?: readonly ChangedFile[];
  description?: string | undefined;
  trust: TrustLevel;
  features: Features;
  earlier?: (since: string) => Promise<{ name: string; tree: SourceTree } | null>;
  notices?: readonly Notice[];
  /** Allows suites without references, which the user may still be writing. */
  mayBeEmpty?: true;
  strict?: true;
  /** Why GitHub withholds keys. If null, a missing key is an error. */
  withheld: Withheld | null;
  maxCost: number | null;
  /** How messages write `max-cost`. Default: as an input. */
  writes?: 'input ' | '--';
  /** True if the cap is evaldiff's default. It then covers only models with known prices. */
  assumesCost?: true;
  part?: PlanPart;
}

/** For a run that is one part of a larger one. `whole` is the plan of all parts. */
export interface PlanPart {
  narrow?(whole: Prepared): Prepared;
  problems?(whole: Prepared): Problem[];
  caps(caps: Caps, portions: () => Portions): Caps;
  /** Other parts of the run have already made all calls, so this part needs no key. */
  isAnswered?: true;
}

export interface Portions {
  calls: Portion;
  cost: Portion | null;
}

export type ReadSides = {
  /** What the features read, by their key. */
  own: ReadonlyMap<string, unknown>;
  problems: Problem[];
  notices: Notice[];
  reread: NonNullable<JudgeEdges['reread']>;
} & (
  | { arranged: null }
  | {
      arranged: TrustedSides;
      sweepsFurther: boolean;
      sweepNotices: Notice[];
      /** Replaces notices about models' ends by what the vendors' lists say by now. */
      relist(notices: Notice[]): Promise<Notice[]>;
    }
);

export interface Pricing {
  list: ListPrice;
  models?(vendor: VendorName): Promise<readonly string[]>;
}

export interface PlanTools extends PlanningTools {
  readSides(input: RunInput): Promise<ReadSides>;
  evaluate: JudgeEdges['evaluate'];
  pricing(targets: readonly Target[]): Promise<Pricing>;
}

export interface Edges extends Omit<JudgeEdges, 'words' | 'sources' | 'reread'>, PlanTools {
  ledger(ledger: Ledger): void;
  halted(): Halt | null;
  missingKeys(targets: readonly Target[]): Problem[];
  planned(run: PlannedRun): void;
}

export interface PlannedRun extends RunPlan {
  ready: true;
  emptyResult: Result;
  /** The plan of all parts if this run is one part, otherwise this plan. */
  whole: Prepared;
  forecast: Forecast;
  caps: Caps;
  sweep: Settings['sweep'];
  reread: ReadSides['reread'];
  relist(notices: Notice[]): Promise<Notice[]>;
  /** True if a full run would also test the variants in the settings' `sweep`. */
  sweepsFurther: boolean;
}

export type PlannedOrRefused = PlannedRun | { ready: false; result: Result };
