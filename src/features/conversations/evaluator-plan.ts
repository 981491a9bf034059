import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import {
  judgeTestOf,
  planJudgeTests,
  whyUntested,
  type JudgeTest,
  type LabelledJudge,
} from '../../trials/labelled-tests.ts';
import type { Notice } from '../../types/plain.ts';
import { judgingFingerprint, steeringFor } from './answerer.ts';
import type { LabelledAnswer, Steering } from './conversation-rules.ts';

export type EvaluatorTest = JudgeTest<Steering, LabelledAnswer> & { path: string };

export function planEvaluatorTests(run: PlanningRun<unknown>): FeaturePlan<EvaluatorTest[]> {
  const once = [...new Map(run.suites.map((suite) => [suite.run.suite.path, suite.run])).values()];
  const select = () => ({
    tests: once.flatMap((each) => evaluatorTest(each) ?? []),
    notices: once.flatMap(untestedNotices),
  });
  return planJudgeTests(run.input, select);
}

function evaluatorTest({ suite, runs, scoring }: SuiteRun): EvaluatorTest | null {
  const { path, name } = suite;
  const base = labelledAnswers(suite.base);
  const head = labelledAnswers(suite.head);
  if (head === null) return null;
  const decides = runs.length > 0 && soleJudge(scoring.tests)?.kind === 'own';
  const { place } = head.judge.conversation;
  const test = judgeTestOf({ name, place, decides }, 'evaluator', base, head);
  return test && { path, ...test };
}

function untestedNotices({ suite: { name, base, head } }: SuiteRun): Notice[] {
  const after = labelledAnswers(head);
  if (after === null || after.graders.length === 0) return [];
  const why = whyUntested(labelledAnswers(base), after);
  if (why === null) return [];
  const message =
    `${name}: its group of evaluators ${why} labelled answers, so it is unknown ` +
    'whether they agree with people; add some below conversation: examples: ' +
    '[{ question: "…", answer: "…", accepted: true }, { question: "…", answer: ' +
    '"…", accepted: false }]';
  return [{ kind: 'scoring', message, place: after.judge.conversation.place }];
}

function labelledAnswers(side: SuiteSide | null): LabelledJudge<Steering, LabelledAnswer> | null {
  const steering = side && steeringFor(side.scoring);
  if (steering === null) return null;
  const { examples } = steering.conversation;
  const plain = examples.map(({ messages, accepted }) => ({
    accepted,
    messages: messages.map(({ role, content }) => ({ role, content })),
  }));
  return {
    judge: steering,
    graders: steering.evaluators,
    examples,
    labels: examples.map(({ accepted }) => accepted),
    identity: { judge: judgingFingerprint(steering), examples: canonicalJson(plain) },
  };
}
