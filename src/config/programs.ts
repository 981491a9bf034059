import picomatch from 'picomatch';
import { compileGlob, folderOf } from '../documents/paths.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { ModelSettings, Settings } from '../project/settings.ts';
import { AGENT_PROGRAM } from '../types/model.ts';
import type { SourceTree } from '../types/repository.ts';

/**
 * Without `files`, a program's files are all files in or below the folders of its command's files,
 * except prompts and rubrics.
 */
export function programFiles(
  { command, setup, files }: ModelSettings,
  {
    settings,
    tree,
    hash,
  }: {
    settings: Pick<Settings, 'file' | 'prompts' | 'rubrics'>;
    tree: SourceTree;
    hash: (text: string) => string;
  },
): { files: string; ids: ReadonlyMap<string, string> } {
  const own = filesNamedIn(command, tree);
  const named = new Set([...own, ...filesNamedIn(setup, tree)]);
  const folders = own.map(folderOf).filter((folder) => folder !== '');
  const evaluated = evaluatedFiles(settings, own);
  const matches =
    files.length > 0
      ? picomatch(
          files.filter((pattern) => !isNegative(pattern)),
          {
            dot: true,
            ignore: files.filter(isNegative).map((pattern) => pattern.slice(1)),
          },
        )
      : (path: string) =>
          folders.some((folder) => path.startsWith(`${folder}/`)) && !evaluated(path);
  const ids = contentIds(tree, command[0] === AGENT_PROGRAM)
    .filter(([path]) => named.has(path) || matches(path))
    .sort();
  return { files: filesHash(ids, hash), ids: new Map(ids) };
}

function contentIds(
  { files, links = new Map() }: SourceTree,
  isWorkspace: boolean,
): (readonly [string, string])[] {
  if (!isWorkspace) return [...files].map(([path, { id }]) => [path, id]);
  const own = [...files].map(([path, { id, executable }]) => [
    path,
    executable === true ? `${id} executable` : id,
  ]) as [string, string][];
  return [...own, ...[...links].map(([path, id]) => [path, `${id} link`] as const)];
}

/** True for `!docs/**`, but not for the extended glob `!(docs)/**`. */
function isNegative(pattern: string): boolean {
  return pattern.startsWith('!') && !pattern.startsWith('!(');
}

export function filesNamedIn(words: readonly string[], { files }: SourceTree): string[] {
  return words.map((word) => word.replace(/^\.\//, '')).filter((word) => files.has(word));
}

/** Files that evaldiff reads, even if they are in a program's folder. */
export function evaluatedFiles(
  { file, prompts, rubrics }: Pick<Settings, 'file' | 'prompts' | 'rubrics'>,
  own: readonly string[],
): (path: string) => boolean {
  const globs = [...prompts, ...rubrics].map(compileGlob);
  const folders = globs
    .map(({ root }) => root)
    .filter((root) => root !== '' && !own.some((path) => path.startsWith(`${root}/`)));
  return (path) =>
    path === file ||
    globs.some(({ matches }) => matches(path)) ||
    folders.some((folder) => path.startsWith(`${folder}/`));
}

export function filesHash(
  ids: readonly (readonly string[])[],
  hash: (text: string) => string,
): string {
  return hash(canonicalJson(ids.map((id) => [...id])));
}
