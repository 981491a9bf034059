import type { PlanningRun } from '../../app/run/feature.ts';
import { soleJudge } from '../../app/run/sole-judge.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { gradersIdentity, rubricIdentity } from '../../kernel/select/scoring.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { isDue, judgeCalls, planJudgeTests, type JudgeTest } from '../../trials/labelled-tests.ts';
import type { Rubric } from '../../types/metric.ts';
import type { Grader } from '../../types/model.ts';
import type { Notice, Side } from '../../types/plain.ts';
import { graderSetsOf } from './grader-sets.ts';

export interface Judge {
  rubric: Rubric;
  graders: readonly Grader[];
}

export interface TestedRubric extends Judge {
  examples: { expected: string; label: string }[];
}

export type RubricTest = JudgeTest<Judge, Rubric['examples'][number]>;

function selectRubricTests(
  base: ProjectSide | null,
  head: ProjectSide,
  suites: readonly SuiteRun[],
) {
  const changes = [...head.project.rubrics.values()].map((rubric) =>
    rubricChanges(rubric, base, head),
  );
  const deciding = new Set(
    suites
      .filter(({ runs }) => runs.length > 0)
      .flatMap(({ scoring: { tests } }) => {
        const sole = soleJudge(tests);
        return sole?.kind === 'rubric' ? sole.rubric : [];
      }),
  );
  return {
    tests: changes
      .flat()
      .flatMap((change) => rubricTestOf(change, deciding.has(change.rubric.name)) ?? []),
    notices: changes
      .flatMap(([first]) => first ?? [])
      .filter(
        ({ rubric }) => rubric.examples.length === 0 && builtInRubrics.get(rubric.name) !== rubric,
      )
      .flatMap(untestedRubric),
  };
}

function rubricChanges(
  rubric: Rubric,
  base: ProjectSide | null,
  head: ProjectSide,
): RubricChange[] {
  const old = base?.project.rubrics.get(rubric.name) ?? null;
  const [before, after] = [
    base === null ? [] : graderSetsOf(rubric.name, base),
    graderSetsOf(rubric.name, head),
  ];
  const sameRubric =
    old !== null && canonicalJson(rubricIdentity(old)) === canonicalJson(rubricIdentity(rubric));
  const sets = after.map((head, index) => ({ base: before[index] ?? before[0] ?? [], head }));
  return sets.map((graders) => ({
    rubric,
    old,
    graders,
    sameRubric,
    sameGraders:
      canonicalJson(gradersIdentity(graders.base)) === canonicalJson(gradersIdentity(graders.head)),
    name:
      after.length === 1
        ? rubric.name
        : `${rubric.name} (${graders.head.map(({ target }) => target.model).join(', ')})`,
  }));
}

interface RubricChange {
  name: string;
  rubric: Rubric;
  old: Rubric | null;
  sameRubric: boolean;
  sameGraders: boolean;
  graders: Record<Side, readonly Grader[]>;
}

function rubricTestOf(
  { name, rubric, old, sameRubric, sameGraders, graders }: RubricChange,
  decides: boolean,
): RubricTest | null {
  const { place, examples } = rubric;
  const same = sameRubric && sameGraders;
  const isSame = { judge: same, examples: old !== null && sameExamples(old, rubric) };
  const labels = examples.map(({ expected }) => expected);
  if (examples.length === 0 || graders.head.length === 0) return null;
  if (!isDue(isSame, decides, labels)) return null;
  const base =
    same || old === null || graders.base.length === 0
      ? null
      : { rubric: old, graders: graders.base };
  return { name, place, examples, base, head: { rubric, graders: graders.head } };
}

function sameExamples(base: Rubric, head: Rubric): boolean {
  const plain = ({ examples }: Rubric) =>
    canonicalJson(
      examples.map(({ content, context, ideal, expected }) => ({
        content,
        context,
        ideal,
        expected,
      })),
    );
  return plain(base) === plain(head);
}

function untestedRubric({
  rubric: { name, place, choice_scores },
  old,
  sameRubric,
}: RubricChange): Notice[] {
  const lost = (old?.examples.length ?? 0) > 0;
  if (sameRubric && !lost) return [];
  const why = lost
    ? 'lost its examples'
    : old === null
      ? 'is new and has no examples'
      : 'changed and has no examples';
  const labels = [...choice_scores.keys()]
    .slice(0, 2)
    .map((label) => `{ content: "…", expected: ${JSON.stringify(label)} }`)
    .join(', ');
  const message =
    `the rubric "${name}" ${why}, so it is unknown whether its grader agrees with people; add ` +
    `labelled examples below its choice_scores: examples: [${labels}]`;
  return [{ kind: 'scoring', message, place }];
}

export function planGraderTests(run: PlanningRun<unknown>): FeaturePlan<RubricTest[]> {
  const runs = run.suites.map((suite) => suite.run);
  const select = () => selectRubricTests(run.base, run.head, runs);
  return planJudgeTests(run.input, select, ({ examples, base, head, place }) => {
    const graders = [...(base?.graders ?? []), ...head.graders];
    return judgeCalls(graders, examples.length, 'grader', place);
  });
}
