import type { Halt } from '../../kernel/plan/halt.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Caps, Guard } from '../../money/budget.ts';
import type { Portion } from '../../money/forecast.ts';
import type { PrepareInput, Prepared, Plan } from '../../money/prepared.ts';
import type { ListPrice } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import type { Settings } from '../../project/settings.ts';
import type { Arranged } from '../../trust/arranged.ts';
import type { Request, Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import type { Features } from './feature.ts';
import type { JudgeEdges } from './spending.ts';

export interface RunInput extends PrepareInput {
  /** The base branch's tip, whose tests and settings apply; null or absent: base's. */
  tip?: SourceTree | null;
  /** Files that differ; absent: unknown. */
  changed?: readonly ChangedFile[];
  /** What the author wrote about the change; untrusted. Absent: unknown. */
  description?: string;
  trust: TrustLevel;
  features: Features;
  /** What base was at `since` (see `Repository`); null: there is no such commit. */
  earlier?: (since: string) => Promise<{ name: string; tree: SourceTree } | null>;
  notices?: readonly Notice[];
  /** An empty sweep is allowed: the first references are being written. */
  mayBeEmpty?: true;
  /** One reference that cannot run is an error; absent: the others run. */
  strict?: true;
  /** Why keys are withheld; null: a missing key is an error. */
  withheld: Withheld | null;
  /** Cost cap of the workflow or command line, in US dollars; null: the settings'. */
  maxCost: number | null;
  /** The cap is a default, which only covers known prices. */
  assumesCost?: true;
  /** This run's part of a shared plan; absent: all of it. */
  part?: PlanPart;
}

export interface PlanPart {
  narrow(whole: Prepared): Prepared;
  problems(whole: Prepared): Problem[];
  caps(caps: Caps, portions: () => Portions): Caps;
  /** The other runs were held to the caps for the whole and asked everything, so no key is needed. */
  isAnswered: boolean;
}

export interface Portions {
  calls: Portion;
  cost: Portion | null;
}

export type OwnReads = ReadonlyMap<string, unknown>;

/** Both sides as they were read and may be run; null where head's problems end the run. */
export type ReadSides = {
  own: OwnReads;
  problems: Problem[];
  notices: Notice[];
  reread: NonNullable<JudgeEdges['reread']>;
} & ({ arranged: null } | { arranged: Arranged; sweepsFurther: boolean; sweepNotices: Notice[] });

export interface Pricing {
  list: ListPrice;
  /** Names of a vendor's models in that list; absent: not known. */
  models?(vendor: VendorName): Promise<readonly string[]>;
  stored(request: Request): boolean;
}

export interface PlanTools {
  hash(text: string): string;
  /** Random prompt delimiters; absent: calls with stored answers are counted too. */
  random?: JudgeEdges['random'];
  readSides(input: RunInput): Promise<ReadSides>;
  /** Compiles the project's code; absent: not checked. */
  evaluate?: JudgeEdges['evaluate'];
  /** List prices, and a check for stored answers; only used by a run with calls. */
  pricing(targets: readonly Target[]): Promise<Pricing>;
  clashingHeaders?(targets: readonly Target[]): Problem[];
}

export interface Edges
  extends Omit<JudgeEdges, 'halted' | 'words'>, Omit<PlanTools, 'random' | 'evaluate'> {
  guard(guard: Guard): void;
  /** Why the run ends early: time or a signal. */
  halted(): Halt | null;
  missingKeys(targets: readonly Target[]): Problem[];
  planned(plan: Plan, ready: ReadyPlan): void;
}

export type PlanOrResult = ReadyPlan | { ready: false; result: Result };

/** `whole`: the shared plan of which `prepared` is a part, or `prepared` itself. */
export interface ReadyPlan {
  ready: true;
  prepared: Prepared;
  whole: Prepared;
  blank: Result;
  forecast: Forecast;
  caps: Caps;
  sweep: Settings['sweep'];
  reread: ReadSides['reread'];
  /** A full sweep has more variants, from the settings' `sweep`. */
  sweepsFurther: boolean;
}
