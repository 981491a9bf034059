import { constants as constants_ext } from 'node:buffer';
import { constants, existsSync } from 'node:fs';
import {
  access,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readRunReport, type RunReport } from '../config/llmeval-report.ts';
import { UserError, problem } from '../errors.ts';
import { readSaved, type Saved } from '../result/noise.ts';
import type { Problem } from '../types/plain.ts';

/**
 * Writes files that must not be there yet, all of them or none: they are written beside their
 * places first, and then moved. `files` is path (POSIX, below `folder`) → text. Rejects with every
 * path that exists, and leaves nothing behind on failure.
 */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const taken = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0)
    throw new UserError(
      taken.map((path) =>
        problem(
          { file: path, line: 0 },
          'exists already and is not overwritten; move it away, or choose another folder (--out)',
        ),
      ),
    );
  /**
   * What of ours is to be taken away should the rest fail: files, and the outermost folders that
   * were not there.
   */
  const ours: string[] = [];
  const make = async (path: string): Promise<void> => {
    const made = await mkdir(path, { recursive: true });
    if (made !== undefined) ours.push(made);
  };
  let waiting: string | null = null;
  try {
    await make(folder);
    waiting = await mkdtemp(join(folder, '.evaldiff-new-'));
    for (const [path, text] of files) {
      await mkdir(dirname(join(waiting, path)), { recursive: true });
      await writeFile(join(waiting, path), text, { flag: 'wx' });
    }
    for (const path of files.keys()) {
      await make(dirname(join(folder, path)));
      await rename(join(waiting, path), join(folder, path));
      ours.push(join(folder, path));
    }
  } catch (error) {
    for (const path of ours.reverse())
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    throw new UserError([problem(null, `nothing was written to ${folder}: ${reasonOf(error)}`)]);
  } finally {
    if (waiting !== null) await rm(waiting, { recursive: true, force: true });
  }
}

/** Writes one file in the place of what is there: all of it, or nothing. */
export async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path);
  const waiting = `${target}.evaldiff-new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(waiting, text);
    await rename(waiting, target);
  } catch (error) {
    await rm(waiting, { force: true }).catch(() => undefined);
    throw new UserError([
      problem({ file: path, line: 0 }, `could not be written: ${reasonOf(error)}`),
    ]);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Where an option says that something is to be written; a folder may be yet to be made, and a
 * file's folder must be there.
 */
export interface Output {
  option: string;
  path: string;
  kind: 'file' | 'folder';
}

/**
 * Refuses places that cannot be written to before anybody is asked, so that no answer is paid for
 * and then lost. All at once.
 */
export async function refuseUnwritable(outputs: readonly Output[]): Promise<void> {
  const problems = (await Promise.all(outputs.map(problemOf))).filter((found) => found !== null);
  if (problems.length > 0) throw new UserError(problems);
}

/** Writes what an option asks for. Rejects with the option, the place and the machine's reason. */
export async function written({ option, path }: Output, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new UserError([
      problem(
        null,
        `${option}: ${path} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      ),
    ]);
  }
}

async function problemOf({ option, path, kind }: Output): Promise<Problem | null> {
  const entry = await stat(path).catch(() => null);
  const refuse = (why: string): Problem => problem(null, `${option}: ${path} ${why}`);
  if (entry !== null && entry.isDirectory() !== (kind === 'folder'))
    return refuse(`is a ${kind === 'folder' ? 'file' : 'folder'}; name a ${kind}`);
  const nearest =
    entry !== null ? path : kind === 'file' ? dirname(path) : await nearestOf(dirname(path));
  const holder = await stat(nearest).catch(() => null);
  if (holder === null) return refuse(`lies in a folder that does not exist`);
  if (entry === null && !holder.isDirectory())
    return refuse(`cannot be made: ${nearest} is a file`);
  return (await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  ))
    ? null
    : refuse(`cannot be written: no permission at ${nearest}`);
}

