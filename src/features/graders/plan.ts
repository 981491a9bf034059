import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { gradersIdentity, rubricIdentity } from '../../kernel/select/scoring.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import {
  judgeTestOf,
  planJudgeTests,
  whyUntested,
  type JudgeTest,
  type LabelledJudge,
} from '../../trials/labelled-tests.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Grader } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import { graderSetsOf } from './grader-sets.ts';

export interface Judge {
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
}: PlanningRun<unknown>): FeaturePlan<RubricTest[]> | null {
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
    const other = old && labelled(old, before[index] ?? before[0] ?? []);
    return judgeTestOf(own, 'grader', other ?? null, labelled(rubric, graders)) ?? [];
  });
}

function labelled(
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
  const why = whyUntested(old && labelled(old, []), labelled(rubric, []));
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
