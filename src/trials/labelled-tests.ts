import type { FeaturePlan, PlannedCalls } from '../money/feature-plan.ts';
import type { Grader, Target } from '../types/model.ts';
import type { Notice, Place } from '../types/plain.ts';

/** Tests a judge on labelled examples. `base` is null unless base judges differently. */
export interface JudgeTest<Judge, Example> {
  name: string;
  place: Place;
  examples: readonly Example[];
  base: Judge | null;
  head: Judge;
}

/** An unchanged judge is tested if its examples changed, or if it alone judges a suite that runs. */
export function isDue(
  same: { judge: boolean; examples: boolean },
  decides: boolean,
  labels: readonly (string | boolean)[],
): boolean {
  return !same.judge || !same.examples || (decides && new Set(labels).size > 1);
}

export function judgeCalls(
  judges: readonly Pick<Grader, 'target' | 'parameters'>[],
  calls: number,
  purpose: PlannedCalls['purpose'],
  place: Place,
): PlannedCalls[] {
  return judges.map(({ target, parameters }) => ({
    target,
    parameters,
    purpose,
    calls,
    tokens: null,
    place,
  }));
}

/**
 * A run that compares nothing tests nothing. `isOptional`: a test without a key is left out, not an
 * error.
 */
export function planJudgeTests<Test>(
  { mode, again }: { mode: 'diff' | 'sweep'; again?: unknown },
  select: () => { tests: Test[]; notices: Notice[] },
  callsOf: (test: Test) => PlannedCalls[],
  isOptional = false,
): FeaturePlan<Test[]> {
  if (mode === 'sweep' || again !== undefined) return { own: [] };
  const { tests, notices } = select();
  const planOf = (own: Test[]): FeaturePlan<Test[]> => ({
    own,
    certain: own.flatMap(callsOf),
    tested: own.length,
    notices,
  });
  if (!isOptional) return planOf(tests);
  const hasOwn = (test: Test, hasKeys: (targets: readonly Target[]) => boolean): boolean =>
    hasKeys(callsOf(test).map(({ target }) => target));
  return {
    ...planOf(tests),
    withKeys: (hasKeys) => planOf(tests.filter((test) => hasOwn(test, hasKeys))),
  };
}
