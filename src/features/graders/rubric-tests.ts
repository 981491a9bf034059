import type { ScoringTools } from '../../kernel/ask/score-metric.ts';
import { cohenKappa } from '../../kernel/statistics/kappa.ts';
import { meanOrNull, sum } from '../../kernel/statistics/sums.ts';
import { gradeMaterial } from '../../metrics/grade.ts';
import { passingLabels } from '../../metrics/passing.ts';
import { exampleMaterials } from '../../metrics/rubric.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { agreementOf } from '../../trials/agreement.ts';
import { unreadNotice } from '../../trials/labelled-tests.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Complete } from '../../types/model.ts';
import { SIDES, type Notice } from '../../types/plain.ts';
import type { Judge, RubricTest, TestedRubric } from './plan.ts';
import type { GraderResult } from './result.ts';

/** `expected`: a person's label. `label`: the grader's; null if unreadable. */
interface LabelPair {
  expected: string;
  label: string | null;
}

type RubricAgreement = Pick<
  GraderResult,
  | 'judged'
  | 'agreement'
  | 'true_positive_rate'
  | 'true_negative_rate'
  | 'true_positive_interval'
  | 'true_negative_interval'
  | 'kappa'
  | 'base_rate'
>;

/**
 * If the rubric names no passing label, the label with the highest score counts as good. Intervals
 * count each example once, because its grades are correlated.
 */
export function agreementWith(
  examples: readonly LabelPair[],
  rubric: Rubric,
  repeats = 1,
): RubricAgreement {
  const labels = [...rubric.choice_scores.keys()];
  const graded = examples.flatMap(({ expected, label }) =>
    label !== null && labels.includes(expected) ? [{ expected, label }] : [],
  );
  const table = labels.map((expected) =>
    labels.map(
      (label) =>
        graded.filter((example) => example.expected === expected && example.label === label).length,
    ),
  );
  const passing = passingLabels(rubric) ?? passingLabels(rubric, { better: 'higher' });
  const good = (label: string) => passing?.has(label) === true;
  const count = (expected: boolean, label: boolean) =>
    graded.filter((example) => good(example.expected) === expected && good(example.label) === label)
      .length;
  const rates = agreementOf({
    truePositive: count(true, true),
    falseNegative: count(true, false),
    falsePositive: count(false, true),
    trueNegative: count(false, false),
  });
  const interval = (passes: number, others: number) =>
    wilson({ passes: passes / repeats, tries: (passes + others) / repeats });
  const share = (part: number) => (graded.length === 0 ? null : part / graded.length);
  return {
    judged: graded.length,
    agreement: share(graded.filter(({ expected, label }) => expected === label).length),
    true_positive_rate: rates.truePositiveRate,
    true_negative_rate: rates.trueNegativeRate,
    true_positive_interval: interval(count(true, true), count(true, false)),
    true_negative_interval: interval(count(false, false), count(false, true)),
    kappa: cohenKappa(table),
    base_rate: share(graded.filter(({ expected }) => good(expected)).length),
  };
}

interface RubricTools {
  complete: Complete;
  random: ScoringTools['random'];
}

export async function runRubricTests(
  tests: readonly RubricTest[],
  tools: RubricTools,
): Promise<{ graders: GraderResult[]; judges: TestedRubric[]; notices: Notice[] }> {
  const done = await Promise.all(
    tests.map(async (test) => {
      const [base, head] = await Promise.all([
        test.base === null ? null : gradeExamples(test.base, test.examples, 0, tools),
        gradeExamples(test.head, test.examples, 0, tools),
      ]);
      return {
        graders: graderResults(test, base, head),
        judge: {
          ...test.head,
          examples: head.flatMap(({ expected, label }) =>
            label === null ? [] : [{ expected, label }],
          ),
        },
        notices: unreadLabelNotices(test, base ?? [], head),
      };
    }),
  );
  return {
    graders: done.flatMap(({ graders }) => graders),
    judges: done.map(({ judge }) => judge),
    notices: done.flatMap(({ notices }) => notices),
  };
}

type Example = Rubric['examples'][number];

