import picomatch from 'picomatch';
import type { WorkspaceRules } from './spec.ts';

type PlaceRules = Pick<WorkspaceRules, 'from' | 'with' | 'hide'> &
  Partial<Pick<WorkspaceRules, 'own'>>;

/** Where files of the tree are in the workspace: path in the workspace → path in the tree. */
export function placeFiles(
  paths: Iterable<string>,
  { from, with: added, hide, own = [] }: PlaceRules,
): Map<string, string> {
  const [isAdded, isHidden] = [matcherOf(added), matcherOf([...hide, ...own])];
  const visible = [...paths].filter((path) => !isHidden(path));
  const inside = visible.flatMap((path): [string, string][] => {
    if (from === '') return [[path, path]];
    return path.startsWith(`${from}/`) ? [[path.slice(from.length + 1), path]] : [];
  });
  return new Map([...inside, ...visible.filter(isAdded).map((path) => [path, path] as const)]);
}

/** A pattern that matches a folder matches all that is in it, dot files included. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  const options = { dot: true, noextglob: true, nonegate: true, windows: false };
  return picomatch(patterns.flatMap(withFolder), options);
}

/** Patterns for `files` of a program: all that a run, or a check after it, may read. */
export function filePatterns(
  { from, with: added, hide, own }: WorkspaceRules,
  hasChecks: boolean,
): string[] {
  const excluded = hasChecks ? own : [...hide, ...own];
  return [
    from === '' ? '**' : `${from}/**`,
    ...added.flatMap(withFolder),
    ...excluded.flatMap(withFolder).map((pattern) => `!${pattern}`),
  ];
}

function withFolder(written: string): string[] {
  const pattern = written.replace(/^\.\//, '').replace(/\/+$/, '');
  return [pattern, `${pattern}/**`];
}
