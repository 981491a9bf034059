import { existsSync } from 'node:fs';
import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { readSavedFiles } from '../../app/commands/files.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { isPlainRelative } from '../../documents/paths.ts';
import { userError } from '../../errors.ts';
import { logLine } from '../../text/log.ts';
import { DIFF_SIGNS } from '../../text/markdown.ts';
import { byCodeUnits } from '../../text/order.ts';
import { withEdit } from '../../trials/fix-edit.ts';
import { fixDiff, fixWords } from '../../trials/fix-lines.ts';
import type { Fix } from '../../trials/fix.ts';
import type { Cause } from './result.ts';

const SAVED = 'evaldiff-report/result.json';

interface FixOptions {
  directory: string;
  write?: boolean;
  json?: boolean;
}

export const fixCommand: AddCommand = (program, terminal, done) => {
  program
    .command('fix')
    .description('show the tested fixes of a run and write them to prompt files')
    .argument('[result]', 'result.json of a run with explain.fix', SAVED)
    .option('-C, --directory <folder>', 'root of the evaluated project', '.')
    .option('--write', 'write all fixes without a prompt')
    .addOption(new Option('--json', 'print them as JSON').conflicts('write'))
    .addHelpText('after', '\nExample: evaldiff fix evaldiff-report/result.json')
    .action(async (file: string, options: FixOptions) => {
      const causes = await savedCauses(file, terminal);
      const fixes = onePerPlace(causes.flatMap(({ fix }) => fix ?? []));
      if (options.json === true) terminal.out(`${JSON.stringify(fixes, null, 2)}\n`);
      else if (fixes.length > 0) await offer(fixes, options, terminal);
      else terminal.out(`${noneWords(causes)}\n`);
      done(0);
    });
};

async function offer(
  fixes: readonly Fix[],
  { directory, write = false }: FixOptions,
  terminal: Terminal,
): Promise<void> {
  const folder = await realpath(resolve(terminal.cwd, directory));
  let [written, open] = [0, 0];
  for (const fix of fixes) {
    terminal.out(`${fixText(fix)}\n`);
    const there = write ? null : await staleFixReason(folder, fix);
    if (there !== null) {
      terminal.out(`  ${there}\n`);
      continue;
    }
    open += 1;
    const question = logLine(`Write it into ${fix.file}?`);
    if (!write && (await terminal.confirm?.(question)) !== true) continue;
    await writeFix(folder, fix);
    written += 1;
  }
  if (written > 0) terminal.out('Written. Run "npx evaldiff diff" to see.\n');
  else if (open > 0 && terminal.confirm === undefined)
    terminal.out('Write with: npx evaldiff fix --write\n');
}

/** Later lines come first, so that an edit does not shift the next one. */
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

function noneWords(causes: readonly Cause[]): string {
  const none = 'This run proved no fix.';
  return causes.some(({ no_fix }) => no_fix !== undefined)
    ? none
    : `${none} To look for one, run: npx evaldiff diff explain.fix=true --report evaldiff-report`;
}

async function savedCauses(file: string, terminal: Terminal): Promise<Cause[]> {
  if (file === SAVED && !existsSync(join(terminal.cwd, file)))
    throw userError(
      file,
      'does not exist; write it with npx evaldiff diff explain.fix=true --report ' +
        'evaldiff-report, or name another result.json',
    );
  const saved = await readSavedFiles([file], terminal);
  return saved
    .flatMap((report) => (report.kind === 'result' ? (report.result.causes ?? []) : []))
    .flatMap(({ causes }) => causes);
}

function fixText(fix: Fix): string {
  const lines = fixDiff(fix).map(({ sign, text }) => `${DIFF_SIGNS[sign]} ${text}`);
  return [`${fix.file}:${fix.lines.from}: ${fixWords(fix)}`, ...lines].map(logLine).join('\n');
}

async function staleFixReason(folder: string, fix: Fix): Promise<string | null> {
  const text = await readFile(await pathOf(folder, fix), 'utf8');
  if (withEdit(text, fix) !== null) return null;
  const { from } = fix.lines;
  const put = fix.replacement.split('\n');
  const isThere = withEdit(text, {
    ...fix,
    lines: { from, to: from + put.length - 1 },
    replaced: fix.replacement,
  });
  return isThere !== null && fix.replacement !== ''
    ? 'The file already contains this fix.'
    : 'These lines have changed since the run; run npx evaldiff diff again.';
}

/** Writes only to a regular file of the project, and only if the lines are unchanged. */
async function writeFix(folder: string, fix: Fix): Promise<void> {
  const path = await pathOf(folder, fix);
  const text = withEdit(await readFile(path, 'utf8'), fix);
  if (text === null)
    return refuse(
      fix,
      'has changed since the run, so the fix is not written; run npx evaldiff diff again',
    );
  await writeFile(path, text);
}

function refuse({ file, lines }: Fix, message: string): never {
  throw userError({ file, line: lines.from }, message);
}

async function pathOf(folder: string, fix: Fix): Promise<string> {
  if (!isPlainRelative(fix.file) || /(?:^|\/)\.git(?:\/|$)/i.test(fix.file))
    refuse(fix, 'is not a file of this project; nothing was written');
  const path = join(folder, fix.file);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true || relative(folder, await realpath(path)) !== relative(folder, path))
    refuse(fix, 'is not a regular file of this project; nothing was written');
  return path;
}
