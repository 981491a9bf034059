import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { userError, UserError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { logLine } from '../../text/log.ts';
import { readSaved, savedRuns, type Saved } from './files.ts';
import type { AddCommand, Terminal } from './terminal.ts';

export const viewCommand: AddCommand = (program, terminal, done) => {
  program
    .command('view')
    .description('open saved results in the browser: every answer and score')
    .argument(
      '[paths...]',
      'result.json files, folders that contain them, or addresses of pull requests and checks on ' +
        'GitHub (default: the newest run); several full sweeps are shown with their trend',
    )
    .option('--no-open', 'print the address of the page instead of opening a browser')
    .addHelpText('after', '\nExample: evaldiff view evaldiff-report')
    .action(async (paths: string[], { open }: { open: boolean }) => {
      for (const page of await writePages(paths, terminal)) {
        terminal.out(`${logLine(page)}\n`);
        if (open && terminal.isTerminal) openInBrowser(page);
      }
      done(0);
    });
};

async function writePages(paths: readonly string[], terminal: Terminal): Promise<string[]> {
  const pages = paths.filter((path) => /^https?:\/\//.test(path));
  const files = paths.filter((path) => !pages.includes(path));
  const found = [
    ...(await downloaded(pages, terminal)),
    ...(files.length === 0 && pages.length > 0 ? [] : await savedRuns(files, terminal)),
  ];
  const results = found.flatMap((each) => (each.kind === 'result' ? [each.result] : []));
  if (results.length === 0)
    throw userError(null, 'name a result.json to view: npx evaldiff view evaldiff-report');
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-view-'));
  const written: string[] = [];
  for (const [at, html] of (await htmlOf(files, results, terminal)).entries()) {
    const page = join(folder, `report-${at + 1}.html`);
    await writeFile(page, html, { mode: 0o600 });
    written.push(pathToFileURL(page).href);
  }
  return written;
}

async function downloaded(pages: readonly string[], { env, features }: Terminal): Promise<Saved[]> {
  if (pages.length === 0) return [];
  const { savedResults } = await import('../../edges/github/saved-results.ts');
  const texts = (await Promise.all(pages.map((page) => savedResults(page, env)))).flat();
  const read = await Promise.all(texts.map(({ file, text }) => readSaved(file, text, features)));
  const problems = read.flatMap((each) => ('problems' in each ? each.problems : []));
  if (problems.length > 0) throw new UserError(problems);
  return read.filter((each) => !('problems' in each));
}

/** A page for each result, or a single page with the trend of several sweeps. */
async function htmlOf(
  paths: readonly string[],
  results: readonly Result[],
  terminal: Terminal,
): Promise<string[]> {
  const sweeps = results.every(({ mode }) => mode === 'sweep') ? results.length : 0;
  const variants = terminal.features.flatMap((row) => row.variants ?? []);
  const trend = variants.find(({ command, takes }) => command === 'view' && takes({ sweeps }));
  if (trend !== undefined) return [(await trend.run(paths, {}, terminal)).text];
  const { renderHtml } = await import('../../report/html.ts');
  const reports = await loadReports(terminal.features);
  return Promise.all(results.map((result) => renderHtml(result, reports)));
}

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Without a browser, the printed address is enough. */
function openInBrowser(page: string): void {
  const program = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(program, [page], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
