import type { Halt } from '../../kernel/plan/halt.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Caps } from '../../money/cost-cap.ts';
import type { Portion } from '../../money/forecast.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { PrepareInput, Prepared, Plan } from '../../money/prepared.ts';
import type { ListPrice } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import type { Settings } from '../../project/settings.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import type { Request, Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import type { Features } from './feature.ts';
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

export interface PlanPart {
  narrow(whole: Prepared): Prepared;
  problems(whole: Prepared): Problem[];
  caps(caps: Caps, portions: () => Portions): Caps;
  /** Other parts of the run have already made all calls, so this part needs no key. */
  isAnswered?: true;
}

export interface Portions {
  calls: Portion;
  cost: Portion | null;
}

export type OwnReads = ReadonlyMap<string, unknown>;

export type ReadSides = {
  own: OwnReads;
  problems: Problem[];
  notices: Notice[];
  reread: NonNullable<JudgeEdges['reread']>;
} & (
  { arranged: null } | { arranged: TrustedSides; sweepsFurther: boolean; sweepNotices: Notice[] }
);

export interface Pricing {
  list: ListPrice;
  models?(vendor: VendorName): Promise<readonly string[]>;
  stored(request: Request): boolean;
}

export interface PlanTools {
  hash(text: string): string;
  /** If absent, the plan also counts calls whose answers are stored. */
  random?: JudgeEdges['random'];
  readSides(input: RunInput): Promise<ReadSides>;
  /** If absent, the project's code is not checked. */
  evaluate?: JudgeEdges['evaluate'];
  pricing(targets: readonly Target[]): Promise<Pricing>;
}

export interface Edges
  extends Omit<JudgeEdges, 'halted' | 'words'>, Omit<PlanTools, 'random' | 'evaluate'> {
  ledger(ledger: Ledger): void;
  halted(): Halt | null;
  missingKeys(targets: readonly Target[]): Problem[];
  planned(plan: Plan, ready: ReadyPlan): void;
}

export type PlanOrResult = ReadyPlan | { ready: false; result: Result };

/** `whole`: the plan of all parts if this run is one part, otherwise `prepared`. */
export interface ReadyPlan {
  ready: true;
  prepared: Prepared;
  whole: Prepared;
  emptyResult: Result;
  forecast: Forecast;
  caps: Caps;
  sweep: Settings['sweep'];
  reread: ReadSides['reread'];
  /** True if a full run would also test the variants in the settings' `sweep`. */
  sweepsFurther: boolean;
}
