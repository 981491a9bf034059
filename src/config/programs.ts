import picomatch from 'picomatch';
import { compileGlob, folderOf } from '../documents/paths.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { ModelSettings, Settings } from '../project/settings.ts';
import { AGENT_PROGRAM } from '../types/model.ts';
import type { SourceTree } from '../types/repository.ts';

/**
 * A program's files at this commit by path, with content ids and a hash over them. Includes the
 * files that `command` and `setup` name, and all matches of `files`. If `files` is absent, includes
 * all files in the folders of the command's files and below, except prompts and rubrics.
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

/** A workspace also has the tree's symbolic links and executable bits. */
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

/**
 * Whether a file is a prompt, a rubric, the settings, or in a folder that has prompts or rubrics
 * but no program. Such a file does not belong to a program in the same folder, so an edit does not
 * run all suites of the program.
 */
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
