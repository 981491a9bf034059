import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UserError, problem } from '../errors.ts';
import {
  appendTo,
  groundOf,
  openFolder,
  reasonOf,
  refusalOf,
  type Ground,
  type OwnFolder,
} from '../session/safe-writing.ts';
import { logLine } from '../text/log.ts';
import type { Problem } from '../types/plain.ts';
import type { EvaluateOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

/**
 * Where an option says that something is to be written; a folder may be yet to be made, and a
 * file's folder must be there.
 */
interface Output {
  option: string;
  path: string;
  kind: 'file' | 'folder';
}

/**
 * Refuses places that cannot be written to before anybody is asked, so that no answer is paid for
 * and then lost. All at once.
 */
export async function refuseUnwritable(outputs: readonly Output[], ground: Ground): Promise<void> {
  const problems = (await Promise.all(outputs.map((output) => problemOf(output, ground)))).filter(
    (found) => found !== null,
  );
  if (problems.length > 0) throw new UserError(problems);
}

async function problemOf({ option, path, kind }: Output, ground: Ground): Promise<Problem | null> {
  const refusal = await refusalOf(path, kind, ground);
  if (refusal !== null) return problem(null, `${option}: ${refusal}`);
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

/** What an option says is to be written, as far as it is given. */
export function outputFilesOf({ report, record }: EvaluateOptions, { cwd }: Terminal): Output[] {
  return [
    ...(report === undefined ? [] : [reportFolder(report, cwd)]),
    ...(record === undefined
      ? []
      : [{ option: '--record', path: resolve(cwd, record), kind: 'file' as const }]),
  ];
}

function reportFolder(report: string, cwd: string): Output {
  return { option: '--report', path: resolve(cwd, report), kind: 'folder' };
}

/**
 * Has `write` fill the folder of `--report`, where it is given. What cannot be written any more by
 * then is told, and costs the files alone: the result was paid for, and shown.
 */
export async function writeOwnReports(
  { repository }: { repository: Parameters<typeof groundOf>[0] },
  { report }: Pick<EvaluateOptions, 'report'>,
  { cwd, err }: Terminal,
  write: (folder: OwnFolder) => Promise<void>,
): Promise<void> {
  if (report === undefined) return;
  const { option, path } = reportFolder(report, cwd);
  try {
    await write(await openFolder(path, groundOf(repository)));
  } catch (error) {
    err(`${logLine(`${option}: ${path} could not be written: ${reasonOf(error)}`)}\n`);
  }
}

/** Writes lines to a recordings file. One that fails is told once, and costs the rest of the file. */
export function recorderOf(
  { record }: EvaluateOptions,
  { cwd }: Terminal,
  ground: Ground,
  log: (line: string) => void,
): ((line: string) => Promise<void>) | null {
  if (record === undefined) return null;
  let failed = false;
  return async (line) => {
    if (failed) return;
    try {
      await appendTo(resolve(cwd, record), `${line}\n`, ground);
    } catch (error) {
      if (!failed) log(`--record: ${record} is not whole: ${reasonOf(error)}`);
      failed = true;
    }
  };
}
