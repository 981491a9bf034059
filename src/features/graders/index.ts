import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import { graderErrorOf, withinError } from './grader-error.ts';
import { planGraderTests, type RubricTest, type TestedJudge } from './plan.ts';
import { graderKeys } from './result.ts';
import { runRubricTests } from './rubric-tests.ts';

export const gradersFeature: Feature<RubricTest[], unknown, TestedJudge[]> & CommandRow = {
  key: 'graders',
  commands: [
    { name: 'grade', place: 42, load: async () => (await import('./command.ts')).gradeCommand },
  ],
  result: graderKeys,
  blank: { graders: [] },
  plan: planGraderTests,
  async before({ own }, { random, spent: { complete } }) {
    const { graders: results, judges, notices } = await runRubricTests(own, { complete, random });
    return { parts: { graders: results }, notices, found: judges };
  },
  suiteParts(suite, rate, verdict, judges) {
    const error = graderErrorOf(suite, rate, verdict, judges ?? []);
    return { parts: error === null ? {} : { grader_error: error }, remark: withinError(error) };
  },
  report: async () => (await import('./report.ts')).gradersReport,
};
