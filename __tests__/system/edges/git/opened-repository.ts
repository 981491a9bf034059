import { readdirSync } from 'node:fs';
import type { RemoteAddress } from '../../../../src/edges/git/remote.ts';
import { openRepository, type Repository } from '../../../../src/edges/git/repository.ts';
import { formatProblem, UserError } from '../../../../src/errors.ts';
import type { SourceTree } from '../../../../src/types/repository.ts';
import {
  fixtureEnvironment,
  temporaryFolder,
  writeFiles,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';

// Real git starts many processes; on a machine that is busy with other work, five seconds are not

export const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

type Place = string | SourceTree;

/** An open repository, with helpers for most tests. */
export interface Opened extends Repository {
  /** Paths of the files in a commit, in a tree, or in the work tree (`worktree`). */
  paths(at: Place, folder?: string): Promise<string[]>;
  text(at: Place, path: string, folder?: string): Promise<string>;
  changedPaths(base: string, head: Place, folder?: string): Promise<string[]>;
}

function withShortForms(repository: Repository): Opened {
  const treeOf = async (at: Place, folder: string) => {
    if (typeof at !== 'string') return at;
    return at === 'worktree' ? repository.worktree(folder) : repository.tree(at, folder);
  };
  return {
    ...repository,
    paths: async (at, folder = '.') => [...(await treeOf(at, folder)).files.keys()],
    text: async (at, path, folder = '.') => decode(await (await treeOf(at, folder)).read(path)),
    changedPaths: async (base, head, folder = '.') =>
      (await repository.changedFiles(base, head, folder)).map(({ path }) => path),
  };
}

/** Opens a repository, does the work and closes it. Checks that no temporary files remain. */
export async function using<T>(
  directory: string,
  work: (repository: Opened, temporary: string) => Promise<T>,
  environment = fixtureEnvironment(),
  remote?: RemoteAddress,
  temporary = temporaryFolder('temp'),
): Promise<T> {
  const options = { environment, temporaryFolder: temporary, ...(remote && { remote }) };
  const repository = await openRepository(directory, options);
  try {
    return await work(withShortForms(repository), temporary);
  } finally {
    await repository.close();
    expect(readdirSync(temporary)).toEqual([]);
  }
}

type Lines = [start: number, end: number][];

function fileChange(path: string, basePath: string | null, lines: Lines, deleted = false) {
  return { path, basePath, lines: lines.map(([start, end]) => ({ start, end })), deleted };
}

export const changed = (path: string, ...lines: Lines) => fileChange(path, path, lines);
export const renamed = (from: string, to: string, ...lines: Lines) => fileChange(to, from, lines);
export const added = (path: string, ...lines: Lines) => fileChange(path, null, lines);
export const deleted = (path: string) => fileChange(path, path, [], true);

/** A folder for PATH whose `git` runs a shell line before the real git. */
export function gitAfter(line: string): string {
  const folder = temporaryFolder('bin');
  const path = process.env['PATH'] ?? '';
  const program = `#!/bin/sh\n${line}\nPATH='${path}' exec git "$@"\n`;
  writeFiles(folder, { git: { program } });
  return folder;
}

/** Lets partial clones of a repository fetch single objects, as GitHub does. */
export function allowFilters(origin: FixtureRepository): FixtureRepository {
  for (const key of ['allowFilter', 'allowAnySHA1InWant'])
    origin.git('config', `uploadpack.${key}`, 'true');
  return origin;
}

export const remoteAt = ({ directory }: FixtureRepository): RemoteAddress => {
  return { url: `file://${directory}`, settings: [], advice: '' };
};

/** The message of the `UserError` with which the promise must reject. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${String(error)}`);
  return error.problems.map(formatProblem).join('\n');
}

/** Writes a tree with any entries, including ones that git never creates. */
export function craftedTree(
  repository: FixtureRepository,
  entries: readonly (readonly [mode: string, name: string, id: string])[],
): string {
  const content = entries.flatMap(([mode, name, id]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(id, 'hex'),
  ]);
  const args = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  return repository.gitInput(Buffer.concat(content), ...args);
}
