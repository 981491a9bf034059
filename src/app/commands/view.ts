import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { userError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { logLine } from '../../text/log.ts';
import { savedRuns } from './files.ts';
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
  const files = (await Promise.all(paths.map((path) => onDisk(path, terminal)))).flat();
  const found = await savedRuns(files, terminal);
  const results = found.flatMap((each) => (each.kind === 'result' ? [each.result] : []));
  if (results.length === 0)
    throw userError(null, 'name a result.json to view: npx evaldiff view evaldiff-report');
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-view-'));
  const pages: string[] = [];
  for (const [at, html] of (await htmlOf(files, results, terminal)).entries()) {
    const page = join(folder, `report-${at + 1}.html`);
    await writeFile(page, html, { mode: 0o600 });
    pages.push(pathToFileURL(page).href);
  }
  return pages;
}

/** Downloads the results that a page on GitHub is about. */
async function onDisk(path: string, { env }: Terminal): Promise<string[]> {
  if (!/^https?:\/\//.test(path)) return [path];
  const { savedResults } = await import('../../edges/github/saved-results.ts');
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-view-'));
  for (const [at, text] of (await savedResults(path, env)).entries()) {
    await mkdir(join(folder, String(at)));
    await writeFile(join(folder, String(at), 'result.json'), text, { mode: 0o600 });
  }
  return [folder];
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
