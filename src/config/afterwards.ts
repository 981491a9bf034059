import type { Project } from '../project/settings.ts';

/**
 * Adds the `afterwards` commands (checks after an agent's run) of each side to the other side,
 * because head's new metrics also judge base.
 */
export function withAfterwards(
  base: Project | null,
  head: Project,
): { base: Project | null; head: Project } {
  return base === null ? { base, head } : { base: shared(base, head), head: shared(head, base) };
}

function shared(project: Project, other: Project): Project {
  const { suites, settings } = project;
  const added = suites.flatMap(({ prompt }) => {
    const twin = other.suites.find(
      ({ prompt: { file, name } }) => file === prompt.file && name === prompt.name,
    );
    const theirs = other.settings.models.get(twin?.prompt.model ?? '')?.calls;
    const entry = settings.models.get(prompt.model ?? '');
    if (entry?.calls === undefined || theirs === undefined) return [];
    const afterwards = new Set([...entry.calls.afterwards, ...theirs.afterwards]);
    const calls = { ...entry.calls, afterwards: [...afterwards].sort() };
    return [[prompt.model ?? '', { ...entry, calls }] as const];
  });
  if (added.length === 0) return project;
  return { ...project, settings: { ...settings, models: new Map([...settings.models, ...added]) } };
}
