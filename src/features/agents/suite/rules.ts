import { posix } from 'node:path';
import picomatch from 'picomatch';
import { isBelow } from '../../../documents/paths.ts';
import type { WorkspaceRules } from './spec.ts';

export type PlaceRules = Pick<WorkspaceRules, 'from' | 'with' | 'hide'> &
  Partial<Pick<WorkspaceRules, 'own' | 'skills'>>;

/** Maps paths in the workspace to paths in the repository. */
export function placeFiles(
  paths: Iterable<string>,
  { from, with: added, hide, own = [], skills = {} }: PlaceRules,
): Map<string, string> {
  const isAdded = matcherOf(added);
  const isHidden = matcherOf([...hide, ...own]);
  const visible = [...paths].filter((path) => !isHidden(path));
  const below = (folder: string, at: string): [string, string][] =>
    visible.flatMap((path) =>
      isBelow(path, folder) ? [[`${at}${path.slice(startOf(folder))}`, path]] : [],
    );
  return new Map([
    ...below(from, ''),
    ...visible.filter(isAdded).map((path) => [path, path] as const),
    ...Object.entries(skills).flatMap(([at, folder]) => below(folder, `${at}/`)),
  ]);
}

/**
 * Whether checks ignore the agent's change to a workspace path. They ignore it if the agent does
 * not see (`seen`) the file that checks have there (`whole`), or if `hide` matches a new file.
 */
export function suiteFileMatcher(
  { from, with: added, hide, own = [], skills = {} }: PlaceRules,
  { seen, whole }: Record<'seen' | 'whole', ReadonlyMap<string, { body: Uint8Array }>>,
): (path: string) => boolean {
  const isAdded = matcherOf(added);
  const isHidden = matcherOf([...hide, ...own]);
  /** The same order as in `placeFiles`. */
  const sourceOf = (path: string) => {
    const skill = Object.entries(skills).findLast(([at]) => isBelow(path, at));
    if (skill !== undefined) return posix.join(skill[1], path.slice(startOf(skill[0])));
    return isAdded(path) ? path : posix.join(from, path);
  };
  return (path) => {
    const shown = seen.get(path);
    const placed = whole.get(path);
    if (placed === undefined) return isHidden(sourceOf(path));
    return shown === undefined || Buffer.compare(shown.body, placed.body) !== 0;
  };
}

const startOf = (folder: string): number => (folder === '' ? 0 : folder.length + 1);

/** Patterns of folders match everything in them, including dot files. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  const options = { dot: true, noextglob: true, nonegate: true, windows: false };
  return picomatch(patterns.flatMap(withFolder), options);
}

export function filePatterns({ from, with: added, own, skills = {} }: WorkspaceRules): string[] {
  return [
    ...[from, ...Object.values(skills)].map((folder) =>
      folder === '' ? '**' : `${literalPattern(folder)}/**`,
    ),
    ...added.flatMap(withFolder),
    ...own.flatMap(withFolder).map((pattern) => `!${pattern}`),
  ];
}

export function literalPattern(path: string): string {
  return path.replace(/[\\()[\]{}*?!+@|]/g, '\\$&');
}

function withFolder(written: string): string[] {
  const pattern = written.replace(/^\.\//, '').replace(/\/+$/, '');
  return [pattern, `${pattern}/**`];
}