/** The path itself, or what of it exists. */
async function nearestOf(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestOf(dirname(path));
}

/** What a file that a run left behind holds; `file` is its path as it was given. */
export type SavedFile = (
  Exclude<Saved, { kind: 'unreadable' }> | { kind: 'run'; report: RunReport }
) & { file: string; writtenAt: string };

/** Names by which saved files are found in a folder. */
const FOUND = /^(?:result\.json|noise\.json|report-\d+\.ya?ml)$/;

/**
 * The saved files that paths mean, as paths to show: a folder stands for all that lie in it, at any
 * depth. Rejects with every path that holds none.
 */
export async function savedFilesIn(paths: readonly string[], cwd: string): Promise<string[]> {
  const problems: Problem[] = [];
  const found = await Promise.all(paths.map((path) => filesIn(path, cwd, problems)));
  if (problems.length > 0) throw new UserError(problems);
  return [...new Set(found.flat())];
}

async function filesIn(path: string, cwd: string, problems: Problem[]): Promise<string[]> {
  const full = resolve(cwd, path);
  const wrong = (message: string): string[] => {
    problems.push(problem({ file: path, line: 0 }, message));
    return [];
  };
  const entry = await stat(full).catch(() => null);
  if (entry === null) return wrong('does not exist, or cannot be read');
  // A device has no end. A pipe has one: evaldiff report <(curl …).
  if (!entry.isDirectory())
    return entry.isFile() || entry.isFIFO() ? [path] : wrong('is neither a file nor a folder');
  const entries = await readdir(full, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return wrong('cannot be read');
  const found = entries
    .filter((one) => one.isFile() && FOUND.test(one.name))
    .map((one) => join(one.parentPath, one.name))
    .filter(
      (file) =>
        !relative(full, file)
          .split(sep)
          .some((step) => step === 'node_modules' || step === '.git'),
    );
  if (found.length === 0)
    return wrong('holds neither a result.json, nor a noise.json, nor a report-<try>.yaml');
  return withoutRunsOf(found.sort()).map((file) =>
    join(path, relative(full, file)).split(sep).join('/'),
  );
}

/**
 * A sweep's report folder has its runs beside the result, which says more: such runs are read only
 * where they are named.
 */
function withoutRunsOf(files: readonly string[]): string[] {
  const runs = files
    .filter((file) => file.endsWith(`${sep}result.json`))
    .map((file) => `${file.slice(0, -'result.json'.length)}multirun${sep}`);
  return files.filter((file) => !runs.some((folder) => file.startsWith(folder)));
}

/** Reads them all. Rejects with the problems of every file that is none, or of another version. */
export async function readSavedFiles(files: readonly string[], cwd: string): Promise<SavedFile[]> {
  const read: SavedFile[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const found = await readSavedFile(file, cwd);
    if ('problems' in found) problems.push(...found.problems);
    else read.push(found);
  }
  if (problems.length > 0) throw new UserError(problems);
  return read;
}

async function readSavedFile(
  file: string,
  cwd: string,
): Promise<SavedFile | { problems: Problem[] }> {
  const path = resolve(cwd, file);
  const content = await readFile(path).catch(() => null);
  if (content === null) return { problems: [problem({ file, line: 0 }, 'cannot be read')] };
  const writtenAt = (await stat(path)).mtime.toISOString();
  if (/\.ya?ml$/.test(file)) {
    const { report, problems } = readRunReport(file, content);
    return report === null ? { problems } : { kind: 'run', report, file, writtenAt };
  }
  if (content.length > constants_ext.MAX_STRING_LENGTH)
    return {
      problems: [
        problem(
          { file, line: 0 },
          `is larger than the ${String(Math.floor(constants_ext.MAX_STRING_LENGTH / 1e6))} MB that can be read`,
        ),
      ],
    };
  const saved = readSaved(file, content.toString('utf8'));
  return saved.kind === 'unreadable' ? { problems: saved.problems } : { ...saved, file, writtenAt };
}
