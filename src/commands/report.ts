import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Option, type Command } from 'commander';
import type { Result } from '../types.ts';
import { UserError, problem } from '../errors.ts';
import { readRunReport, type RunReport } from '../config/llmeval-run.ts';
import { readResult } from '../config/result.ts';
import { exitCode } from '../exit-code.ts';
import { commentMarker } from '../job/publish.ts';
import { renderComment } from '../report/comment.ts';
import { renderHtml } from '../report/html.ts';
import { renderJunit } from '../report/junit.ts';
import { markdownOf, NO_LINKS } from '../report/markdown.ts';
import { passes, runBlocks, type RunTable } from '../report/run-table.ts';
import { tablesOfReports, tablesOfResult } from '../report/run-tables.ts';
import { renderBlocks, renderTerminal } from '../report/terminal.ts';
import { createSandbox } from '../sandbox/index.ts';
import type { Terminal } from './options.ts';

type Format = 'terminal' | 'markdown' | 'html' | 'junit';

/** Seconds for a roll-up's code over all references. */
const ROLLUP_SECONDS = 5;

export function reportCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program.command('report')
    .description('renders saved results again, one in full or several as tables; never asks a model')
    .argument('<paths...>', 'result.json files, report-<try>.yaml files of runs, or folders that hold some')
    .addOption(new Option('-f, --format <format>', 'what to render; html and junit take one result.json').choices(['terminal', 'markdown', 'html', 'junit']).default('terminal'))
    .option('--tables', 'a table of every answer, for one result.json too')
    .addHelpText('after', '\nExamples:\n  evaldiff report evaldiff-report/result.json --format html > report.html\n  evaldiff report multirun\n  evaldiff report before/result.json after/result.json --format markdown')
    .action(async (paths: string[], { format, tables }: { format: Format; tables?: boolean }) => {
      const files = (await Promise.all(paths.map((path) => filesIn(path, terminal.cwd)))).flat();
      const [only, ...more] = files;
      if (only !== undefined && more.length === 0 && only.endsWith('.json') && tables !== true) {
        const result = await readSaved(only, terminal.cwd);
        terminal.out(render(result, format, terminal));
        done(exitCode(result.conclusion));
        return;
      }
      if (format === 'html' || format === 'junit') throw new UserError([problem(null, `--format ${format} renders one result.json; for several runs take terminal or markdown`)]);
      const { runs, conclusions } = await readRuns(files, terminal.cwd);
      const blocks = runBlocks(runs);
      terminal.out(format === 'markdown' ? `${markdownOf(blocks, NO_LINKS)}\n` : `${renderBlocks(blocks, { width: terminal.width, colour: terminal.isTerminal })}\n`);
      done(Math.max(0, ...conclusions, ...runs.map((run) => (passes(run) ? 0 : 1))));
    });
}

/** The saved results and reports that a path means, as paths to show. */
async function filesIn(path: string, cwd: string): Promise<string[]> {
  const full = resolve(cwd, path);
  const entry = await stat(full).catch(() => null);
  if (entry === null) throw new UserError([problem({ file: path, line: 0 }, 'cannot be read')]);
  if (!entry.isDirectory()) return [path];
  const entries = await readdir(full, { recursive: true, withFileTypes: true });
  const found = entries.filter((one) => one.isFile() && /^(?:result\.json|report-\d+\.ya?ml)$/.test(one.name)).map((one) => join(one.parentPath, one.name))
    .filter((file) => !relative(full, file).split(sep).some((step) => step === 'node_modules' || step === '.git'));
  if (found.length === 0) throw new UserError([problem({ file: path, line: 0 }, 'holds neither a result.json nor a report-<try>.yaml')]);
  return found.sort().map((file) => join(path, relative(full, file)).split(sep).join('/'));
}

async function readRuns(files: readonly string[], cwd: string): Promise<{ runs: RunTable[]; conclusions: number[] }> {
  const runs: RunTable[] = [];
  const reports: RunReport[] = [];
  const conclusions: number[] = [];
  for (const file of files) {
    if (/\.ya?ml$/.test(file)) {
      const { report, problems } = readRunReport(file, await readFile(resolve(cwd, file)));
      if (report === null) throw new UserError(problems);
      reports.push(report);
    } else {
      const result = await readSaved(file, cwd);
      runs.push(...tablesOfResult(file, result));
      conclusions.push(exitCode(result.conclusion));
    }
  }
  // Only a roll-up of the user's own is code, and no environment is handed to it.
  const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: ROLLUP_SECONDS, log: () => undefined });
  try {
    return { runs: [...runs, ...await tablesOfReports(reports, sandbox.evaluate)], conclusions };
  } finally {
    await sandbox.close();
  }
}

async function readSaved(file: string, cwd: string): Promise<Result> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(() => { throw new UserError([problem({ file, line: 0 }, 'cannot be read')]); });
  const { result, problems } = readResult(file, text);
  if (result === null) throw new UserError(problems);
  return result;
}

function render(result: Result, format: Format, { width, isTerminal }: Terminal): string {
  if (format === 'markdown') return renderComment(result, { marker: commentMarker('evaldiff') });
  if (format === 'html') return renderHtml(result);
  if (format === 'junit') return renderJunit(result);
  return renderTerminal(result, { width, colour: isTerminal });
}
