import type { Conversation, EvaluatorResult, Notice, Side, Target } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import { gradeEvaluators, type JudgedAnswer } from './evaluator-grades.ts';
import { evaluateDialogue, type EvaluatorTools } from './evaluators.ts';
import type { Lane } from '../select/select.ts';
import { steeringParts, type Steering } from './steering.ts';
import { plural } from '../../text/amounts.ts';
import { steeringFor } from '../fingerprint/yardstick.ts';

/**
 * A suite's evaluators, put to the test on labelled answers. `base` is null where nothing but the
 * answers differs.
 */
export interface EvaluatorTest {
  path: string;
  name: string;
  examples: Conversation['examples'];
  base: Steering | null;
  head: Steering;
}

/**
 * The suites whose evaluators, criteria or instructions a change touches (or their labelled
 * answers), each once; and which of those that changed have nothing to be tested by.
 */
export function selectEvaluatorTests(lanes: readonly Lane[]): {
  tests: EvaluatorTest[];
  notices: Notice[];
} {
  const suites = [...new Map(lanes.map((lane) => [lane.path, lane])).values()];
  return { tests: suites.flatMap((lane) => testOf(lane) ?? []), notices: suites.flatMap(untested) };
}

/**
 * What is said of evaluators that changed and have no labelled answers; a new suite's count as
 * changed.
 */
function untested({ name, base, head }: Lane): Notice[] {
  const after = head && steeringFor(head.yardstick);
  if (after === null || after.conversation.examples.length > 0 || after.evaluators.length === 0)
    return [];
  const why = whyUntested(base && steeringFor(base.yardstick), after);
  if (why === null) return [];
  const message = `${name}: the evaluators of its conversations ${why}, so nobody knows whether they judge as people do; add some below conversation: examples: [{ question: "…", answer: "…", accepted: true }, { question: "…", answer: "…", accepted: false }]`;
  return [{ kind: 'yardstick', message, place: after.conversation.place }];
}

function whyUntested(before: Steering | null, after: Steering): string | null {
  if (before === null) return 'are new and have no labelled answers';
  if (before.conversation.examples.length > 0) return 'lost their labelled answers';
  return judging(before) === judging(after) ? null : 'changed and have no labelled answers';
}

function testOf({ path, name, base, head }: Lane): EvaluatorTest | null {
  const after = head && steeringFor(head.yardstick);
  if (after === null || after.conversation.examples.length === 0 || after.evaluators.length === 0)
    return null;
  const before = base && steeringFor(base.yardstick);
  const { examples } = after.conversation;
  const sameWords = before !== null && judging(before) === judging(after);
  if (sameWords && labelsOf(before.conversation) === labelsOf(after.conversation)) return null;
  return {
    path,
    name,
    examples,
    base: before === null || sameWords || before.evaluators.length === 0 ? null : before,
    head: after,
  };
}

/** What decides an evaluator's word on a given answer; how long a dialogue may last does not. */
function judging({ conversation, evaluators }: Steering): string {
  return canonicalJson({ ...steeringParts(conversation, evaluators), max_steps: null });
}

function labelsOf({ examples }: Conversation): string {
  return canonicalJson(
    examples.map(({ messages, accepted }) => ({
      accepted,
      messages: messages.map(({ role, content }) => ({ role, content })),
    })),
  );
}

/** Calls that the tests will make, if every evaluator answers at once. */
export function evaluatorCallsOf(tests: readonly EvaluatorTest[]): number {
  return tests.reduce(
    (sum, { examples, base, head }) =>
      sum + examples.length * (head.evaluators.length + (base?.evaluators.length ?? 0)),
    0,
  );
}

export function evaluatorTargetsOf(tests: readonly EvaluatorTest[]): Target[] {
  return tests
    .flatMap(({ base, head }) => [...(base?.evaluators ?? []), ...head.evaluators])
    .map(({ target }) => target);
}

/**
 * Asks the evaluators about every labelled answer, base's too where they differ. One table a side.
 */
export async function runEvaluatorTests(
  tests: readonly EvaluatorTest[],
  tools: EvaluatorTools,
): Promise<{ evaluators: EvaluatorResult[]; notices: Notice[] }> {
  const sides = tests.flatMap((test) =>
    (
      [
        ['base', test.base],
        ['head', test.head],
      ] as const
    ).flatMap(([side, steering]) => (steering === null ? [] : [{ test, side, steering }])),
  );
  const evaluators = await Promise.all(
    sides.map(({ test, side, steering }) => testEvaluators(test, side, steering, tools)),
  );
  return {
    evaluators,
    notices: evaluators.flatMap((result, index) => unread(result, sides[index]?.test)),
  };
}

/** One suite's evaluators on labelled answers. */
export async function testEvaluators(
  { path, name, examples }: Pick<EvaluatorTest, 'path' | 'name' | 'examples'>,
  side: Side,
  { conversation, evaluators }: Steering,
  tools: EvaluatorTools,
): Promise<EvaluatorResult> {
  const answers = await Promise.all(
    examples.map(async ({ messages, accepted }): Promise<JudgedAnswer> => {
      const { verdicts } = await evaluateDialogue(conversation, evaluators, messages, 0, tools);
      return {
        accepted,
        verdicts: evaluators.map(
          (one) => verdicts.find(({ evaluator }) => evaluator === one.name) ?? null,
        ),
      };
    }),
  );
  const { criteria } = conversation;
  return {
    path,
    name,
    side,
    criteria: criteria.map((one) => one.name),
    examples: examples.length,
    grades: gradeEvaluators(
      evaluators.map((one) => one.name),
      criteria,
      answers,
    ),
  };
}

function unread(
  { name, side, examples, grades }: EvaluatorResult,
  test: EvaluatorTest | undefined,
): Notice[] {
  return grades
    .filter(({ evaluators, unread: count }) => evaluators.length === 1 && count > 0)
    .map(({ evaluators: [evaluator], unread: count }) => ({
      kind: 'ungraded',
      place: test?.head.conversation.place ?? null,
      message: `${name}: the evaluator ${evaluator ?? ''} gave no readable verdict on ${String(count)} of ${plural(examples, 'labelled answer')} on ${side}; those are not counted`,
    }));
}
