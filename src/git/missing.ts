import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError, problem } from '../errors.ts';
import { type GitPlace, git, lastLine } from './command.ts';
import type { FetchWish, Remote } from './remote.ts';

/**
 * Brings what a store lacks below a commit that it has: as little as possible, in as few requests
 * as possible. `UserError` with git's reason when that fails; without a remote nothing is brought.
 */
export interface Missing {
  /** The listing of a folder alone, and nothing below it. */
  listing(tree: string): Promise<void>;
  /** These trees and all trees below them; no contents. */
  trees(ids: readonly string[]): Promise<void>;
  /** Those of these contents that are not here. */
  contents(ids: readonly string[]): Promise<void>;
}

export function openMissing(place: GitPlace, remote: Remote | null): Missing {
  const bring = async (ids: readonly string[], filter: FetchWish['filter']): Promise<void> => {
    if (ids.length === 0 || remote === null) return;
    const { code, complaint } = await remote.fetch(ids, { filter, alone: true });
    if (code !== 0) throw notBrought(ids.length, filter, complaint);
  };
  return {
    listing: (tree) => bring([tree], 'tree:0'),
    trees: (ids) => bring(ids, 'blob:none'),
    async contents(ids) {
      if (remote !== null && ids.length > 0) await bring(await notHere(place, ids), 'blob:none');
    },
  };
}

function notBrought(count: number, filter: FetchWish['filter'], complaint: string): UserError {
  const what = filter === 'tree:0' ? 'A folder listing' : `The contents of ${String(count)} files`;
  return new UserError([
    problem(null, `${what}, which this clone lacks, could not be fetched: ${lastLine(complaint)}.`),
  ]);
}

async function notHere(place: GitPlace, ids: readonly string[]): Promise<string[]> {
  const answer = await git(place, ['cat-file', '--batch-check=%(objectname)'], {
    input: Buffer.from(`${[...new Set(ids)].join('\n')}\n`),
  });
  return answer
    .toString('latin1')
    .split('\n')
    .flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
}

/** What Git LFS keeps in a commit in place of a file. */
export interface LfsPointer {
  /** Of the file itself, in hexadecimal. */
  sha256: string;
  /** Bytes of the file itself. */
  size: number;
}

/** A pointer is smaller than this. */
const MOST_BYTES = 1024;

/** A file above this is not read: everything that is read of a repository is smaller. */
export const MOST_LFS_BYTES = 64 * 1024 * 1024;

/** The pointer that a content is; null: it is a file like others. */
export function lfsPointer(content: Uint8Array): LfsPointer | null {
  if (content.length > MOST_BYTES) return null;
  const text = Buffer.from(content).toString('latin1');
  if (!/^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n/.test(text))
    return null;
  const [, sha256] = /^oid sha256:([0-9a-f]{64})$/m.exec(text) ?? [];
  const [, size] = /^size (\d{1,15})$/m.exec(text) ?? [];
  return sha256 === undefined || size === undefined ? null : { sha256, size: Number(size) };
}

/**
 * Where a clone has the files that pointers stand for: in the work tree, and in the storage of Git
 * LFS. Both are of the disk, which anybody may have written to: what is there counts only where its
 * bytes are the pointer's.
 */
interface LfsPlaces {
  /** The work tree's root. */
  root: string;
  /** The clone's own folder; null without a clone. */
  commonDir: string | null;
}

/** The file that a pointer at `path` (below the root, POSIX) stands for; null: it is not here. */
export async function lfsContent(
  { sha256, size }: LfsPointer,
  path: string,
  { root, commonDir }: LfsPlaces,
): Promise<Uint8Array | null> {
  if (size > MOST_LFS_BYTES) return null;
  const kept = ['lfs', 'objects', sha256.slice(0, 2), sha256.slice(2, 4), sha256];
  const places = [join(root, path), ...(commonDir === null ? [] : [join(commonDir, ...kept)])];
  for (const place of places) {
    const content = await contentOf(place, size);
    if (content !== null && createHash('sha256').update(content).digest('hex') === sha256)
      return content;
  }
  return null;
}

async function contentOf(place: string, size: number): Promise<Uint8Array | null> {
  try {
    // Anything else may never end.
    const found = await lstat(place);
    return found.isFile() && found.size === size ? await readFile(place) : null;
  } catch {
    return null;
  }
}
