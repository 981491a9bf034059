import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { gradersOf, resolveOrReport } from '../../config/targets.ts';
import type { ScoringTools } from '../../kernel/ask/score-metric.ts';
import { gradersIdentity, rubricIdentity } from '../../kernel/select/scoring.ts';
import { cohenKappa } from '../../kernel/statistics/kappa.ts';
import { meanOrNull, sum } from '../../kernel/statistics/sums.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { everyMetric, graderOf } from '../../kernel/suite/metrics.ts';
import { gradeMaterial } from '../../metrics/grade.ts';
import { passingLabels } from '../../metrics/passing.ts';
import { exampleMaterials, builtInRubrics } from '../../metrics/rubric.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { agreementOf } from '../../trials/agreement.ts';
import {
  unreadNotice,
  judgeTestOf,
  planJudgeTests,
  whyUntested,
  type JudgeTest,
  type LabelledJudge,
} from '../../trials/labelled-tests.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Complete, Grader } from '../../types/model.ts';
import { SIDES, type Notice, type Problem } from '../../types/plain.ts';
import type { GraderResult } from './result.ts';

interface Judge {
  rubric: Rubric;
  graders: readonly Grader[];
}

export interface TestedRubric extends Judge {
  examples: { expected: string; label: string }[];
}

export type RubricTest = JudgeTest<Judge, Rubric['examples'][number]>;

export function planGraderTests({
  base,
  head,
  suites,
  input,
}: PlanningRun<unknown>): FeaturePlan<RubricTest[]> {
  const deciding = new Set(
    suites
      .filter(({ run }) => run.runs.length > 0)
      .flatMap(({ run }) => {
        const sole = soleJudge(run.scoring.tests);
        return sole?.kind === 'rubric' ? sole.rubric : [];
      }),
  );
  return planJudgeTests(input, () => {
    const all = [...head.project.rubrics.values()];
    return {
      tests: all.flatMap((rubric) => rubricTests(rubric, base, head, deciding.has(rubric.name))),
      notices: all.flatMap((rubric) =>
        untestedRubric(rubric, base?.project.rubrics.get(rubric.name) ?? null),
      ),
    };
  });
}

/** One test for each set of graders that uses the rubric. */
function rubricTests(
  rubric: Rubric,
  base: ProjectSide | null,
  head: ProjectSide,
  decides: boolean,
): RubricTest[] {
  const { name, place } = rubric;
  const old = base?.project.rubrics.get(name);
  const before = base === null ? [] : graderSetsOf(name, base);
  const after = graderSetsOf(name, head);
  return after.flatMap((graders, index) => {
    const models = graders.map(({ target }) => target.model).join(', ');
    const own = { name: after.length === 1 ? name : `${name} (${models})`, place, decides };
    const other = old && labelledRubric(old, before[index] ?? before[0] ?? []);
    return judgeTestOf(own, 'grader', other ?? null, labelledRubric(rubric, graders)) ?? [];
  });
}

function labelledRubric(
  rubric: Rubric,
  graders: readonly Grader[],
): LabelledJudge<Judge, Rubric['examples'][number]> {
  const { examples } = rubric;
  const plain = examples.map(({ content, context, ideal, expected }) => ({
    content,
    context,
    ideal,
    expected,
  }));
  return {
    judge: { rubric, graders },
    graders,
    examples,
    labels: examples.map(({ expected }) => expected),
    identity: {
      judge: judgingIdentity(rubric, graders),
      examples: canonicalJson(plain),
    },
  };
}

export function judgingIdentity(rubric: Rubric, graders: readonly Grader[]): string {
  return canonicalJson([rubricIdentity(rubric), gradersIdentity(graders)]);
}

function untestedRubric(rubric: Rubric, old: Rubric | null): Notice[] {
  const { name, place, choice_scores } = rubric;
  const why = whyUntested(old && labelledRubric(old, []), labelledRubric(rubric, []));
  if (why === null || builtInRubrics.get(name) === rubric) return [];
  const labels = [...choice_scores.keys()]
    .slice(0, 2)
    .map((label) => `{ content: "…", expected: ${JSON.stringify(label)} }`)
    .join(', ');
  const message =
    `the rubric "${name}" ${why} examples, so it is unknown whether its grader agrees with ` +
    `people; add labelled examples below its choice_scores: examples: [${labels}]`;
  return [{ kind: 'scoring', message, place }];
}

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

/** The graders of each metric that uses this rubric. By default, the settings' graders. */
export function graderSetsOf(
  rubric: string,
  side: ProjectSide,
  problems: Problem[] = [],
): Grader[][] {
  const users = side.project.suites
    .flatMap(({ tests }) => everyMetric(tests))
    .filter(({ source }) => source.kind === 'rubric' && source.rubric === rubric);
  const written = new Map(
    users.map(({ graders }) => [
      canonicalJson((graders ?? []).map(({ model, parameters }) => ({ model, parameters }))),
      graders,
    ]),
  );
  const sets = users.length === 0 ? [undefined] : [...written.values()];
  return sets.map((set) =>
    set === undefined
      ? gradersOf(side, problems)
      : set.flatMap((grader) =>
          graderOf(grader, resolveOrReport(grader, side.context, problems) ?? undefined),
        ),
  );
}