interface GradedExample extends LabelPair {
  example: Example;
}

async function gradeExamples(
  { rubric, graders }: Judge,
  examples: readonly Example[],
  tryIndex: number,
  tools: RubricTools,
): Promise<GradedExample[]> {
  return await Promise.all(
    examples.map(async (example) => {
      const grade = await gradeMaterial(rubric, exampleMaterials(example), {
        ...tools,
        graders,
        try: tryIndex,
      });
      const label = grade.status === 'graded' ? grade.label : null;
      return { example, expected: example.expected, label };
    }),
  );
}

function graderResults(
  { name, examples, base: baseJudge, head: headJudge }: RubricTest,
  base: readonly GradedExample[] | null,
  head: readonly GradedExample[],
): GraderResult[] {
  const before = new Map(base?.map(({ example, label }) => [example, label]));
  const flipped = head.flatMap(({ example, expected, label: is }) => {
    const was = before.get(example);
    const { content } = example;
    return was === undefined || was === is ? [] : [{ content, expected, base: was, head: is }];
  });
  const shared = { rubric: name, examples: examples.length };
  const result: GraderResult = {
    ...shared,
    side: 'head',
    ...agreementWith(head, headJudge.rubric),
    flipped,
  };
  if (base === null || baseJudge === null) return [result];
  const agreement = agreementWith(base, baseJudge.rubric);
  return [{ ...shared, side: 'base', ...agreement, flipped: [] }, result];
}

function unreadLabelNotices(
  { name, place, examples }: RubricTest,
  base: readonly GradedExample[],
  head: readonly GradedExample[],
): Notice[] {
  const sides = { base, head };
  return SIDES.flatMap((side) => {
    const unread = sides[side].filter(({ label }) => label === null).length;
    return unreadNotice(
      `the grader of the rubric "${name}"`,
      unread,
      { examples: examples.length, place },
      side,
    );
  });
}

export interface RepeatedRubricTest {
  rubric: string;
  file: string;
  graders: string[];
  repeats: number;
  agreement: RubricAgreement;
  /** From examples that have at least two readable grades. */
  consistency: {
    /** Mean share of an example's grades that are its most common label. */
    share: number | null;
    unanimous: number;
    compared: number;
  };
  examples: {
    file: string;
    line: number;
    content: string;
    expected: string;
    labels: (string | null)[];
  }[];
}

/** Each repetition has its own try index, so that grades are not reused. */
export async function repeatRubricTest(
  judge: Judge,
  repeats: number,
  tools: RubricTools,
): Promise<RepeatedRubricTest> {
  const { rubric, graders } = judge;
  const rounds = await Promise.all(
    Array.from({ length: repeats }, (_, tryIndex) =>
      gradeExamples(judge, rubric.examples, tryIndex, tools),
    ),
  );
  const byExample = Map.groupBy(rounds.flat(), ({ example }) => example);
  const examples = [...byExample].map(
    ([
      {
        content,
        expected,
        place: { file, line },
      },
      graded,
    ]) => ({
      file,
      line,
      content,
      expected,
      labels: graded.map(({ label }) => label),
    }),
  );
  return {
    rubric: rubric.name,
    file: rubric.place.file,
    graders: graders.map(({ target }) => target.model),
    repeats,
    agreement: agreementWith(
      examples.flatMap(({ expected, labels }) => labels.map((label) => ({ expected, label }))),
      rubric,
      repeats,
    ),
    consistency: consistencyOf(
      examples.map(({ labels }) => labels),
      [...rubric.choice_scores.keys()],
    ),
    examples,
  };
}

function consistencyOf(
  grades: readonly (readonly (string | null)[])[],
  labels: readonly string[],
): RepeatedRubricTest['consistency'] {
  const counts = grades.map((given) =>
    labels.map((label) => given.filter((grade) => grade === label).length),
  );
  const compared = counts.filter((row) => sum(row) >= 2);
  const shares = compared.map((row) => Math.max(...row) / sum(row));
  return {
    share: meanOrNull(shares),
    unanimous: shares.filter((share) => share === 1).length,
    compared: compared.length,
  };
}
