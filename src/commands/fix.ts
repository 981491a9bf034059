import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { isPlainRelative } from '../documents/paths.ts';
import { UserError, problem } from '../errors.ts';
import { withEdit } from '../explain/fix-lines.ts';
import { fixDiff, fixWords } from '../report/sections/causes.ts';
import type { Fix } from '../result/causes.ts';
import { logLine } from '../text/log.ts';
import { DIFF_SIGNS } from '../text/markdown.ts';
import { readSavedFiles } from './files.ts';
import type { Terminal } from './terminal.ts';

interface FixOptions {
  directory: string;
  write?: boolean;
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
    .option('--write', 'write them; without it they are only shown')
    .action(async (file: string, { directory, write = false }: FixOptions) => {
      const folder = await realpath(resolve(terminal.cwd, directory));
      const fixes = await savedFixes(file, terminal.cwd);
      if (fixes.length === 0) terminal.out('No fix was proven in this run.\n');
      for (const fix of fixes) {
        terminal.out(`${shown(fix)}\n`);
        if (write) await writeFix(folder, fix);
      }
      if (write && fixes.length > 0) terminal.out('Written. Run "evaldiff diff" to see.\n');
      else if (fixes.length > 0) terminal.out('Write with: evaldiff fix --write\n');
      done(0);
    });
}

async function savedFixes(file: string, cwd: string): Promise<Fix[]> {
  const saved = await readSavedFiles([file], cwd);
  return saved
    .flatMap((one) => (one.kind === 'result' ? (one.result.causes ?? []) : []))
    .flatMap(({ causes }) => causes.flatMap(({ fix }) => fix ?? []));
}

function shown(fix: Fix): string {
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
  if (!isPlainRelative(fix.file)) refuse('is not a file of this project; nothing was written');
  const path = join(folder, fix.file);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true || relative(folder, await realpath(path)) !== relative(folder, path))
    refuse('is not a regular file of this project; nothing was written');
  const text = withEdit(await readFile(path, 'utf8'), fix);
  if (text === null)
    return refuse('has changed since the run, so the fix is not written; run evaldiff diff again');
  await writeFile(path, text);
}
