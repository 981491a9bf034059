import { existsSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import { writeNewFiles } from '../../app/commands/files.ts';
import { directoryOption } from '../../app/commands/options.ts';
import { validateFolder } from '../../app/commands/plain.ts';
import { withTree } from '../../app/commands/project.ts';
import { originOf, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import { schemaLine, type CopyOrigin } from '../../app/session/origin.ts';
import { workTreeOf, type WorkTree } from '../../app/session/safe-writing.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/file-names.ts';
import { detectFormat, formatByPath, unreadMessage } from '../../config/formats.ts';
import { readOverrides } from '../../config/overrides.ts';
import { loadSettings } from '../../config/read-settings.ts';
import { hostSettings } from '../../config/read-suites.ts';
import { deduplicate } from '../../documents/document.ts';
import { createFiles, type Files } from '../../documents/files.ts';
import { userError, UserError, formatProblem } from '../../errors.ts';
import { metrics } from '../../metrics/index.ts';
import { counted } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import type { Json, JsonMap, Problem } from '../../types/plain.ts';
import { carriedLine, lossLine, lossesByReason } from './carried.ts';
import { IMPORT_FORMATS } from './formats.ts';
import { importRows } from './rows.ts';
import type { DraftFile, Imported } from './shared/draft.ts';
import { lose } from './shared/node.ts';
import { addTraces } from './traces/command.ts';
import { verifyImport } from './verify.ts';

interface ImportOptions {
  directory: string;
  verify?: string;
}

export const importCommand: AddCommand = (program, terminal, done) => {
  const imports = program.command('import');
  imports
    .description("convert another tool's file to prompt and test files")
    .argument(
      '<file>',
      "promptfooconfig.yaml, a *.prompt.yml, evals/evals.json beside a SKILL.md, FlexEval's YAML, " +
        'or rows (.jsonl, .json, .csv, .tsv) of OpenAI Evals and other tools',
    )
    .option('-C, --directory <folder>', 'root of the project that the file belongs to', '.')
    .option(
      '--verify <results>',
      'a promptfoo results file (promptfoo eval -o results.json): score its answers with ' +
        'the imported tests and list differing verdicts; write nothing',
    )
    .addHelpText('after', '\nExample: evaldiff import promptfooconfig.yaml')
    .action(async (file: string, options: ImportOptions) => {
      const { verify } = options;
      done(
        verify === undefined
          ? await convert(file, options, terminal)
          : await verifyFile(file, verify, options, terminal),
      );
    });
  addTraces(imports, terminal, done);
};

/** @returns 0 if everything was converted, else 1 */
async function convert(file: string, options: ImportOptions, terminal: Terminal): Promise<number> {
  const here = resolve(terminal.cwd);
  const root = resolve(here, options.directory);
  const { imported, workTree } = await withImported(file, root, options, terminal, (read) =>
    Promise.resolve(read),
  );
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
    files.set(SETTINGS_FILE, schemaLine('settings', origin) + yamlText(settings));
  await writeNewFiles(root, files, workTree);
  await reportFailingChecks(root, files, imported, terminal);
  printLosses(imported, terminal);
  const shown = pathWithin(here, root) ?? root;
  terminal.out([...files.keys()].map((path) => `wrote ${posix.join(shown, path)}\n`).join(''));
  if (known && hasSettings)
    terminal.out(`\nAdd to ${SETTINGS_FILE}, unless it is already there:\n\n` + yamlText(settings));
  return end(imported, shown, terminal);
}

async function reportFailingChecks(
  folder: string,
  files: ReadonlyMap<string, string>,
  { left, remarks }: Imported,
  terminal: Terminal,
): Promise<void> {
  const planned = await validateFolder(folder, terminal);
  const { problems, notices } = planned.ready ? planned.emptyResult : planned.result;
  for (const { place, message } of problems)
    lose(left, place ?? { file: SETTINGS_FILE, line: 0 }, 'evaldiff validate', message);
  remarks.push(...notices.filter(({ place }) => place !== null && files.has(place.file)));
}

const OWN_RUBRICS = 'rubrics/*.{yaml,yml}';

function convertImport(
  imported: Imported,
  source: string,
  origin: CopyOrigin | null,
): Map<string, string> {
  const files = new Map<string, string>();
  const slugs = new Map<DraftFile, string>();
  const taken = new Set<string>();
  for (const { prompt, tests } of imported.prompts) {
    const slug = uniqueFileName(slugOf(String(prompt.value['name'] ?? '')), taken);
    const shared = tests === null ? null : (slugs.get(tests) ?? slug);
    if (tests !== null && shared !== null && !slugs.has(tests)) {
      slugs.set(tests, shared);
      files.set(
        `prompts/tests/${shared}.yaml`,
        `${schemaLine('tests', origin)}# From ${source}\n${yamlText(tests.value)}`,
      );
    }
    const defaults = shared === null ? {} : { defaults: [`tests/${shared}`] };
    files.set(
      `prompts/${slug}.yaml`,
      `${schemaLine('prompt', origin)}# From ${source}\n${yamlText({ ...defaults, ...prompt.value })}`,
    );
  }
  return files;
}

function settingsOf({ models, grader, rubrics }: Imported): JsonMap {
  return {
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(grader === null ? {} : { grader: { model: grader.model } }),
    ...(rubrics === undefined
      ? {}
      : { rubrics: [OWN_RUBRICS, ...rubrics.map(({ file }) => file)] }),
  };
}

/** Writes no YAML aliases, because evaldiff's reader rejects them. */
function yamlText(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2' });
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'prompt' : slug;
}

/** Avoids the names of other tools' files, such as `promptfooconfig.yaml`. */
function uniqueFileName(slug: string, taken: Set<string>): string {
  const isForeign = (name: string): boolean =>
    formatByPath(`${name}.yaml`, IMPORT_FORMATS) !== null;
  let name = slug;
  for (let ordinal = isForeign(slug) ? 1 : 2; taken.has(name) || isForeign(name); ordinal += 1)
    name = `${slug}-${ordinal}`;
  taken.add(name);
  return name;
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
  { verify }: ImportOptions,
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
    const format = await detectFormat(path, files, IMPORT_FORMATS);
    const absence = files.absence(path);
    if (absence !== null) throw userError(path, absence);
    if (format !== null && 'instead' in format) throw userError(file, unreadMessage(format));
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
    const tools = {
      files,
      builtIns: metrics,
      hasGrader: settings.grader !== null,
      settings,
      // Verification needs no prompt files, because it fills in the original file's templates for
      // each test.
      code: verify === undefined ? ('written' as const) : ('verified' as const),
      host: hostSettings(settings),
    };
    const document = format && (await files.document(path, problems));
    const imported =
      format === null
        ? await importRows(path, tools, problems)
        : document && (await format.read(document, tools, problems)).imported;
    if (imported === null || problems.length > 0) throw new UserError(problems);
    return work({ path, imported, files, workTree: workTreeOf(repository) });
  });
}

function pathWithin(folder: string, path: string): string | null {
  const found = relative(folder, path).split(sep).join('/');
  return found === '..' || found.startsWith('../') ? null : found;
}
