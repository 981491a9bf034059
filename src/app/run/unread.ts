import picomatch from 'picomatch';
import { evaluatedFiles, filesNamedIn, programFiles } from '../../config/programs.ts';
import { compileGlob, folderOf, isBelow } from '../../documents/paths.ts';
import type { Project } from '../../project/settings.ts';
import { firstWords } from '../../text/amounts.ts';
import { AGENT_PROGRAM } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';

interface ProjectAndTree {
  project: Pick<Project, 'settings'>;
  tree: SourceTree;
}

/**
 * Finds changed files that evaldiff does not read, although they may matter. `reasons`: the changed
 * files that affect suites.
 */
export function unreadChanges(
  sides: readonly ProjectAndTree[],
  changed: readonly string[],
  reasons: ReadonlySet<string>,
): Notice[] {
  const left = changed.filter((path) => !reasons.has(path));
  const found = sides.flatMap((side) => [
    ...irregularChanges(side, left),
    ...besidePrograms(side, sides, left),
  ]);
  return [...new Set(found)].map((words) => ({
    kind: 'not-comparable',
    place: null,
    message: `${words}; this change was not judged`,
  }));
}

function irregularChanges(
  { project: { settings }, tree }: ProjectAndTree,
  changed: readonly string[],
) {
  const commands = [...settings.models.values()].filter(({ command }) => command.length > 0);
  const programs = Map.groupBy(commands, ({ command }) => command[0] === AGENT_PROGRAM);
  const reaching = (agents: boolean): ((path: string) => boolean)[] =>
    (programs.get(agents) ?? []).flatMap(({ files }) => files).map(folderMatcher);
  const others = [...settings.prompts, ...settings.rubrics].map(folderMatcher);
  // Links in a coding agent's workspace are read, so they need no notice.
  const ofLinks = [...others, ...reaching(false)];
  const patterns = { 'symbolic link': ofLinks, submodule: [...ofLinks, ...reaching(true)] };
  return changed.flatMap((path) => {
    const kind = tree.irregular.get(path);
    return kind !== undefined && patterns[kind].some((reaches) => reaches(path))
      ? [`${path} is a ${kind} and changed, but evaldiff reads only regular files`]
      : [];
  });
}

function folderMatcher(pattern: string): (path: string) => boolean {
  if (/\{[^}]*\//.test(pattern)) {
    const { root } = compileGlob(pattern);
    return (path) => isBelow(path, root) || isBelow(root, path);
  }
  const parts = pattern.split('/');
  const starts = parts.map((_, at) => picomatch(parts.slice(0, at + 1).join('/'), { dot: true }));
  return (path) => starts.some((matches) => matches(path));
}

function besidePrograms(
  side: ProjectAndTree,
  sides: readonly ProjectAndTree[],
  changed: readonly string[],
): string[] {
  const { settings } = side.project;
  return [...settings.models].flatMap(([name, model]) => {
    if (model.command.length === 0) return [];
    const own = filesNamedIn(model.command, side.tree);
    const read = sides.flatMap(({ tree }) => [
      ...programFiles(model, { settings, tree, hash: String }).ids.keys(),
    ]);
    const known = new Set(read);
    const evaluated = evaluatedFiles(settings, own);
    const left = changed.filter(
      (path) => !known.has(path) && !evaluated(path) && own.some((word) => isBeside(path, word)),
    );
    return left.length === 0
      ? []
      : [
          `${firstWords(left, 3)} changed next to the program "${name}", but its files do not ` +
            `include this path (models: { ${name}: { files: [...] } })`,
        ];
  });
}

function isBeside(path: string, word: string): boolean {
  const folder = folderOf(word);
  const ending = (of: string): string => /\.\w+$/.exec(of)?.[0] ?? '/';
  return folder === '' ? path.endsWith(ending(word)) : isBelow(path, folder);
}
