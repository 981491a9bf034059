import type { SuiteComparison, SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { rollupName } from '../../kernel/suite/gate.ts';
import { everyMetric, isModelGraded } from '../../kernel/suite/metrics.ts';
import type { Evaluate } from '../../types/model.ts';
import { checkRollup } from './roll-up-check.ts';

/** Adds what the title says about a changed scoring. */
export async function withScoringFacts(
  split: ScoringResult,
  comparison: SuiteComparison,
  evaluate: Evaluate,
): Promise<ScoringResult> {
  const { unit, pass_fail, fail_pass } = split.same_answers;
  const isOne = unit === 'answers' && pass_fail + fail_pass === 1;
  return {
    ...split,
    ...(isOne && isRegraded(split, comparison.run) && { may_be_chance: true as const }),
    ...(unit === 'tests' && { rollup: await rollupFacts(comparison, evaluate) }),
  };
}

function isRegraded({ because }: ScoringResult, { scoring }: SuiteRun): boolean {
  const graded = everyMetric(scoring.tests).filter(isModelGraded);
  const names = graded.map(({ name }) => `metrics.${name}`);
  return because.some(({ key }) => /^(?:rubrics|grader)\b/.test(key) || names.includes(key));
}

async function rollupFacts(
  comparison: SuiteComparison,
  evaluate: Evaluate,
): Promise<NonNullable<ScoringResult['rollup']>> {
  const { scoring, baseScoring } = comparison.run;
  const { kind } = await checkRollup(comparison, evaluate);
  return {
    base: rollupName((baseScoring ?? scoring).tests.rollup),
    head: rollupName(scoring.tests.rollup),
    ...(kind === 'never fails' && { never_fails: true as const }),
  };
}
