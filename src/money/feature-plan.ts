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

/** A feature's optional grader, or null. `unasked`: a clause that says why there is none. */
export interface Asker {
  grader: Grader | null;
  unasked: string | null;
}

export interface FeaturePlan<Own = unknown> {
  own: Own;
  /** Calls that are always made: priced, limited by the caps, and a missing key is a problem. */
  certain: readonly PlannedCalls[];
  /** Maximum number of calls after the verdict. */
  possible: number;
  /** How many of these a regression usually takes; absent: all. */
  usual?: number;
  /**
   * Removed by the app if its key is missing, or if its price is unknown under a cap of the user.
   */
  asker: Asker | null;
  /** Graders and evaluators to test on labelled answers. A run may consist of these alone. */
  tested: number;
  problems: Problem[];
  notices: Notice[];
  withKeys?(hasKeys: (targets: readonly Target[]) => boolean): FeaturePlan<Own>;
}

export interface PlannedFeature extends FeaturePlan {
  key: string;
}
