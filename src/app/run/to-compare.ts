import type { readProject } from '../../config/project.ts';
import type { Project } from '../../project/settings.ts';
import { mergeProjects } from '../../trust/merge.ts';
import type { Notice } from '../../types/plain.ts';

type ReadProject = Awaited<ReturnType<typeof readProject>>;

export function toCompare(
  base: ReadProject | null,
  tip: ReadProject | null,
  head: Project,
): { base: Project | null; head: Project; notices: Notice[] } {
  const notices = [
    ...unreadBase('Base', 'head was not compared', base),
    ...unreadBase("The base branch's tip", 'its tests and gate were not used', tip),
  ];
  if (base === null || base.problems.length > 0) return { base: null, head, notices };
  return notices.length > 0 || tip === null
    ? { base: base.project, head, notices }
    : mergeProjects(base.project, tip.project, head);
}

function unreadBase(what: string, so: string, read: ReadProject | null): Notice[] {
  return (read?.problems ?? []).slice(0, 1).map(({ place, message }) => ({
    kind: 'not-comparable',
    place,
    message: `${what} cannot be read, so ${so}: ${message}`,
  }));
}
