import picomatch from 'picomatch';
import { folderOf } from '../documents/paths.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { ModelSettings } from '../suite/suite.ts';
import type { SourceTree } from '../types/repository.ts';

/**
 * Hash over the program's files at this commit: `files` globs, or else the words of the command
 * that are files, with all that lies in their folders and below; at the root they alone.
 */
export function programFiles(
  { command, files }: ModelSettings,
  { tree, hash }: { tree: SourceTree; hash: (text: string) => string },
): string {
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
    .map(([path, { id }]) => [path, id])
    .sort();
  return hashOf(ids, hash);
}

/** What files, each a path and its content's id, are known by. */
export function hashOf(ids: readonly string[][], hash: (text: string) => string): string {
  return hash(canonicalJson(ids.map((one) => [...one])));
}
