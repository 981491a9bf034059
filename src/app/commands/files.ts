import { constants as constants_ext } from 'node:buffer';
import { lstat, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { z } from 'zod';
import { type RunReport, readRunReport } from '../../config/llmeval-report.ts';
import { UserError, problem, userError } from '../../errors.ts';
import type { OwnKeys } from '../../kernel/result/feature-parts.ts';
import { type Result, RESULT_VERSION, resultSchemaWith } from '../../kernel/result/result.ts';
import type { Problem } from '../../types/plain.ts';
import { ownKeys } from '../run/feature.ts';
import {
  type WorkTree,
  putFile,
  visibleErrorMessage,
  pathRefusal,
} from '../session/safe-writing.ts';
import { REPORT_FOLDERS } from './options.ts';
import type { Terminal } from './terminal.ts';

type Saved = { kind: 'result'; result: Result } | { kind: 'run'; report: RunReport };

interface UnreadFile {
  problems: Problem[];
}

export type SavedFile = Saved & { file: string; writtenAt: string };

const SAVED_FILE = /^(?:result\.json|report-\d+\.ya?ml)$/;

type Reader = Pick<Terminal, 'cwd' | 'features'>;

export async function savedFilesIn(
  paths: readonly string[],
  reader: Pick<Reader, 'cwd'>,
): Promise<string[]> {
  const problems: Problem[] = [];
  const found = await Promise.all(paths.map((path) => filesIn(path, reader.cwd, problems)));
  if (problems.length > 0) throw new UserError(problems);
  return [...new Set(found.flat())];
}

async function filesIn(path: string, cwd: string, problems: Problem[]): Promise<string[]> {
  const full = resolve(cwd, path);
  const wrong = (message: string) => {
    problems.push(problem(path, message));
    return [];
  };
  const entry = await stat(full).catch(() => null);
  if (entry === null) return wrong('does not exist, or cannot be read');
  // A pipe is accepted, as in `evaldiff report <(curl …)`. Reading a device would never end.
  if (!entry.isDirectory())
    return entry.isFile() || entry.isFIFO() ? [path] : wrong('is neither a file nor a folder');
  const found = await savedIn(full).catch(() => null);
  if (found === null) return wrong('cannot be read');
  if (found.length === 0) return wrong('holds neither a result.json, nor a report-<try>.yaml');
  return withoutRunsOf(found.sort()).map((file) =>
    join(path, relative(full, file)).split(sep).join('/'),
  );
}

/** Does not follow links, because a link may lead back to a folder above it. */
async function savedIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile() && SAVED_FILE.test(entry.name)) return [path];
    const isSkipped = entry.name === 'node_modules' || entry.name === '.git';
    return entry.isDirectory() && !isSkipped ? savedIn(path) : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * The result of a sweep (a run of several variants) already includes its runs, which are in the
 * same folder.
 */
function withoutRunsOf(files: readonly string[]): string[] {
  const runs = files
    .filter((file) => file.endsWith(`${sep}result.json`))
    .map((file) => `${file.slice(0, -'result.json'.length)}multirun${sep}`);
  return files.filter((file) => !runs.some((folder) => file.startsWith(folder)));
}

export async function readSavedFiles(
  files: readonly string[],
  terminal: Reader,
): Promise<SavedFile[]> {
  const read: SavedFile[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const found = await readSavedFile(file, terminal);
    if ('problems' in found) problems.push(...found.problems);
    else read.push(found);
  }
  if (problems.length > 0) throw new UserError(problems);
  return read;
}

/** The files that `paths` name, or without paths the newest run. */
export async function savedRuns(paths: readonly string[], reader: Reader): Promise<SavedFile[]> {
  return paths.length === 0
    ? newestRun(reader)
    : readSavedFiles(await savedFilesIn(paths, reader), reader);
}

/** The result that is named by one path or several, or without a path that of the newest run. */
export async function savedResult(
  named: string | readonly string[] | undefined,
  reader: Reader,
): Promise<Result> {
  const paths = [named ?? []].flat();
  const saved = await savedRuns(paths, reader);
  const [first, ...more] = saved.flatMap((file) => (file.kind === 'result' ? [file.result] : []));
  if (first !== undefined && more.length === 0) return first;
  const [path, ...others] = paths;
  throw userError(
    others.length > 0 ? null : (path ?? null),
    first === undefined
      ? `there is no result.json; create one with npx evaldiff run --report ${REPORT_FOLDERS[0]} ` +
          '(or diff), or name a folder or result.json'
      : 'there are several results; name one result.json',
  );
}

