import picomatch from 'picomatch';
import { folderOf } from '../documents/paths.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { ModelSettings } from '../suite/suite.ts';
import type { Target } from '../types/model.ts';
import type { SourceTree } from '../types/repository.ts';

/**
 * The program's files at this commit by path, with the ids of their contents, and the hash over
 * them: `files` globs, or else the words of the command
 * that are files, with all that lies in their folders and below; at the root they alone.
 */
export function programFiles(
  { command, files }: ModelSettings,
  { tree, hash }: { tree: SourceTree; hash: (text: string) => string },
): { files: string; ids: ReadonlyMap<string, string> } {
  const own = command
    .map((word) => word.replace(/^\.\//, ''))
    .filter((word) => tree.files.has(word));
  const folders = own.map(folderOf).filter((folder) => folder !== '');
  const matches =
    files.length > 0
      ? picomatch(files, { dot: true })
      : (path: string) =>
          own.includes(path) || folders.some((folder) => path.startsWith(`${folder}/`));
  const ids = [...tree.files]
    .filter(([path]) => matches(path))
    .map(([path, { id }]) => [path, id] as const)
    .sort();
  return { files: hashOf(ids, hash), ids: new Map(ids) };
}

/**
 * The file in which what answers differs between two sides, though its settings do not: the one file
 * of a program that changed, or recordings. Null: the settings, or several files.
 */
export function changedSource(base: Target, head: Target): string | null {
  if (base.provider === 'replay' && head.provider === 'replay')
    return base.file === head.file ? head.file : null;
  if (base.provider !== 'program' || head.provider !== 'program') return null;
  const isSame =
    canonicalJson([base.command, base.setup]) === canonicalJson([head.command, head.setup]);
  const [before, after] = [
    base.ids ?? new Map<string, string>(),
    head.ids ?? new Map<string, string>(),
  ];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const [only] = changed;
  return isSame && changed.length === 1 && only !== undefined && after.has(only) ? only : null;
}

/** What files, each a path and its content's id, are known by. */
export function hashOf(
  ids: readonly (readonly string[])[],
  hash: (text: string) => string,
): string {
  return hash(canonicalJson(ids.map((one) => [...one])));
}
