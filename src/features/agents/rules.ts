import picomatch from 'picomatch';
import type { WorkspaceRules } from './spec.ts';

type PlaceRules = Pick<WorkspaceRules, 'from' | 'with' | 'hide'>;

/** Where files of the tree are in the workspace: path in the workspace → path in the tree. */
export function placeFiles(
  paths: Iterable<string>,
  { from, with: added, hide }: PlaceRules,
): Map<string, string> {
  const [isAdded, isHidden] = [matcherOf(added), matcherOf(hide)];
  const placed = new Map<string, string>();
  const laidOnTop: string[] = [];
  for (const path of paths) {
    if (isHidden(path)) continue;
    if (from === '') placed.set(path, path);
    else if (path.startsWith(`${from}/`)) placed.set(path.slice(from.length + 1), path);
    if (isAdded(path)) laidOnTop.push(path);
  }
  for (const path of laidOnTop) placed.set(path, path);
  return placed;
}

/** A pattern without wildcards names a file, or a folder with all that is in it. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  return patterns.length === 0
    ? () => false
    : picomatch(patterns.flatMap(withFolder), { dot: true, noextglob: true, nonegate: true });
}

/** Patterns for `files` of a program: all that may be in the workspace. */
export function filePatterns({ from, with: added, hide }: PlaceRules): string[] {
  return [
    from === '' ? '**' : `${from}/**`,
    ...added.flatMap(withFolder),
    ...hide.flatMap(withFolder).map((pattern) => `!${pattern}`),
  ];
}

function withFolder(pattern: string): string[] {
  return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}/**`];
}
