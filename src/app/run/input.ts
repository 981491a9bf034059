import type { Halt } from '../../kernel/plan/halt.ts';
import type { Plan } from '../../kernel/plan/plan.ts';
import type { PrepareInput, Prepared } from '../../kernel/plan/prepared.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Settings } from '../../kernel/suite/suite.ts';
import type { Caps, Guard } from '../../money/budget.ts';
import type { Portion } from '../../money/forecast.ts';
import type { ListPrice } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import type { Arranged } from '../../trust/arranged.ts';
import type { Request, Target } from '../../types/model.ts';
import type { Notice, Problem, TrustLevel, Withheld } from '../../types/plain.ts';
import type { ChangedFile, SourceTree } from '../../types/repository.ts';
import type { Features } from './feature.ts';
import type { JudgeEdges } from './spending.ts';

export interface RunInput extends PrepareInput {
  /**
   * The base branch's tip, whose tests and settings judge; null or absent: base's own do, for it is
   * the tip, or there is no base branch.
   */
  tip?: SourceTree | null;
  /** What differs between base and head; absent: it is not known. */
  changed?: readonly ChangedFile[];
  trust: TrustLevel;
  /** The table of features, which the entry hands down. */
  features: Features;
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
  /** What this run has of a plan that several runs share; absent: all of it. */
  part?: PlanPart;
}

/** The part that one of several runs has of their common plan. */
export interface PlanPart {
  narrow(whole: Prepared): Prepared;
  problems(whole: Prepared): Problem[];
  /** Its share of the caps, which hold for all runs together. */
  caps(caps: Caps, portions: () => Portions): Caps;
  /** The other runs were held to the caps for the whole and asked everything, so no key is needed. */
  isAnswered: boolean;
}

/** A part's share of the planned calls and of their cost, which is null where a price is unknown. */
export interface Portions {
  calls: Portion;
  cost: Portion | null;
}

/** What rows read beside the projects, by key. */
export type OwnReads = ReadonlyMap<string, unknown>;

/** Both sides as they were read and may be run; null where head's problems end the run. */
export type ReadSides = {
  own: OwnReads;
  problems: Problem[];
  notices: Notice[];
  /** Reads head's prompts as they would be with a file in other words. */
  reread: NonNullable<JudgeEdges['reread']>;
} & ({ arranged: null } | { arranged: Arranged; sweepsFurther: boolean; sweepNotices: Notice[] });

export interface Pricing {
  list: ListPrice;
  stored(request: Request): boolean;
}

/** What a plan is made with: nothing of it asks a model. */
export interface PlanTools {
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /** Source of random prompt delimiters; absent: calls whose answers are stored are not counted. */
  random?: JudgeEdges['random'];
  /** Reads both sides' files. */
  readSides(input: RunInput): Promise<ReadSides>;
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
}

/** What a run would do, worked out without a model call; or the result that says why it cannot. */
export type Planned = ReadyPlan | { ready: false; result: Result };

/** `whole` is what `prepared` is a part of, or `prepared` itself. */
export interface ReadyPlan {
  ready: true;
  prepared: Prepared;
  whole: Prepared;
  blank: Result;
  forecast: Forecast;
  caps: Caps;
  sweep: Settings['sweep'];
  reread: ReadSides['reread'];
  /** A full sweep would ask in further variants, those of the settings' own `sweep`. */
  sweepsFurther: boolean;
}
