import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readSavedFiles, savedFilesIn } from '../../app/commands/files.ts';
import { inRepository } from '../../app/commands/project.ts';
import type { Terminal } from '../../app/commands/terminal.ts';
import { userError, UserError, problem } from '../../errors.ts';
import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { shortSha } from '../../report/sections/phrases.ts';
import { headRate } from '../../report/sections/tables.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { logJson } from '../../text/log.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { HistoryPoint } from './report.ts';

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

interface SavedResult {
  file: string;
  writtenAt: string;
  result: Result;
}

/** The tip and its first parents. Commits that came with a merge are not on the branch. */
interface Branch {
  name: string;
  commits: ReadonlyMap<string, { behind: number; at: string }>;
  /** Whether the clone is shallow. Older commits may then be missing. */
  shallow: boolean;
}

type LeftOutReason = 'comparison' | 'not judged' | 'working tree' | 'not on the branch';

interface History {
  points: HistoryPoint[];
  left: { file: string; sha: string; why: LeftOutReason }[];
}

/** Omits comparisons, because they run only what changed. */
function historyOf(saved: readonly SavedResult[], branch: Branch | null): History {
  const judged = saved.map((file) => ({
    ...file,
    why: leftOutReason(file, branch),
    state: branch?.commits.get(file.result.head.sha),
  }));
  const kept = judged.filter(({ why }) => why === null);
  const ordered = [...kept].sort(
    (a, b) =>
      (b.state?.behind ?? 0) - (a.state?.behind ?? 0) ||
      byCodeUnits(a.writtenAt, b.writtenAt) ||
      byCodeUnits(a.file, b.file),
  );
  return {
    points: ordered.map((saved) => pointOf(saved, saved.state?.at ?? saved.writtenAt)),
    left: judged.flatMap(({ file, result, why }) =>
      why === null ? [] : [{ file, sha: result.head.sha, why }],
    ),
  };
}

function leftOutReason(
  {
    result: {
      mode,
      suites,
      head: { sha },
    },
  }: SavedResult,
  branch: Branch | null,
): LeftOutReason | null {
  if (suites.length === 0) return 'not judged';
  if (mode === 'diff') return 'comparison';
  if (branch === null || branch.commits.has(sha)) return null;
  return sha === 'worktree' ? 'working tree' : 'not on the branch';
}

function pointOf({ file, result: { head, suites } }: SavedResult, at: string): HistoryPoint {
  return {
    file,
    sha: head.sha,
    at,
    suites: suites.map((suite) => {
      const { rate, interval } = headRate(suite);
      const references = suite.references.filter(
        (reference) => countsForVerdict(reference) && (reference.head?.tries_judged ?? 0) > 0,
      ).length;
      return {
        path: suite.path,
        name: suite.name,
        variant: suite.variant,
        pass_rate: rate,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        references,
      };
    }),
  };
}

const MAX_FILES_PER_REASON = 5;

function historyNotes({ left }: History, branch: Branch | null): string[] {
  const name = branch?.name ?? '';
  const words: Record<LeftOutReason, string> = {
    comparison: 'from comparisons, which run only affected tests',
    'not judged': 'in which nothing was judged',
    'working tree': 'of uncommitted files',
    'not on the branch': `of commits that are not on ${name}`,
  };
  const notes = (Object.keys(words) as LeftOutReason[]).flatMap((why) => {
    const found = left.filter((entry) => entry.why === why);
    if (found.length === 0) return [];
    const files = firstWords(
      found.map(({ file, sha }) => `${file} (${shortSha(sha)})`),
      MAX_FILES_PER_REASON,
    );
    return [`Left out: ${counted(found.length, 'result')} ${words[why]}: ${files}.`];
  });
  if (branch === null) return [...notes, 'Not a git repository: results are sorted by file time.'];
  const cut = branch.shallow && left.some(({ why }) => why === 'not on the branch');
  return cut
    ? [
        ...notes,
        `This clone lacks ${name}'s older commits, so older results may be left out. ` +
          `Run git fetch --unshallow.`,
      ]
    : notes;
}
