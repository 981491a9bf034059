import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { isPlainRelative } from '../documents/paths.ts';
import { UserError, problem } from '../errors.ts';
import { withEdit } from '../explain/fix.ts';
import { fixDiff, fixWords } from '../report/sections/fixes.ts';
import type { Fix } from '../result/causes.ts';
import { logLine } from '../text/log.ts';
import { DIFF_SIGNS } from '../text/markdown.ts';
import { byCodeUnits } from '../text/order.ts';
import { readSavedFiles } from './files.ts';
import type { Terminal } from './terminal.ts';

interface FixOptions {
  directory: string;
  write?: boolean;
  json?: boolean;
}

export function fixCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  program
    .command('fix')
    .description('shows the fixes that a run has proven, and writes them into the prompt files')
    .argument('[result]', 'result.json of a run with explain.fix', 'evaldiff-report/result.json')
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option('--write', 'write them all, without asking')
    .addOption(new Option('--json', 'print them as JSON').conflicts('write'))
    .addHelpText(
      'after',
      '\nExamples:\n  evaldiff fix\n  evaldiff fix evaldiff-report/result.json --write\n  evaldiff fix --json',
    )
    .action(async (file: string, options: FixOptions) => {
      const fixes = onePerPlace(await savedFixes(file, terminal.cwd));
      if (options.json === true) terminal.out(`${JSON.stringify(fixes, null, 2)}\n`);
      else await offer(fixes, options, terminal);
      done(0);
    });
}

/** Shows each fix, and writes those that are wanted. */
async function offer(
  fixes: readonly Fix[],
  { directory, write = false }: FixOptions,
  terminal: Terminal,
): Promise<void> {
  const folder = await realpath(resolve(terminal.cwd, directory));
  if (fixes.length === 0) terminal.out('No fix was proven in this run.\n');
  let written = 0;
  for (const fix of fixes) {
    terminal.out(`${fixText(fix)}\n`);
    const question = logLine(`Write it into ${fix.file}?`);
    if (!write && (await terminal.confirm?.(question)) !== true) continue;
    await writeFix(folder, fix);
    written += 1;
  }
  if (written > 0) terminal.out('Written. Run "npx evaldiff diff" to see.\n');
  else if (fixes.length > 0 && terminal.confirm === undefined)
    terminal.out('Write with: npx evaldiff fix --write\n');
}

/** The last lines of a file first, so that writing one fix moves no other. */
function onePerPlace(fixes: readonly Fix[]): Fix[] {
  const places = new Map<string, Fix>();
  for (const fix of fixes) {
    const place = JSON.stringify([fix.file, fix.lines.from]);
    if (!places.has(place)) places.set(place, fix);
  }
  return [...places.values()].sort(
    (a, b) => byCodeUnits(a.file, b.file) || b.lines.from - a.lines.from,
  );
}

async function savedFixes(file: string, cwd: string): Promise<Fix[]> {
  const saved = await readSavedFiles([file], cwd);
  return saved
    .flatMap((one) => (one.kind === 'result' ? (one.result.causes ?? []) : []))
    .flatMap(({ causes }) => causes.flatMap(({ fix }) => fix ?? []));
}

function fixText(fix: Fix): string {
  const lines = fixDiff(fix).map(({ sign, text }) => `${DIFF_SIGNS[sign]} ${text}`);
  return [`${fix.file}:${String(fix.lines.from)}: ${fixWords(fix)}`, ...lines]
    .map(logLine)
    .join('\n');
}

/** Only a regular file of the project whose lines are still those that the fix was run for. */
async function writeFix(folder: string, fix: Fix): Promise<void> {
  const refuse = (message: string): never => {
    throw new UserError([problem({ file: fix.file, line: fix.lines.from }, message)]);
  };
  if (!isPlainRelative(fix.file) || /(?:^|\/)\.git(?:\/|$)/i.test(fix.file))
    refuse('is not a file of this project; nothing was written');
  const path = join(folder, fix.file);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true || relative(folder, await realpath(path)) !== relative(folder, path))
    refuse('is not a regular file of this project; nothing was written');
  const text = withEdit(await readFile(path, 'utf8'), fix);
  if (text === null)
    return refuse(
      'has changed since the run, so the fix is not written; run npx evaldiff diff again',
    );
  await writeFile(path, text);
}
