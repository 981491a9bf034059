import type { Grader, Purpose, Request, Target } from '../../types/model.ts';
import type { Notice, Place, Problem } from '../../types/plain.ts';

/** Calls that a feature makes of one model. */
export interface PlannedCalls {
  target: Target;
  parameters: Request['parameters'];
  purpose: Purpose;
  calls: number;
  /** Estimated tokens of one call; null: those of a grader that is asked about an answer. */
  tokens: { input: number; output: number } | null;
  /** The file that names the model, for problems with it. */
  place: Place;
}

/** A grader that a feature asks if it may; null: none. `unasked`: why not, as a clause. */
export interface Asker {
  grader: Grader | null;
  unasked: string | null;
}

/** What a feature planned, in terms that any run can price, limit and print. */
export interface FeaturePlan<Own = unknown> {
  own: Own;
  /**
   * Calls that are made in any case. They are priced and limited by the caps, and a missing key of
   * theirs is a problem.
   */
  certain: readonly PlannedCalls[];
  /** Most calls after the verdict, if there is something to ask. */
  possible: number;
  /**
   * The app takes its grader away where the key is missing, or where the price is unknown and the
   * user set a cap on cost.
   */
  asker: Asker | null;
  /** Graders and evaluators that it tests on labelled answers: a run may consist of these alone. */
  tested: number;
  problems: Problem[];
  notices: Notice[];
}

/** A feature's plan with the key of its row. */
export interface PlannedFeature extends FeaturePlan {
  key: string;
}
