import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { SessionRow } from '../../app/session/session-row.ts';
import { ratedRuns, ratedTries } from '../../kernel/judge/rates.ts';
import { counted } from '../../text/amounts.ts';
import { conversationKind } from './answerer.ts';
import { planEvaluatorTests, type EvaluatorTest, runEvaluatorTests } from './evaluator-tests.ts';
import { conversationKeys } from './result.ts';
import { conversationKey } from './settings.ts';
import { conversationSummary } from './summary.ts';

export const conversationsFeature: Feature<EvaluatorTest[]> & SessionRow & CommandRow = {
  key: 'conversations',
  calls: {
    certain: {
      key: 'evaluator_calls',
      words: (calls) => `at least ${counted(calls, 'call')} for evaluators`,
    },
  },
  suiteKey: conversationKey,
  result: conversationKeys,
  plan: planEvaluatorTests,
  async grade(suite, context) {
    if (suite.tests.own?.kind !== conversationKind) return null;
    const { gradeConversation } = await import('./grade.ts');
    return gradeConversation(suite, context);
  },
  async before({ own }, { random, spent: { complete } }) {
    const { evaluators, judges, notices } = await runEvaluatorTests(own, { complete, random });
    return { parts: evaluators.length === 0 ? {} : { evaluators }, notices, judges };
  },
  judge: () => ({
    ofSuite({ comparison, verdict }) {
      const runs = ratedRuns(comparison);
      const summary = conversationSummary(comparison.run, runs, ratedTries(verdict));
      return summary === null ? {} : { conversation: summary };
    },
  }),
  report: async () => (await import('./report.ts')).conversationsReport,
};
