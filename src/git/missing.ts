import { UserError, problem } from '../errors.ts';
import { git, gitLine, lastLine, runGit, type GitPlace } from './command.ts';
import { isObjectId } from './objects.ts';
import type { FetchWish, Remote } from './remote.ts';

/**
 * Brings what a store lacks below a commit that it has: as little as possible, in as few requests
 * as possible. `UserError` with git's reason when that fails; without a remote nothing is brought.
 */
export interface Missing {
  /** The trees that lead to a folder of a commit or tree, and those below it; no contents. */
  trees(commit: string, prefix: string): Promise<void>;
  /** Those of these contents that are not here. */
  contents(ids: readonly string[]): Promise<void>;
}

export function openMissing(place: GitPlace, remote: Remote | null): Missing {
  const bring = async (ids: readonly string[], filter: FetchWish['filter']): Promise<void> => {
    if (ids.length === 0 || remote === null) return;
    const { code, complaint } = await remote.fetch(ids, { filter, alone: true });
    if (code !== 0) throw notBrought(ids.length, filter, complaint);
  };
  const trees = async (commit: string, prefix: string): Promise<void> => {
    const tree = await folderTree(place, commit, prefix, (id) => bring([id], 'tree:0'));
    if (tree === null) return;
    if (!(await has(place, tree))) await bring([tree], 'blob:none');
    else await bring(await absentTrees(place, tree), 'blob:none');
  };
  return {
    trees,
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

/** The tree of a folder; null where there is none, or where it cannot be had. */
async function folderTree(
  place: GitPlace,
  commit: string,
  prefix: string,
  bring: (tree: string) => Promise<void>,
): Promise<string | null> {
  let tree: string | null = await rootTree(place, commit);
  for (const part of prefix === '' ? [] : prefix.split('/')) {
    if (!(await has(place, tree))) await bring(tree);
    const { code, output } = await runGit(place, [
      'ls-tree',
      '-z',
      '--full-tree',
      '--end-of-options',
      tree,
      part,
    ]);
    const found: string | undefined = /^040000 tree ([0-9a-f]+)\t/.exec(
      output.toString('latin1'),
    )?.[1];
    if (code !== 0 || found === undefined) return null;
    tree = found;
  }
  return tree;
}

/** Read from the commit itself: a tree that is not here has no other name. */
async function rootTree(place: GitPlace, commit: string): Promise<string> {
  if ((await gitLine(place, ['cat-file', '-t', commit])) === 'tree') return commit;
  const [line = ''] = (await gitLine(place, ['cat-file', 'commit', commit])).split('\n', 1);
  const tree = line.replace(/^tree /, '');
  return isObjectId(tree) ? tree : commit;
}

async function has(place: GitPlace, id: string): Promise<boolean> {
  return (await runGit(place, ['cat-file', '-e', id])).code === 0;
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

/** Trees below a tree that are not here. */
async function absentTrees(place: GitPlace, tree: string): Promise<string[]> {
  const listing = await git(place, [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--missing=print',
    '--filter=blob:none',
    tree,
  ]);
  return listing
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?'))
    .map((line) => line.slice(1));
}
