import type { Grader, Request, Target } from '../types/model.ts';
import type { Notice, Place, Problem, Purpose } from '../types/plain.ts';

export interface PlannedCalls {
  target: Target;
  parameters: Request['parameters'];
  purpose: Purpose;
  calls: number;
  /** Estimated tokens of one call; null: those of a grader that is asked about an answer. */
  tokens: { input: number; output: number } | null;
  place: Place;
}

/** A grader that a feature asks if it may; null: none. `unasked`: why not, as a clause. */
export interface Asker {
  grader: Grader | null;
  unasked: string | null;
}

export interface FeaturePlan<Own = unknown> {
  own: Own;
  /** Always made: priced, limited by the caps, and a missing key is a problem. */
  certain: readonly PlannedCalls[];
  /** Most calls after the verdict, if there is something to ask. */
  possible: number;
  /** The app removes it if the key is missing, or the price is unknown under a cap the user set. */
  asker: Asker | null;
  /** Graders and evaluators that it tests on labelled answers: a run may consist of these alone. */
  tested: number;
  problems: Problem[];
  notices: Notice[];
  /** The part of it whose calls have keys; absent: all of it needs them. */
  withKeys?(hasKeys: (targets: readonly Target[]) => boolean): FeaturePlan<Own>;
}

export interface PlannedFeature extends FeaturePlan {
  key: string;
}
