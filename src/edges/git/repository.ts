import { posix } from 'node:path';
import { userError } from '../../errors.ts';
import type { ChangedFile, Origin, SourceTree } from '../../types/repository.ts';
import { diffTrees, treeDifferences } from './changes.ts';
import { writeFiles } from './checkout.ts';
import { gitLine } from './command.ts';
import { trackedAt } from './discover.ts';
import { earlierCommit, type EarlierCommit, type EarlierThan } from './earlier.ts';
import type { FetchHints } from './history.ts';
import { lfsContent } from './lfs.ts';
import { emptyTree, REGULAR_MODES } from './listing.ts';
import { originsOf } from './origin.ts';
import { pathBelow, openReaders, type GitReaders, type RepositoryOptions } from './readers.ts';
import {
  checkedOut,
  defaultBranch,
  findDefaultBase,
  mainlineOf,
  resolveRevision,
  type Mainline,
} from './revision.ts';
import { findFolder, listFolder, sourceTree, type Folder } from './tree.ts';
import { openSnapshots } from './worktree.ts';

/**
 * Reads commits through a private store that borrows a checkout's objects. It never runs the
 * repository's hooks, filters, diff drivers or transports.
 *
 * Outside of a repository every method except `worktree` rejects with a `UserError`.
 */
export interface Repository {
  /** `below`: POSIX path from `root` to the opened folder; '' if they are the same. */
  workTree: { root: string; below: string };
  resolve(revision: string): Promise<string>;
  ensureCommit(commit: string, hints?: FetchHints): Promise<void>;
  checkedOut(): Promise<string[]>;
  /** Deepens a shallow clone as needed; null for unrelated histories. */
  mergeBase(base: string, head: string): Promise<string | null>;
  folder(commit: SourceTree | string, workingDirectory: string): Promise<Folder>;
  tree(commit: string, workingDirectory: string): Promise<SourceTree>;
  worktree(workingDirectory: string): Promise<SourceTree>;
  changedFiles(
    base: string,
    head: SourceTree | string,
    workingDirectory: string,
  ): Promise<ChangedFile[]>;
  isCommitted(
    tree: SourceTree,
    commit: string,
    workingDirectory: string,
    apart?: (path: string) => boolean,
  ): Promise<boolean>;
  checkout(commit: SourceTree | string, folder: string): Promise<void>;
  remoteTip(branch: string): Promise<string | null>;
  earlier(since: string, than: EarlierThan): Promise<EarlierCommit | null>;
  origins(commits: readonly string[], baseBranch: string | null): Promise<Map<string, Origin>>;
  /** The base that the CI names in `env`, otherwise the default branch. Never HEAD. */
  defaultBase(env: NodeJS.ProcessEnv): Promise<string | null>;
  mainline(branch: string | null): Promise<Mainline | null>;
  tracked(path: string): Promise<string[]>;
  commonFolder(): Promise<string>;
  close(): Promise<void>;
}

export async function openRepository(
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const opened = await openReaders(directory, options);
  const { checkout, folder, root } = opened;
  const repository: Repository = {
    workTree: { root, below: pathBelow(root, folder) },
    ...repositoryCommits(opened),
    ...repositoryFiles(opened),
    ...comparisonsOf(opened),
    tracked: (path) => trackedAt(opened.place, checkout, path),
    commonFolder: () => Promise.resolve(checkout?.commonDir ?? folder),
    async close() {
      await opened.reader.close();
      await opened.store.remove();
    },
  };
  return checkout === null && options.remote === undefined
    ? { ...repository, ...withoutCommits(folder) }
    : repository;
}

type Commits = Pick<
  Repository,
  | 'resolve'
  | 'ensureCommit'
  | 'checkedOut'
  | 'mergeBase'
  | 'defaultBase'
  | 'mainline'
  | 'remoteTip'
  | 'earlier'
  | 'origins'
>;

