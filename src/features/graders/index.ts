import type { Feature } from '../../app/run/feature.ts';
import { correctedRates } from './grader-error.ts';
import { judgeByRubric } from './labelled.ts';
import { planGraderTests, type RubricTest } from './plan.ts';
import { graderKeys } from './result.ts';
import { runRubricTests } from './rubric-tests.ts';

export const gradersFeature: Feature<RubricTest[]> = {
  key: 'graders',
  result: { run: graderKeys },
  blank: { graders: [] },
  plan: planGraderTests,
  async before({ own }, { random, spent: { complete } }) {
    const { graders: results, judges, notices } = await runRubricTests(own, { complete, random });
    return { parts: { graders: results }, notices, judges: judges.map(judgeByRubric) };
  },
  suiteParts: correctedRates,
};
