import type { TestedJudge } from '../../app/run/feature.ts';
import { agreementOf } from '../../kernel/statistics/agreement.ts';
import { newcombe, wilson } from '../../kernel/statistics/interval.ts';
import type { AnswererTools } from '../../kernel/suite/own-suite.ts';
import { counted } from '../../text/amounts.ts';
import type { Notice, Side } from '../../types/plain.ts';
import { judging, steeringFor } from './answerer.ts';
import type { Steering } from './conversation-rules.ts';
import { allSatisfied, satisfiedBy } from './conversation.ts';
import type { EvaluatorTest } from './evaluator-plan.ts';
import { evaluateDialogue } from './evaluators.ts';
import type {
  Criterion,
  EvaluatorGrade,
  EvaluatorResult,
  EvaluatorVerdict,
  YesShare,
} from './result.ts';

/** An answer accepted or rejected by people, with each evaluator's verdict (null: unreadable). */
interface JudgedAnswer {
  accepted: boolean;
  verdicts: (EvaluatorVerdict | null)[];
}

/** Up to this many, all combinations are shown; beyond it, only pairs and all together. */
const ALL_COMBINATIONS_OF = 5;

/** Each evaluator alone, then combinations by the suite's rules, in the order of `names`. */
export function gradeEvaluators(
  names: readonly string[],
  criteria: readonly Criterion[],
  answers: readonly JudgedAnswer[],
): EvaluatorGrade[] {
  return groupsOf(names.length).map((group) =>
    gradeGroup(
      group.flatMap((index) => names[index] ?? []),
      group,
      criteria,
      answers,
    ),
  );
}

function groupsOf(count: number): number[][] {
  const groups: number[][] = [];
  for (let size = 1; size <= count; size++) {
    if (count <= ALL_COMBINATIONS_OF || size <= 2 || size === count)
      groups.push(...choose(count, size, 0));
  }
  return groups;
}

function choose(count: number, size: number, from: number): number[][] {
  if (size === 0) return [[]];
  const groups: number[][] = [];
  for (let first = from; first <= count - size; first++)
    groups.push(...choose(count, size - 1, first + 1).map((rest) => [first, ...rest]));
  return groups;
}

/** Answers that one of the group could not grade are left out, and counted. */
function gradeGroup(
  evaluators: string[],
  group: readonly number[],
  criteria: readonly Criterion[],
  answers: readonly JudgedAnswer[],
): EvaluatorGrade {
  const read = answers.flatMap(({ accepted, verdicts }) => {
    const given = group.flatMap((index) => verdicts[index] ?? []);
    return given.length < group.length
      ? []
      : [{ accepted, satisfied: satisfiedBy(criteria, given) }];
  });
  const side = (accepted: boolean): EvaluatorGrade['accepted'] => {
    const words = read
      .filter((example) => example.accepted === accepted)
      .map(({ satisfied }) => satisfied);
    const share = (holds: (satisfied: Record<string, boolean>) => boolean): YesShare =>
      yesShare(words.filter(holds).length, words.length);
    return {
      criteria: Object.fromEntries(
        criteria.map(({ name }) => [name, share((satisfied) => satisfied[name] === true)]),
      ),
      all: share(allSatisfied),
    };
  };
  const [accepted, rejected] = [side(true), side(false)];
  return {
    evaluators,
    accepted,
    rejected,
    balanced_accuracy: balancedAccuracy(accepted.all, rejected.all),
    unread: answers.length - read.length,
  };
}

function yesShare(yes: number, n: number): YesShare {
  const interval = wilson({ passes: yes, tries: n });
  return {
    yes,
    n,
    share: n === 0 ? null : yes / n,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

/** (1 + accepted − rejected) / 2, with Newcombe's interval for the difference of two shares. */
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

/** Base's evaluators run only if they differ. `judges`: the combined verdicts of head's. */
export async function runEvaluatorTests(
  tests: readonly EvaluatorTest[],
  tools: AnswererTools,
): Promise<{ evaluators: EvaluatorResult[]; judges: TestedJudge[]; notices: Notice[] }> {
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
    judges: evaluators.flatMap(({ side, grades }, index) => {
      const [steering, all] = [sides[index]?.steering, grades.at(-1)];
      return side === 'base' || steering === undefined || all === undefined
        ? []
        : [judgeByEvaluators(steering, all)];
    }),
    notices: evaluators.flatMap((result, index) =>
      unreadVerdictNotices(result, sides[index]?.test),
    ),
  };
}

function judgeByEvaluators(
  steering: Steering,
  { accepted, rejected }: EvaluatorGrade,
): TestedJudge {
  const [tested, yes, no] = [judging(steering), accepted.all, rejected.all];
  return (sole, deciding) => {
    const other = sole.kind === 'own' ? steeringFor(deciding) : null;
    if (other === null || judging(other) !== tested) return null;
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
      return {
        accepted,
        verdicts: evaluators.map(
          (judge) => verdicts.find(({ evaluator }) => evaluator === judge.name) ?? null,
        ),
      };
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

function unreadVerdictNotices(
  { name, side, examples, grades }: EvaluatorResult,
  test: EvaluatorTest | undefined,
): Notice[] {
  return grades
    .filter(({ evaluators, unread: count }) => evaluators.length === 1 && count > 0)
    .map(({ evaluators: [evaluator], unread: count }) => ({
      kind: 'ungraded',
      place: test?.head.conversation.place ?? null,
      message:
        `${name}: the evaluator ${evaluator ?? ''} gave no readable verdict on ` +
        `${String(count)} of ${counted(examples, 'labelled answer')} on ${side}; ` +
        'those are not counted',
    }));
}