/**
 * If two files have the same time, the later name wins, because llmeval's file names contain the
 * time.
 */
async function newestRun(terminal: Reader): Promise<SavedFile[]> {
  const { cwd } = terminal;
  const there: string[] = [];
  for (const folder of REPORT_FOLDERS)
    if ((await stat(resolve(cwd, folder)).catch(() => null))?.isDirectory() === true)
      there.push(folder);
  if (there.length === 0) return [];
  const files = await readSavedFiles(await savedFilesIn(there, terminal), terminal);
  const newest = files.reduce<SavedFile | null>(
    (last, file) => (last === null || file.writtenAt >= last.writtenAt ? file : last),
    null,
  );
  if (newest === null || newest.kind !== 'run') return newest === null ? [] : [newest];
  const run = dirname(dirname(newest.file));
  return files.filter(({ kind, file }) => kind === 'run' && dirname(dirname(file)) === run);
}

async function readSavedFile(
  file: string,
  { cwd, features }: Reader,
): Promise<SavedFile | UnreadFile> {
  const path = resolve(cwd, file);
  const content = await readFile(path).catch(() => null);
  if (content === null) return { problems: [problem(file, 'cannot be read')] };
  const writtenAt = (await stat(path)).mtime.toISOString();
  if (/\.ya?ml$/.test(file)) {
    const { report, problems } = readRunReport(file, content);
    return report === null ? { problems } : { kind: 'run', report, file, writtenAt };
  }
  if (content.length > constants_ext.MAX_STRING_LENGTH)
    return {
      problems: [
        problem(
          file,
          `is larger than the ${String(Math.floor(constants_ext.MAX_STRING_LENGTH / 1e6))} MB ` +
            'that can be read',
        ),
      ],
    };
  const saved = readSaved(file, content.toString('utf8'), features);
  return 'problems' in saved ? saved : { ...saved, file, writtenAt };
}

export function readSaved(
  file: string,
  text: string,
  features: Terminal['features'],
): Saved | UnreadFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const message = 'is not JSON, or is incomplete; give the result.json that a run wrote';
    return { problems: [problem(file, message)] };
  }
  const { result, problems } = readResultValue(file, value, ownKeys(features));
  return result === null ? { problems } : { kind: 'result', result };
}

/** Writes nothing and rejects with the paths that exist or contain a symbolic link, if there are any. */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  workTree: WorkTree,
): Promise<void> {
  const problems = await Promise.all(
    [...files.keys()].map((path) => occupied(folder, path, workTree)),
  );
  if (problems.some((found) => found !== null))
    throw new UserError(problems.filter((found) => found !== null));
  for (const [path, text] of files) await replaceFile(folder, path, text, workTree);
}

async function occupied(folder: string, path: string, workTree: WorkTree): Promise<Problem | null> {
  const refusal = await pathRefusal(join(folder, path), 'file', workTree);
  if (refusal !== null) return problem(path, refusal);
  const entry = await lstat(join(folder, path)).catch(() => null);
  return entry === null
    ? null
    : problem(
        path,
        'exists already and is not overwritten; move it away, or choose another folder (--out)',
      );
}

export async function replaceFile(
  folder: string,
  path: string,
  text: string,
  workTree: WorkTree,
): Promise<void> {
  try {
    await putFile(join(folder, path), text, workTree);
  } catch (error) {
    throw userError(path, `could not be written: ${visibleErrorMessage(error)}`);
  }
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  return `${field === '' ? '' : `field ${field}: `}${issue?.message ?? 'unreadable'}`;
}

/** `own`: the keys that features add to a result. */
export function readResultValue(
  file: string,
  value: unknown,
  own: OwnKeys,
): { result: Result; problems: [] } | { result: null; problems: Problem[] } {
  const wrong = (message: string): { result: null; problems: Problem[] } => ({
    result: null,
    problems: [problem(file, message)],
  });
  const version =
    value !== null && typeof value === 'object' && 'schema_version' in value
      ? value.schema_version
      : undefined;
  if (version === 1) return wrong('was made before 1.0: run again');
  if (typeof version === 'number' && version !== RESULT_VERSION) {
    return wrong(
      `is a result of version ${version}; this evaldiff reads version ` +
        `${RESULT_VERSION}. Render it with the evaldiff that wrote it, or run again`,
    );
  }
  const parsed = resultSchemaWith(own).safeParse(value);
  if (parsed.success) return { result: parsed.data, problems: [] };
  return wrong(`is not a result of evaldiff (${firstIssue(parsed.error)})`);
}
