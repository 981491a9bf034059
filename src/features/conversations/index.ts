import type { Feature } from '../../app/run/feature.ts';
import { ratedRuns, ratedTries } from '../../kernel/judge/summary.ts';
import { counted } from '../../text/amounts.ts';
import { graderErrorOf, withinError } from '../graders/grader-error.ts';
import type { TestedJudge } from '../graders/plan.ts';
import { planEvaluatorTests, type EvaluatorTest } from './evaluator-plan.ts';
import { runEvaluatorTests } from './evaluator-tests.ts';
import { evaluatorKeys } from './result.ts';
import { conversationSummary } from './summary.ts';

export const conversationsFeature: Feature<EvaluatorTest[], unknown, TestedJudge[]> = {
  key: 'conversations',
  calls: {
    certain: {
      key: 'evaluator_calls',
      words: (calls) => `at least ${counted(calls, 'call')} for evaluators`,
    },
  },
  result: evaluatorKeys,
  plan: planEvaluatorTests,
  async before({ own }, { random, spent: { complete } }) {
    const { evaluators, judges, notices } = await runEvaluatorTests(own, { complete, random });
    return { parts: evaluators.length === 0 ? {} : { evaluators }, notices, found: judges };
  },
  suiteParts(suite, rate, verdict, judges) {
    const error = graderErrorOf(suite, rate, verdict, judges ?? []);
    const summary = conversationSummary(suite.run, ratedRuns(suite), ratedTries(suite, verdict));
    return {
      parts: {
        ...(error === null ? {} : { grader_error: error }),
        ...(summary === null ? {} : { conversation: summary }),
      },
      remark: withinError(error),
    };
  },
  report: async () => (await import('./report.ts')).conversationsReport,
};
