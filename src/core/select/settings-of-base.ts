import type { SourceTree } from '../../types.ts';

/**
 * Head's files with base's in the place of `paths`, for a pull request whose settings are not to be
 * used: they are then not even read. `unused` are those of the paths that head adds, changes or
 * removes.
 */
export function withFilesOf(
  base: SourceTree | null,
  head: SourceTree,
  paths: readonly string[],
): { tree: SourceTree; unused: string[] } {
  const chosen = new Set(paths);
  const own = <T>(entries: ReadonlyMap<string, T>): [string, T][] =>
    [...entries].filter(([path]) => !chosen.has(path));
  const bases = <T>(entries: ReadonlyMap<string, T> | undefined): [string, T][] =>
    [...(entries ?? [])].filter(([path]) => chosen.has(path));
  const tree: SourceTree = {
    commit: head.commit,
    files: new Map([...own(head.files), ...bases(base?.files)]),
    irregular: new Map([...own(head.irregular), ...bases(base?.irregular)]),
    read: (path) => (base !== null && chosen.has(path) ? base.read(path) : head.read(path)),
  };
  const kindOf = (side: SourceTree | null, path: string): string | undefined =>
    side?.files.get(path)?.id ?? side?.irregular.get(path);
  return { tree, unused: [...chosen].filter((path) => kindOf(base, path) !== kindOf(head, path)) };
}
