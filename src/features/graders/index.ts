import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { correctedRates, judgeByRubric } from './grader-error.ts';
import { graderKeys, graderSuiteKeys } from './result.ts';
import { planGraderTests, type RubricTest, runRubricTests } from './rubric-tests.ts';

export const gradersFeature: Feature<RubricTest[]> & ReportRow & CommandRow = {
  key: 'graders',
  commands: [
    { name: 'grade', group: 'look', load: async () => (await import('./command.ts')).gradeCommand },
  ],
  result: { run: graderKeys, suite: graderSuiteKeys },
  emptyParts: { graders: [] },
  plan: planGraderTests,
  async before({ own }, { random, spent: { complete } }) {
    const { graders: results, judges, notices } = await runRubricTests(own, { complete, random });
    return { parts: { graders: results }, notices, judges: judges.map(judgeByRubric) };
  },
  report: async () => (await import('./section.ts')).gradersReport,
  judge: (_plan, { judges }) => ({ ofSuite: (row) => correctedRates(row, judges) }),
};
