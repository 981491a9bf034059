import type { Grader, Request, Target } from '../types/model.ts';
import type { Notice, Place, Problem, Purpose } from '../types/plain.ts';

export interface PlannedCalls {
  target: Target;
  parameters: Request['parameters'];
  purpose: Purpose;
  calls: number;
  tokens: { input: number; output: number } | null;
  place: Place;
}

/** A feature's optional grader, or null. `unasked` is a clause that says why there is none. */
export interface Asker {
  grader: Grader | null;
  unasked: string | null;
}

export interface FeaturePlan<Own = unknown> {
  own: Own;
  /**
   * Calls that are always made. They are priced, the caps limit them, and a missing key is a
   * problem.
   */
  certain: readonly PlannedCalls[];
  /** The most calls that the feature makes after the verdict. */
  possible: number;
  /** How many of the `possible` calls a regression usually takes. If absent, all of them. */
  usual?: number;
  /**
   * The app removes the grader if its key is missing. It also does so if the price is unknown and
   * the user set a cap.
   */
  asker: Asker | null;
  /**
   * The number of graders and evaluators to test on labelled answers. A run may consist only of
   * such tests.
   */
  tested: number;
  problems: Problem[];
  notices: Notice[];
  withKeys?(hasKeys: (targets: readonly Target[]) => boolean): FeaturePlan<Own>;
}

export interface PlannedFeature extends FeaturePlan {
  key: string;
}