function repositoryCommits({
  store,
  place,
  reader,
  history,
  source,
  checkout,
}: GitReaders): Commits {
  const tips = (): Promise<Map<string, string> | null> =>
    'none' in source.remote ? Promise.resolve(null) : source.remote.tips();
  const names = { place, reader, checkout, source, history };
  const find = (revision: string): Promise<string> => resolveRevision(names, revision);
  return {
    resolve: find,
    ensureCommit: (commit, hints) => history.ensure(commit, hints),
    checkedOut: () => checkedOut(store.head, reader),
    mergeBase: (base, head) => history.mergeBase(base, head),
    remoteTip: async (branch) => (await tips())?.get(`refs/heads/${branch}`) ?? null,
    async origins(commits, base) {
      for (const commit of commits) await history.ensure(commit);
      return originsOf(source, await tips(), commits, base === null ? null : `refs/heads/${base}`);
    },
    earlier: (since, than) => earlierCommit(names, since, than),
    defaultBase: (env) => findDefaultBase(names, env),
    async mainline(branch) {
      const found =
        branch === null ? await defaultBranch(names) : { ref: null, tip: await find(branch) };
      if (found === null) return null;
      await history.ensure(found.tip);
      const name =
        found.ref === null
          ? branch
          : await gitLine(place, ['rev-parse', '--abbrev-ref', found.ref]);
      return mainlineOf(place, name ?? found.tip, found.tip);
    },
  };
}

function repositoryFiles(
  opened: GitReaders,
): Pick<Repository, 'folder' | 'tree' | 'worktree' | 'checkout'> {
  const { reader, trees, fetchContents, prefixOf, idOf, snapshots, root, checkout } = opened;
  const snapshot = openSnapshots(opened.store, root, checkout);
  const places = { root, commonDir: checkout?.commonDir ?? null };
  const treeOf = async (commit: string, id: string, prefix: string): Promise<SourceTree> =>
    sourceTree(commit, await listFolder(trees, id, prefix), reader, (path, pointer) =>
      lfsContent(pointer, posix.join(prefix, path), places),
    );
  return {
    async folder(tree, workingDirectory) {
      return findFolder(trees, await idOf(tree), prefixOf(workingDirectory));
    },
    async tree(commit, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      return treeOf(commit, await idOf(commit), prefix);
    },
    async worktree(workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const id = await snapshot(prefix);
      const tree = await treeOf('worktree', id, prefix);
      snapshots.set(tree, id);
      return tree;
    },
    async checkout(tree, folder) {
      const id = await idOf(tree);
      const entries = await listFolder(trees, id, '');
      // Fetch all files together, because the writers would fetch only a few at a time.
      await fetchContents(
        entries.flatMap((entry) => (REGULAR_MODES.has(entry.mode) ? entry.id : [])),
      );
      await writeFiles(entries, reader, folder);
    },
  };
}

function comparisonsOf(opened: GitReaders): Pick<Repository, 'changedFiles' | 'isCommitted'> {
  const { trees, fetchContents, prefixOf, idOf, snapshots } = opened;
  const treeOf = async (id: string, prefix: string): Promise<string> => {
    const folder = await findFolder(trees, id, prefix);
    return folder.kind === 'folder' ? folder.tree : emptyTree(id);
  };
  return {
    async changedFiles(base, head, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const before = await idOf(base, { side: 'base' });
      const after = await idOf(head, { side: 'head' });
      const pair = [await treeOf(before, prefix), await treeOf(after, prefix)] as const;
      return diffTrees(trees, pair, fetchContents);
    },
    async isCommitted(tree, commit, workingDirectory, apart = () => false) {
      const prefix = prefixOf(workingDirectory);
      const id = snapshots.get(tree);
      if (id === undefined) return tree.commit === commit;
      const committed = await treeOf(await idOf(commit), prefix);
      const differing = await treeDifferences(trees, committed, await treeOf(id, prefix));
      return differing.every(({ status, path }) => status === 'A' && apart(path));
    },
  };
}

function withoutCommits(folder: string): Commits & Pick<Repository, 'tree' | 'isCommitted'> {
  const refuse = (): Promise<never> =>
    Promise.reject(
      userError(
        null,
        `${folder} is not a git repository, so there is nothing to compare with. Run "git ` +
          'init" and commit, or use "npx evaldiff run".',
      ),
    );
  return {
    resolve: refuse,
    ensureCommit: refuse,
    checkedOut: () => Promise.resolve([]),
    mergeBase: refuse,
    tree: refuse,
    isCommitted: refuse,
    defaultBase: refuse,
    remoteTip: () => Promise.resolve(null),
    earlier: () => Promise.resolve(null),
    origins: refuse,
    mainline: () => Promise.resolve(null),
  };
}
