import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readSavedFiles, savedFilesIn } from '../../app/commands/files.ts';
import { inRepository } from '../../app/commands/project.ts';
import type { Terminal } from '../../app/commands/terminal.ts';
import { userError, UserError, problem } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { logJson } from '../../text/log.ts';
import {
  historyNotes,
  historyOf,
  type Branch,
  type History,
  type SavedResult,
} from './history-points.ts';

export interface TrendOptions {
  history?: string | true;
  directory: string;
  format: 'terminal' | 'markdown' | 'html' | 'junit' | 'json';
}

/** `given`, the word after `--history`, is a branch if more words follow, else a path. */
async function historyPaths(
  given: string | true,
  paths: readonly string[],
  cwd: string,
): Promise<{ paths: readonly string[]; branch: string | null }> {
  if (given !== true && paths.length > 0) return { branch: given, paths };
  const all = given === true ? paths : [given];
  const exists =
    given === true ||
    (await stat(resolve(cwd, given)).then(
      () => true,
      () => false,
    ));
  if (all.length > 0 && exists) return { branch: null, paths: all };
  throw userError(
    null,
    '--history: needs result.json files or folders with them (evaldiff report ' +
      '--history main sweeps/)',
  );
}

const GIVE =
  'give the results of full sweeps (mode: sweep, or evaldiff run with nothing uncommitted)';

export async function renderHistory(
  words: readonly string[],
  { history: given = true, directory, format }: TrendOptions,
  terminal: Terminal,
): Promise<string> {
  if (format === 'junit')
    throw userError(
      null,
      '--format junit renders one result.json; for a trend use terminal, markdown, html or json',
    );
  const { cwd, env, width } = terminal;
  const { paths, branch: name } = await historyPaths(given, words, cwd);
  const saved = await savedResults(paths, terminal);
  const branch = await branchOf(name, resolve(cwd, directory), env);
  const history = historyOf(saved, branch);
  const notes = historyNotes(history, branch);
  if (format === 'json') return `${logJson({ branch: branch?.name ?? null, ...history, notes })}\n`;
  if (history.points.length === 0)
    throw new UserError([
      problem(
        null,
        `no result of a full sweep of ${branch?.name ?? 'this project'} was found; ${GIVE}`,
      ),
      ...notes.map((note) => problem(null, note)),
    ]);
  const { trendOf, renderHistoryMarkdown, renderHistoryText } = await import('./report.ts');
  if (format === 'html') {
    const { renderHtml } = await import('../../report/html.ts');
    const reports = await loadReports(terminal.features);
    return renderHtml(newestOf(history, saved), reports, trendOf(history.points, notes));
  }
  return format === 'markdown'
    ? renderHistoryMarkdown(history.points, notes)
    : `${renderHistoryText(history.points, width, notes)}\n`;
}

function newestOf({ points }: History, saved: readonly SavedResult[]): Result {
  const newest = points.at(-1)?.file;
  const found = saved.find(({ file }) => file === newest);
  if (found === undefined) throw new Error('the trend has no result');
  return found.result;
}

async function savedResults(paths: readonly string[], terminal: Terminal): Promise<SavedResult[]> {
  const files = (await savedFilesIn(paths, terminal)).filter(
    (file) => paths.includes(file) || basename(file) === 'result.json',
  );
  const saved = await readSavedFiles(files, terminal);
  const others = saved.filter(({ kind }) => kind !== 'result');
  if (others.length > 0)
    throw new UserError(
      others.map(({ file }) =>
        problem(file, 'is not the result of a run; a trend needs result.json files'),
      ),
    );
  if (saved.length === 0)
    throw new UserError(paths.map((path) => problem(path, 'contains no result.json')));
  return saved.flatMap((file) => (file.kind === 'result' ? [file] : []));
}

function branchOf(
  name: string | null,
  directory: string,
  environment: NodeJS.ProcessEnv,
): Promise<Branch | null> {
  return inRepository(directory, { cwd: directory, env: environment }, async (repository) => {
    const mainline = await repository.mainline(name);
    if (mainline === null && name !== null)
      throw userError(
        null,
        `--history ${name}: ${directory} is not a git repository with commits; ` +
          `omit the branch to sort results by file time, or set ` +
          `the repository with --directory`,
      );
    return mainline;
  });
}
