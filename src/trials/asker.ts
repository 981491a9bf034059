import { SETTINGS_FILE } from '../config/file-names.ts';
import type { ProjectSide } from '../config/project-side.ts';
import { gradersOf } from '../config/targets.ts';
import type { Asker } from '../money/feature-plan.ts';
import type { PrepareInput } from '../money/prepared.ts';
import type { Problem } from '../types/plain.ts';

export function createAsker(
  { project, context }: ProjectSide,
  code: PrepareInput['code'],
): { asker: Asker; problems: Problem[] } | null {
  const { grader: named, file } = project.settings;
  if (named === null) return null;
  const problems: Problem[] = [];
  // No batches, because calls follow one another.
  const [grader = null] = gradersOf(
    {
      project: { ...project, settings: { ...project.settings, voters: [] } },
      context: { ...context, batches: false },
    },
    problems,
  );
  const isRefused = grader?.target.provider === 'program' && code !== 'host';
  if (isRefused)
    problems.push({
      place: { file: file ?? SETTINGS_FILE, line: 0 },
      message:
        `the grader "${grader.target.model}" is a program of this repository. It runs ` +
        'only with code: host (input code, or --code host).',
    });
  return {
    asker: { grader: isRefused ? null : grader, unasked: problems[0]?.message ?? null },
    problems,
  };
}
