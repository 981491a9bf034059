import type { ProjectSide } from '../../config/project-side.ts';
import { gradersOf, resolveOrReport } from '../../config/targets.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { everyMetric, graderOf } from '../../kernel/suite/metrics.ts';
import type { Grader } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';

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
