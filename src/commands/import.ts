import { existsSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { Option, type Command } from 'commander';
import type { Imported } from '../config/imports/draft.ts';
import {
  IMPORT_FORMATS,
  convertImport,
  formatOf,
  readImport,
  settingsFile,
  type ImportFormat,
} from '../config/imports/index.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import { distinct } from '../documents/document.ts';
import { filesOf } from '../documents/files.ts';
import { DEFAULT_LIMITS } from '../documents/limits.ts';
import { UserError, formatProblem, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { metrics } from '../metrics/index.ts';
import { groundOf, type Ground } from '../session/safe-writing.ts';
import { counted } from '../text/amounts.ts';
import { logLine } from '../text/log.ts';
import type { Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { writeNewFiles } from './new-files.ts';
import { inRepository } from './project.ts';
import type { Terminal } from './terminal.ts';

interface ImportOptions {
  directory: string;
  out?: string;
  from?: ImportFormat;
}

export function importCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  program
    .command('import')
    .description(
      "converts another tool's file to prompt and test files, and lists what has no counterpart",
    )
    .argument(
      '<file>',
      "promptfooconfig.yaml, a *.prompt.yml, evals/evals.json beside a SKILL.md, or FlexEval's YAML",
    )
    .option('-C, --directory <folder>', 'root of the project that the file belongs to', '.')
    .option(
      '-o, --out <folder>',
      'where prompts/ and prompts/tests/ are written; default: the project',
    )
    .addOption(
      new Option('--from <format>', 'the format, for a file of another name').choices(
        IMPORT_FORMATS,
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff import promptfooconfig.yaml\n  evaldiff import .github/prompts/summary.prompt.yml --out converted',
    )
    .action(async (file: string, options: ImportOptions) => {
      await convert(file, options, terminal);
      done(0);
    });
}

/** Converts a file, writes what came of it, and says what did not. */
async function convert(file: string, options: ImportOptions, terminal: Terminal): Promise<void> {
  const here = resolve(terminal.cwd);
  const root = resolve(here, options.directory);
  const { imported, ground } = await read(file, root, options, terminal);
  const { files, settings, needs } = convertImport(
    imported,
    pathIn(root, resolve(here, file)) ?? file,
  );
  const folder = options.out === undefined ? root : resolve(here, options.out);
  const shown = pathIn(here, folder) ?? folder;
  const known = hasSettings(folder);
  const left = distinct(imported.left);
  for (const notice of left) terminal.err(`note: ${logLine(formatProblem(notice))}\n`);
  if (!known && Object.keys(settings).length > 0) files.set(SETTINGS_FILE, settingsFile(settings));
  if (files.size === 0)
    throw new UserError([problem({ file, line: 0 }, 'nothing of it can be carried over')]);
  await writeNewFiles(folder, files, ground);
  terminal.out([...files.keys()].map((path) => `wrote ${posix.join(shown, path)}\n`).join(''));
  for (const path of missingFrom(folder, needs))
    terminal.err(
      `note: ${logLine(path)} is read by the new files and was not copied: put it below ${logLine(shown)} as well\n`,
    );
  if (known && Object.keys(settings).length > 0)
    terminal.out(
      `\nAdd to ${SETTINGS_FILE}, where it is not there yet:\n\n${settingsFile(settings).split('\n').slice(1).join('\n')}`,
    );
  terminal.out(
    `\n${counted(imported.prompts.length, 'prompt')}; ${counted(left.length, 'part')} not carried over. Check with: evaldiff validate\n`,
  );
}

async function read(
  file: string,
  root: string,
  { from }: ImportOptions,
  terminal: Terminal,
): Promise<{ imported: Imported; ground: Ground }> {
  const path = pathIn(root, resolve(terminal.cwd, file));
  if (path === null)
    throw new UserError([
      problem({ file, line: 0 }, 'lies outside of the project; name the project with --directory'),
    ]);
  return withTree(root, terminal, async (tree, repository) => {
    const problems: Problem[] = [];
    const files = filesOf(tree, DEFAULT_LIMITS);
    if (!tree.files.has(path))
      throw new UserError([problem({ file, line: 0 }, 'does not exist, or git ignores it')]);
    const format = from ?? (await formatOf(path, files));
    const absence = files.absence(path);
    if (absence !== null) throw new UserError([problem({ file: path, line: 0 }, absence)]);
    if (format === null)
      throw new UserError([
        problem(
          { file, line: 0 },
          `has no name and no content that tells its format; say it with --from ${IMPORT_FORMATS.slice(0, -1).join(', ')} or ${IMPORT_FORMATS.at(-1) ?? ''}`,
        ),
      ]);
    const imported = await readImport(
      path,
      format,
      { files, limits: DEFAULT_LIMITS, builtIns: metrics },
      problems,
    );
    if (imported === null || problems.length > 0) throw new UserError(problems);
    return { imported, ground: groundOf(repository) };
  });
}

/** Hands the project's files as they are on disk to `work`. */
export function withTree<T>(
  directory: string,
  terminal: Terminal,
  work: (tree: SourceTree, repository: Repository) => Promise<T>,
): Promise<T> {
  return inRepository(directory, terminal, async (repository) =>
    work(await repository.worktree('.'), repository),
  );
}

/** A path below the folder, POSIX; null outside of it. */
function pathIn(folder: string, path: string): string | null {
  const found = relative(folder, path).split(sep).join('/');
  return found === '..' || found.startsWith('../') ? null : found;
}

function missingFrom(folder: string, paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !existsSync(join(folder, path)));
}

function hasSettings(folder: string): boolean {
  return [SETTINGS_FILE, LLMEVAL_FILE].some((name) => existsSync(join(folder, name)));
}
