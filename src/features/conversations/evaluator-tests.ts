import type { MeasuredGrader, PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { SuiteSide } from '../../kernel/select/affected-suite.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { wilson, type Interval } from '../../report/sections/intervals.ts';
import { agreementOf } from '../../trials/agreement.ts';
import {
  unreadNotice,
  judgeTestOf,
  planJudgeTests,
  whyUntested,
  type JudgeTest,
  type LabelledJudge,
} from '../../trials/labelled-tests.ts';
import { SIDES, type Notice, type Side } from '../../types/plain.ts';
import { judgingFingerprint, steeringFor } from './answerer.ts';
import type { Steering, LabelledAnswer } from './conversation-rules.ts';
import { allSatisfied, isSatisfiedBy } from './conversation.ts';
import { evaluateDialogue } from './evaluators.ts';
import type {
  Criterion,
  EvaluatorGrade,
  EvaluatorResult,
  EvaluatorVerdict,
  YesShare,
} from './result.ts';

interface JudgedAnswer {
  accepted: boolean;
  verdicts: EvaluatorVerdict[];
}

/** With more evaluators, the report shows each alone, pairs, and all together. */
const ALL_COMBINATIONS_OF = 5;

export function gradeEvaluators(
  names: readonly string[],
  criteria: readonly Criterion[],
  answers: readonly JudgedAnswer[],
): EvaluatorGrade[] {
  return groupsOf(names).map((group) => gradeGroup(group, criteria, answers));
}

function groupsOf(names: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let size = 1; size <= names.length; size++) {
    if (names.length <= ALL_COMBINATIONS_OF || size <= 2 || size === names.length)
      groups.push(...choose(names, size));
  }
  return groups;
}

function choose(names: readonly string[], size: number): string[][] {
  if (size === 0) return [[]];
  return names.flatMap((name, at) =>
    choose(names.slice(at + 1), size - 1).map((rest) => [name, ...rest]),
  );
}

function gradeGroup(
  evaluators: string[],
  criteria: readonly Criterion[],
  answers: readonly JudgedAnswer[],
): EvaluatorGrade {
  const read = answers.flatMap(({ accepted, verdicts }) => {
    const given = verdicts.filter(({ evaluator }) => evaluators.includes(evaluator));
    const satisfied = isSatisfiedBy(criteria, given, evaluators.length);
    return satisfied === null ? [] : [{ accepted, satisfied }];
  });
  const side = (accepted: boolean): EvaluatorGrade['accepted'] => {
    const words = read
      .filter((example) => example.accepted === accepted)
      .map(({ satisfied }) => satisfied);
    const share = (holds: (satisfied: Record<string, boolean>) => boolean): YesShare => {
      const yes = words.filter(holds).length;
      const n = words.length;
      const { low, high } = wilson({ passes: yes, tries: n }) ?? { low: null, high: null };
      return { yes, n, share: n === 0 ? null : yes / n, low, high };
    };
    return {
      criteria: Object.fromEntries(
        criteria.map(({ name }) => [name, share((satisfied) => satisfied[name] === true)]),
      ),
      all: share(allSatisfied),
    };
  };
  const accepted = side(true);
  const rejected = side(false);
  return {
    evaluators,
    accepted,
    rejected,
    balanced_accuracy: balancedAccuracy(accepted.all, rejected.all),
    unread: answers.length - read.length,
  };
}

/**
 * `accepted`, `rejected`: how often the evaluator says "yes" to these answers. Returns (1 +
 * accepted − rejected) / 2, with Newcombe's interval for their difference.
 */
function balancedAccuracy(
  accepted: YesShare,
  rejected: YesShare,
): EvaluatorGrade['balanced_accuracy'] {
  const { balancedAccuracy: value } = agreementOf({
    truePositive: accepted.yes,
    falseNegative: accepted.n - accepted.yes,
    falsePositive: rejected.yes,
    trueNegative: rejected.n - rejected.yes,
  });
  const interval = newcombe(
    { passes: accepted.yes, tries: accepted.n },
    { passes: rejected.yes, tries: rejected.n },
  );
  return value === null || interval === null
    ? null
    : { value, low: (1 + interval.low) / 2, high: (1 + interval.high) / 2 };
}

export async function runEvaluatorTests(
  tests: readonly EvaluatorTest[],
  tools: AnswererTools,
): Promise<{ evaluators: EvaluatorResult[]; judges: MeasuredGrader[]; notices: Notice[] }> {
  const sides = tests.flatMap((test) =>
    SIDES.flatMap((side) => (test[side] === null ? [] : [{ test, side, steering: test[side] }])),
  );
  const done = await Promise.all(
    sides.map(async ({ test, side, steering }) => {
      const result = await testEvaluators(test, side, steering, tools);
      const all = result.grades.at(-1);
      return {
        result,
        judges: side === 'base' || all === undefined ? [] : [judgeByEvaluators(steering, all)],
        notices: result.grades.flatMap(({ evaluators: [evaluator = '', ...others], unread }) =>
          others.length > 0
            ? []
            : unreadNotice(
                `${test.name}: the evaluator ${evaluator}`,
                unread,
                { examples: result.examples, place: test.place },
                side,
              ),
        ),
      };
    }),
  );
  return {
    evaluators: done.map(({ result }) => result),
    judges: done.flatMap(({ judges }) => judges),
    notices: done.flatMap(({ notices }) => notices),
  };
}

function judgeByEvaluators(
  steering: Steering,
  { accepted, rejected }: EvaluatorGrade,
): MeasuredGrader {
  const tested = judgingFingerprint(steering);
  const yes = accepted.all;
  const no = rejected.all;
  return (sole, deciding) => {
    const other = sole.kind === 'own' ? steeringFor(deciding) : null;
    if (other === null || judgingFingerprint(other) !== tested) return null;
    return {
      good: { passes: yes.yes, tries: yes.n },
      bad: { passes: no.n - no.yes, tries: no.n },
      who: 'the evaluators tell',
    };
  };
}

export async function testEvaluators(
  { path, name, examples }: Pick<EvaluatorTest, 'path' | 'name' | 'examples'>,
  side: Side,
  { conversation, evaluators }: Steering,
  tools: AnswererTools,
): Promise<EvaluatorResult> {
  const answers = await Promise.all(
    examples.map(async ({ messages, accepted }): Promise<JudgedAnswer> => {
      const { verdicts } = await evaluateDialogue(conversation, evaluators, messages, 0, tools);
      return { accepted, verdicts };
    }),
  );
  const { criteria } = conversation;
  return {
    path,
    name,
    side,
    criteria: criteria.map((criterion) => criterion.name),
    examples: examples.length,
    grades: gradeEvaluators(
      evaluators.map((evaluator) => evaluator.name),
      criteria,
      answers,
    ),
  };
}

/**
 * Interval of the difference between two rates, from −1 to 1. Source: Newcombe 1998 (part two),
 * method 10.
 */
export function newcombe(first: Counts, second: Counts, confidence = 0.95): Interval | null {
  const ofFirst = wilson(first, confidence);
  const ofSecond = wilson(second, confidence);
  if (ofFirst === null || ofSecond === null) return null;
  const p = first.passes / first.tries;
  const q = second.passes / second.tries;
  const reach = (a: number, b: number) => Math.sqrt(a * a + b * b);
  return {
    low: p - q - reach(p - ofFirst.low, ofSecond.high - q),
    high: p - q + reach(ofFirst.high - p, q - ofSecond.low),
  };
}

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
