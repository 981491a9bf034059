import type { Complete, Grader, GraderResult, Notice, Place, Rubric, Side } from '../../types.ts';
import { builtInRubrics } from '../../metrics/built-in-rubrics.ts';
import { exampleMaterials, gradeMaterial } from '../../metrics/index.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import { agreementWith, type Labelled } from './rubric-agreement.ts';
import type { ScoringTools } from '../trial/score.ts';
import { graderSetsOf, type ProjectSide } from '../select/metric-targets.ts';
import { plural } from '../../text/amounts.ts';
import { gradersIdentity, rubricIdentity } from '../fingerprint/yardstick.ts';

/** A rubric with those who grade by it. */
export interface Judge {
  rubric: Rubric;
  graders: readonly Grader[];
}

/**
 * A rubric of head whose text, examples or graders changed, with head's examples. `base` is null
 * where nothing but the examples differs.
 */
export interface RubricTest {
  name: string;
  place: Place;
  examples: Rubric['examples'];
  base: Judge | null;
  head: Judge;
}

/**
 * The rubrics that a change puts to the test, and which of those that changed have nothing to be
 * tested by.
 */
export function selectRubricTests(
  base: ProjectSide | null,
  head: ProjectSide,
): { tests: RubricTest[]; notices: Notice[] } {
  const changes = [...head.project.rubrics.values()].map((rubric) => changesOf(rubric, base, head));
  return {
    tests: changes.flat().flatMap((change) => testOf(change) ?? []),
    notices: changes
      .flatMap(([first]) => first ?? [])
      .filter(
        ({ rubric }) => rubric.examples.length === 0 && builtInRubrics.get(rubric.name) !== rubric,
      )
      .flatMap(untested),
  };
}

/**
 * One change for each set of graders that judges by the rubric, which a change of the files usually
 * leaves at one.
 */
function changesOf(rubric: Rubric, base: ProjectSide | null, head: ProjectSide): Change[] {
  const old = base?.project.rubrics.get(rubric.name) ?? null;
  const [before, after] = [
    base === null ? [] : graderSetsOf(rubric.name, base),
    graderSetsOf(rubric.name, head),
  ];
  return after.map((graders, index) => ({
    ...changeOf(rubric, old, { base: before[index] ?? before[0] ?? [], head: graders }),
    name:
      after.length === 1
        ? rubric.name
        : `${rubric.name} (${graders.map(({ target }) => target.model).join(', ')})`,
  }));
}

interface Change {
  name: string;
  rubric: Rubric;
  old: Rubric | null;
  sameRubric: boolean;
  sameGraders: boolean;
  graders: Record<Side, readonly Grader[]>;
}

function changeOf(
  rubric: Rubric,
  old: Rubric | null,
  graders: Change['graders'],
): Omit<Change, 'name'> {
  return {
    rubric,
    old,
    graders,
    sameRubric:
      old !== null && canonicalJson(rubricIdentity(old)) === canonicalJson(rubricIdentity(rubric)),
    sameGraders:
      canonicalJson(gradersIdentity(graders.base)) === canonicalJson(gradersIdentity(graders.head)),
  };
}

function testOf({
  name,
  rubric,
  old,
  sameRubric,
  sameGraders,
  graders,
}: Change): RubricTest | null {
  const { place, examples } = rubric;
  const same = sameRubric && sameGraders;
  if (
    examples.length === 0 ||
    graders.head.length === 0 ||
    (same && old !== null && sameExamples(old, rubric))
  )
    return null;
  const base =
    same || old === null || graders.base.length === 0
      ? null
      : { rubric: old, graders: graders.base };
  return { name, place, examples, base, head: { rubric, graders: graders.head } };
}

function sameExamples(base: Rubric, head: Rubric): boolean {
  const plain = ({ examples }: Rubric): string =>
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

function untested({ rubric: { name, place, choice_scores }, old, sameRubric }: Change): Notice[] {
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
  const message = `the rubric "${name}" ${why}, so nobody knows whether its grader judges as people do; add labelled ones below its choice_scores: examples: [${labels}]`;
  return [{ kind: 'yardstick', message, place }];
}

/** Calls that the tests will make, if every grader answers at once. */
export function callsOf(tests: readonly RubricTest[]): number {
  return tests.reduce(
    (sum, { examples, base, head }) =>
      sum + examples.length * (head.graders.length + (base?.graders.length ?? 0)),
    0,
  );
}

export interface RubricTools {
  complete: Complete;
  random: ScoringTools['random'];
}

/**
 * Grades every rubric's examples, by base's rubric and graders where they differ, and by head's.
 * One result a side.
 */
export async function runRubricTests(
  tests: readonly RubricTest[],
  tools: RubricTools,
): Promise<{ graders: GraderResult[]; notices: Notice[] }> {
  const done = await Promise.all(
    tests.map(async (test) => {
      const [base, head] = await Promise.all([
        test.base === null ? null : gradeExamples(test.base, test.examples, 0, tools),
        gradeExamples(test.head, test.examples, 0, tools),
      ]);
      return { graders: resultsOf(test, base, head), notices: unread(test, base ?? [], head) };
    }),
  );
  return {
    graders: done.flatMap(({ graders }) => graders),
    notices: done.flatMap(({ notices }) => notices),
  };
}

/**
 * The label that each example gets, in their order; null where no grade could be read. `attempt` is
 * the try index from 0.
 */
export async function gradeExamples(
  { rubric, graders }: Judge,
  examples: Rubric['examples'],
  attempt: number,
  tools: RubricTools,
): Promise<(string | null)[]> {
  return await Promise.all(
    examples.map(async (example) => {
      const grade = await gradeMaterial(rubric, exampleMaterials(example), {
        ...tools,
        graders,
        try: attempt,
      });
      return grade.status === 'graded' ? grade.label : null;
    }),
  );
}

function resultsOf(
  { name, examples, base: before, head: after }: RubricTest,
  base: (string | null)[] | null,
  head: (string | null)[],
): GraderResult[] {
  const labelled = (labels: (string | null)[]): Labelled[] =>
    examples.map(({ expected }, index) => ({ expected, label: labels[index] ?? null }));
  const flipped =
    base === null
      ? []
      : examples.flatMap(({ content, expected }, index) => {
          const [was, is] = [base[index] ?? null, head[index] ?? null];
          return was === is ? [] : [{ content, expected, base: was, head: is }];
        });
  return [
    ...(base === null || before === null
      ? []
      : [
          {
            rubric: name,
            side: 'base' as const,
            examples: examples.length,
            ...agreementWith(labelled(base), before.rubric),
            flipped: [],
          },
        ]),
    {
      rubric: name,
      side: 'head',
      examples: examples.length,
      ...agreementWith(labelled(head), after.rubric),
      flipped,
    },
  ];
}

function unread(
  { name, place, examples }: RubricTest,
  base: readonly (string | null)[],
  head: readonly (string | null)[],
): Notice[] {
  return (
    [
      ['base', base],
      ['head', head],
    ] as const
  ).flatMap(([side, labels]) => {
    const without = labels.filter((label) => label === null).length;
    if (without === 0) return [];
    return [
      {
        kind: 'ungraded' as const,
        place,
        message: `the rubric "${name}": ${String(without)} of ${plural(examples.length, 'example')} got no readable grade on ${side}; those are not counted`,
      },
    ];
  });
}
