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

/** `unasked`: why `grader` is null, as a clause. */
export interface Asker {
  grader: Grader | null;
  unasked: string | null;
}

export interface FeaturePlan<Own = unknown> {
  own: Own;
  certain: readonly PlannedCalls[];
  possible: number;
  /** How many of the `possible` calls a regression usually causes. Default: all. */
  usual?: number;
  /** The grader is null if its key is missing, or if there is a cap but no price. */
  asker: Asker | null;
  /** Number of graders and other evaluators to test on labelled answers. */
  tested: number;
  problems: Problem[];
  notices: Notice[];
  withKeys?(hasKeys: (targets: readonly Target[]) => boolean): FeaturePlan<Own>;
}

export const NOTHING_PLANNED = {
  certain: [],
  possible: 0,
  asker: null,
  tested: 0,
  problems: [],
  notices: [],
} satisfies Omit<FeaturePlan, 'own'>;

export interface PlannedFeature extends FeaturePlan {
  key: string;
}
