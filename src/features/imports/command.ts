import { existsSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { writeNewFiles } from '../../app/commands/files.ts';
import { directoryOption } from '../../app/commands/options.ts';
import { withTree } from '../../app/commands/project.ts';
import { originOf, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import { schemaLine } from '../../app/session/origin.ts';
import { workTreeOf, type WorkTree } from '../../app/session/safe-writing.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/file-names.ts';
import { detectFormat, unreadMessage } from '../../config/formats.ts';
import { readOverrides } from '../../config/overrides.ts';
import { loadSettings } from '../../config/read-settings.ts';
import { hostSettings } from '../../config/read-suites.ts';
import { deduplicate } from '../../documents/document.ts';
import { createFiles, type Files } from '../../documents/files.ts';
import { userError, UserError, formatProblem } from '../../errors.ts';
import { metrics } from '../../metrics/index.ts';
import { counted } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import type { Problem } from '../../types/plain.ts';
import { carriedLine, lossLine, lossesByReason } from './carried.ts';
import { failBrokenChecks, reportFailingChecks } from './check-import.ts';
import { convertImport, settingsOf, yaml } from './convert.ts';
import { IMPORT_FORMATS, READ_FORMATS, type ImportFormat } from './formats.ts';
import type { Imported } from './shared/draft.ts';
import { verifyImport } from './verify.ts';

interface ImportOptions {
  directory: string;
  from?: ImportFormat;
  verify?: string;
}

export const importCommand: AddCommand = (program, terminal, done) => {
  program
    .command('import')
    .description(
      "convert another tool's file to prompt and test files, and list what cannot be converted",
    )
    .argument(
      '<file>',
      "promptfooconfig.yaml, a *.prompt.yml, evals/evals.json beside a SKILL.md, or FlexEval's YAML",
    )
    .option('-C, --directory <folder>', 'root of the project that the file belongs to', '.')
    .addOption(
      new Option('--from <format>', 'the format, if the name of the file does not show it').choices(
        Object.keys(READ_FORMATS),
      ),
    )
    .option(
      '--verify <results>',
      'a promptfoo results file (promptfoo eval -o results.json): score its answers with ' +
        'the imported tests and list differing verdicts; write nothing',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff import promptfooconfig.yaml\n' +
        '  evaldiff import .github/prompts/summary.prompt.yml\n' +
        '  evaldiff import promptfooconfig.yaml --verify results.json',
    )
    .action(async (file: string, options: ImportOptions) => {
      const { verify } = options;
      done(
        verify === undefined
          ? await convert(file, options, terminal)
          : await verifyFile(file, verify, options, terminal),
      );
    });
};

/** @returns 0 if everything was converted, else 1 */
async function convert(file: string, options: ImportOptions, terminal: Terminal): Promise<number> {
  const here = resolve(terminal.cwd);
  const root = resolve(here, options.directory);
  const { imported, workTree } = await withImported(file, root, options, terminal, (read) =>
    Promise.resolve(read),
  );
  await failBrokenChecks(imported, terminal);
  if (imported.prompts.length === 0) {
    printLosses(imported, terminal);
    throw userError(file, `nothing can be converted: ${carriedLine(imported)}`);
  }
  const origin = originOf(terminal);
  const files = convertImport(imported, pathWithin(root, resolve(here, file)) ?? file, origin);
  const settings = settingsOf(imported);
  const hasSettings = Object.keys(settings).length > 0;
  const known = [SETTINGS_FILE, LLMEVAL_FILE].some((name) => existsSync(join(root, name)));
  if (!known && hasSettings)
    files.set(SETTINGS_FILE, schemaLine('settings', origin) + yaml(settings));
  await writeNewFiles(root, files, workTree);
  await reportFailingChecks(root, files, imported, terminal);
  printLosses(imported, terminal);
  const shown = pathWithin(here, root) ?? root;
  terminal.out([...files.keys()].map((path) => `wrote ${posix.join(shown, path)}\n`).join(''));
  if (known && hasSettings)
    terminal.out(`\nAdd to ${SETTINGS_FILE}, unless it is already there:\n\n` + yaml(settings));
  return end(imported, shown, terminal);
}

async function verifyFile(
  file: string,
  results: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  const root = resolve(terminal.cwd, options.directory);
  return withImported(file, root, options, terminal, ({ path, imported, files }) =>
    verifyImport(
      { path: resolve(terminal.cwd, results), file: results },
      { file: path, imported, files },
      terminal,
    ),
  );
}

function printLosses({ left, remarks }: Imported, terminal: Terminal): void {
  for (const group of lossesByReason(left)) terminal.err(`lost: ${logLine(lossLine(group))}\n`);
  for (const notice of deduplicate(remarks))
    terminal.err(`note: ${logLine(formatProblem(notice))}\n`);
}

function end(imported: Imported, folder: string, terminal: Terminal): number {
  const untested = imported.prompts.filter(({ tests }) => tests === null).length;
  if (untested > 0)
    terminal.err(
      `lost: ${counted(untested, 'prompt')} without tests: nothing runs until you ` +
        'write some\n',
    );
  terminal.out(
    `\n${counted(imported.prompts.length, 'prompt file')}: ${carriedLine(imported)}. Check ` +
      `with: npx evaldiff validate${directoryOption(folder)}\n`,
  );
  return imported.left.length + untested === 0 ? 0 : 1;
}

interface ReadFile {
  path: string;
  imported: Imported;
  files: Files;
  workTree: WorkTree;
}

async function withImported<T>(
  file: string,
  root: string,
  { from, verify }: ImportOptions,
  terminal: Terminal,
  work: (read: ReadFile) => Promise<T>,
): Promise<T> {
  const path = pathWithin(root, resolve(terminal.cwd, file));
  if (path === null)
    throw userError(file, 'is outside the project; set the project with --directory');
  return withTree(root, terminal, async (tree, repository) => {
    const problems: Problem[] = [];
    const files = createFiles(tree);
    if (!tree.files.has(path)) throw userError(file, 'does not exist or is ignored by git');
    const format =
      from === undefined ? await detectFormat(path, files, IMPORT_FORMATS) : READ_FORMATS[from];
    const absence = files.absence(path);
    if (absence !== null) throw userError(path, absence);
    if (format === null) {
      const names = Object.keys(READ_FORMATS);
      throw userError(
        file,
        'has an unknown format; set it with --from ' +
          `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`,
      );
    }
    if ('instead' in format) throw userError(file, unreadMessage(format));
    const { settings } = await loadSettings(
      files,
      {
        config: SETTINGS_FILE,
        configRequired: false,
        overrides: readOverrides([], []).overrides,
        own: [],
      },
      [],
    );
    const document = await files.document(path, problems);
    const tools = {
      files,
      builtIns: metrics,
      hasGrader: settings.grader !== null,
      settings,
      // Verification needs no prompt files, because it fills in the original file's templates for
      // each test.
      code: verify === undefined ? ('written' as const) : ('refused' as const),
      host: hostSettings(settings),
    };
    const read = document && (await format.read(document, tools, problems));
    if (read === null || problems.length > 0) throw new UserError(problems);
    return work({ path, imported: read.imported, files, workTree: workTreeOf(repository) });
  });
}

function pathWithin(folder: string, path: string): string | null {
  const found = relative(folder, path).split(sep).join('/');
  return found === '..' || found.startsWith('../') ? null : found;
}
