import { SETTINGS_FILE } from '../config/file-names.ts';
import type { Asker } from '../kernel/plan/feature-plan.ts';
import type { PrepareInput } from '../kernel/plan/prepared.ts';
import { gradersOf, type ProjectSide } from '../kernel/select/targets.ts';
import type { Problem } from '../types/plain.ts';

/**
 * The settings' grader as a feature asks it, the first one alone: several graders vote on grades
 * only. Null: the settings name none. `problems`: why a named one cannot be asked.
 */
export function askerOf(
  { project, context }: ProjectSide,
  code: PrepareInput['code'],
): { asker: Asker; problems: Problem[] } | null {
  const { grader: named, file } = project.settings;
  if (named === null) return null;
  const problems: Problem[] = [];
  // Asked directly in sweeps too: a few questions in several steps, each of which would be a batch
  // of its own.
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
      message: `the grader "${grader.target.model}" is a program of this repository. It runs only with code: host (input code, or --code host).`,
    });
  return {
    asker: { grader: isRefused ? null : grader, unasked: problems[0]?.message ?? null },
    problems,
  };
}
