import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { problem, UserError } from '../errors.ts';
import type { Problem } from '../types.ts';

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
