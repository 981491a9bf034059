import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import { isDue, judgeCalls, planJudgeTests, type JudgeTest } from '../../trials/labelled-tests.ts';
import type { Notice } from '../../types/plain.ts';
import { judgingFingerprint, steeringFor } from './answerer.ts';
import type { Conversation, LabelledAnswer, Steering } from './conversation-rules.ts';

export type EvaluatorTest = JudgeTest<Steering, LabelledAnswer> & { path: string };

function untestedNotices({ name, base, head }: AffectedSuite): Notice[] {
  const after = head && steeringFor(head.scoring);
  if (after === null || after.conversation.examples.length > 0 || after.evaluators.length === 0)
    return [];
  const why = whyUntested(base && steeringFor(base.scoring), after);
  if (why === null) return [];
  const message =
    `${name}: the evaluators of its conversations ${why}, so it is unknown ` +
    'whether they agree with people; add some below conversation: examples: ' +
    '[{ question: "…", answer: "…", accepted: true }, { question: "…", answer: ' +
    '"…", accepted: false }]';
  return [{ kind: 'scoring', message, place: after.conversation.place }];
}

function whyUntested(before: Steering | null, after: Steering): string | null {
  if (before === null) return 'are new and have no labelled answers';
  if (before.conversation.examples.length > 0) return 'lost their labelled answers';
  return judgingFingerprint(before) === judgingFingerprint(after)
    ? null
    : 'changed and have no labelled answers';
}

function dueTest(run: SuiteRun): EvaluatorTest | null {
  const { path, name, base, head } = run.suite;
  const after = head && steeringFor(head.scoring);
  if (after === null || after.conversation.examples.length === 0 || after.evaluators.length === 0)
    return null;
  const before = base && steeringFor(base.scoring);
  const { examples, place } = after.conversation;
  const same = sameness(before, after);
  const decides = run.runs.length > 0 && soleJudge(run.scoring.tests)?.kind === 'own';
  const labels = examples.map(({ accepted }) => accepted);
  if (!isDue(same, decides, labels)) return null;
  const other = same.judge || before?.evaluators.length === 0 ? null : before;
  return { path, name, place, examples, base: other, head: after };
}

function sameness(before: Steering | null, after: Steering) {
  return {
    judge: before !== null && judgingFingerprint(before) === judgingFingerprint(after),
    examples: before !== null && labelsOf(before.conversation) === labelsOf(after.conversation),
  };
}

function labelsOf({ examples }: Conversation): string {
  return canonicalJson(
    examples.map(({ messages, accepted }) => ({
      accepted,
      messages: messages.map(({ role, content }) => ({ role, content })),
    })),
  );
}

export function planEvaluatorTests(run: PlanningRun<unknown>): FeaturePlan<EvaluatorTest[]> {
  const once = [...new Map(run.suites.map((suite) => [suite.run.suite.path, suite.run])).values()];
  const select = () => ({
    tests: once.flatMap((each) => dueTest(each) ?? []),
    notices: once.flatMap(({ suite }) => untestedNotices(suite)),
  });
  return planJudgeTests(run.input, select, labelledCalls, true);
}

export function labelledCalls({ examples, base, head, place }: EvaluatorTest): PlannedCalls[] {
  const evaluators = [...(base?.evaluators ?? []), ...head.evaluators];
  return judgeCalls(evaluators, examples.length, 'evaluator', place);
}
