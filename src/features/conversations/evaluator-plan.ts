import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import type { Notice } from '../../types/plain.ts';
import { judgingFingerprint, steeringFor } from './answerer.ts';
import type { Conversation, Steering } from './conversation-rules.ts';

/** `base` is null if only the labelled answers changed. */
export interface EvaluatorTest {
  path: string;
  name: string;
  examples: Conversation['examples'];
  base: Steering | null;
  head: Steering;
}

function selectEvaluatorTests(runs: readonly SuiteRun[]): {
  tests: EvaluatorTest[];
  notices: Notice[];
} {
  const once = [...new Map(runs.map((run) => [run.suite.path, run])).values()];
  return {
    tests: once.flatMap((run) => dueTest(run) ?? []),
    notices: once.flatMap(({ suite }) => untestedNotices(suite)),
  };
}

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
  const sameWords = before !== null && judgingFingerprint(before) === judgingFingerprint(after);
  if (sameWords && !isDue(run, before, after)) return null;
  const { examples } = after.conversation;
  const other = sameWords || before?.evaluators.length === 0 ? null : before;
  return { path, name, examples, base: other, head: after };
}

/** Unchanged evaluators are tested if labels changed, or if no other metric judges the suite. */
function isDue({ scoring, runs }: SuiteRun, before: Steering, after: Steering): boolean {
  if (labelsOf(before.conversation) !== labelsOf(after.conversation)) return true;
  const decide = runs.length > 0 && soleJudge(scoring.tests)?.kind === 'own';
  return decide && new Set(after.conversation.examples.map(({ accepted }) => accepted)).size > 1;
}

function labelsOf({ examples }: Conversation): string {
  return canonicalJson(
    examples.map(({ messages, accepted }) => ({
      accepted,
      messages: messages.map(({ role, content }) => ({ role, content })),
    })),
  );
}

export function planEvaluatorTests({
  input: { mode, again },
  suites,
}: PlanningRun<unknown>): FeaturePlan<EvaluatorTest[]> | null {
  if (mode === 'sweep' || again !== undefined) return null;
  const { tests, notices } = selectEvaluatorTests(suites.map(({ run }) => run));
  return planOfTests(tests, notices);
}

function planOfTests(tests: EvaluatorTest[], notices: Notice[]): FeaturePlan<EvaluatorTest[]> {
  return {
    own: tests,
    certain: tests.flatMap(labelledCalls),
    possible: 0,
    asker: null,
    tested: tests.length,
    problems: [],
    notices,
    withKeys: (hasKeys) =>
      planOfTests(
        tests.filter((test) => hasKeys(labelledCalls(test).map(({ target }) => target))),
        notices,
      ),
  };
}

export function labelledCalls({ examples, base, head }: EvaluatorTest): PlannedCalls[] {
  return [...(base?.evaluators ?? []), ...head.evaluators].map(({ target, parameters }) => ({
    target,
    parameters,
    purpose: 'evaluator',
    calls: examples.length,
    tokens: null,
    place: head.conversation.place,
  }));
}
