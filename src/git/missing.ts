import { UserError, problem } from '../errors.ts';
import { git, lastLine, type GitPlace } from './command.ts';
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
