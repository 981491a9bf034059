import type { SuiteComparison } from '../kernel/plan/suite-run.ts';
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

/** What a feature will do in a run. */
export interface FeaturePlan<Own = unknown> {
  own: Own;
  /** Calls that are always made. */
  certain?: readonly PlannedCalls[];
  /** Upper limit of calls that only a regression or a fix causes. */
  possible?: number;
  /** The grader is null if its key is missing, or if there is a cap but no price. */
  asker?: Asker | null;
  /** Number of graders and other evaluators to test on labelled answers. */
  tested?: number;
  problems?: Problem[];
  notices?: Notice[];
  /** The suites with other limits for tries. */
  suites?: SuiteComparison[];
  withKeys?(hasKeys: (targets: readonly Target[]) => boolean): FeaturePlan<Own>;
}

export interface PlannedFeature<Own = unknown>
  extends
    Required<Omit<FeaturePlan<Own>, 'suites' | 'withKeys'>>,
    Pick<FeaturePlan<Own>, 'withKeys'> {
  key: string;
}

export function plannedFeature<Own>(
  key: string,
  { suites: _, ...plan }: FeaturePlan<Own>,
): PlannedFeature<Own> {
  return {
    certain: [],
    possible: 0,
    asker: null,
    tested: 0,
    problems: [],
    notices: [],
    ...plan,
    key,
  };
}

/** How `plan --json` calls a feature's calls. */
export interface CallNames {
  certain?: { key: string; words(calls: number): string };
  possible?: string;
  /** Instead of `possible`, if the calls need no regression. */
  always?: string;
}
