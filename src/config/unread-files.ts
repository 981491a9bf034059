import { compileGlob, globProblem, isBelow } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { Settings } from '../suite/suite.ts';
import { counted } from '../text/amounts.ts';
import type { Notice, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { SETTINGS_FILE } from './settings.ts';

/** What people write in place of the settings file's name. */
const MISNAMED = 'evaldiff.yml';

/** Files named one by one; the others are counted. */
const NAMED = 10;

/**
 * What lies in the project's places and is not read, though somebody wrote it to be. `read`: the
 * paths that were read under these settings.
 */
export function checkUnread(
  tree: SourceTree,
  read: ReadonlySet<string>,
  settings: Settings,
  problems: Problem[],
  notices: Notice[],
): void {
  problems.push(...misnamedSettings(tree, settings.file));
  notices.push(...unreadFiles(tree, read, settings));
}

/** Settings that nobody reads because of their file's name; `file`: the one that is read. */
function misnamedSettings({ files }: SourceTree, file: string | null): Problem[] {
  if (!files.has(MISNAMED) || file === MISNAMED) return [];
  const remedy =
    file === null
      ? `rename it to ${SETTINGS_FILE}`
      : `move what it says into ${file}, and delete it`;
  return [problem({ file: MISNAMED, line: 0 }, `is not read; ${remedy}`)];
}

/**
 * YAML files that lie where prompts, tests and rubrics do, and that nothing takes: no pattern of
 * the settings, and no `defaults` of a prompt.
 */
function unreadFiles(
  { files }: SourceTree,
  read: ReadonlySet<string>,
  { prompts, rubrics, qualeval, file }: Settings,
): Notice[] {
  const folders = [...prompts, ...rubrics]
    .filter((pattern) => globProblem(pattern) === null)
    .map(compileGlob)
    .filter(({ exact, root }) => !exact && root !== '')
    .map(({ root }) => root);
  const unread = [...files.keys()]
    .filter((path) => /\.ya?ml$/.test(path) && !/(?:^|\/)[._]/.test(path))
    .filter((path) => folders.some((folder) => isBelow(path, folder)))
    .filter((path) => !read.has(path) && path !== qualeval.attributes && path !== file)
    .sort();
  const rest = unread.length - NAMED;
  return unread.slice(0, NAMED).map((path, index) => ({
    kind: 'unused',
    place: { file: path, line: 0 },
    message:
      `is not read: no pattern of prompts or rubrics takes it, and no prompt names it in its defaults` +
      (index === NAMED - 1 && rest > 0
        ? `; the same holds for ${counted(rest, 'further file')}`
        : ''),
  }));
}
