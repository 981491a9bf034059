import { posix } from 'node:path';
import { UserError, problem } from '../errors.ts';
import type { ChangedFile, Origin, SourceTree } from '../types/repository.ts';
import { diffTrees } from './changes.ts';
import { writeFiles } from './checkout.ts';
import { findDefaultBase } from './default-base.ts';
import { trackedAt } from './discover.ts';
import type { FetchHints } from './history.ts';
import { emptyTree, REGULAR_MODES } from './listing.ts';
import { lfsContent } from './missing.ts';
import { originsOf } from './origin.ts';
import { pathBelow, openReaders, type GitReaders, type RepositoryOptions } from './readers.ts';
import {
  checkedOut,
  defaultBranch,
  mainlineOf,
  resolveRevision,
  shortName,
  type Mainline,
} from './revision.ts';
import { sameTrees } from './same-trees.ts';
import { findFolder, listFolder, sourceTree, type Folder } from './tree.ts';
import { openSnapshots } from './worktree.ts';

/**
 * Files of a repository at its commits, by object id, read through a private store that borrows
 * the objects of a checkout where there is one. The checkout is not changed, and no program that a
 * repository or its configuration names (hook, filter, diff driver, transport) is run. Commits are
 * full ids in lower case.
 *
 * `workingDirectory` is relative to the opened folder (or absolute) and must lie inside the
 * repository; it need not exist. Everything but `worktree` rejects with a `UserError` when the
 * folder is not in a git repository.
 */
export interface Repository {
  /**
   * The work tree's root, and the opened folder below it (POSIX, '' for the root itself). Without a
   * work tree the folder is its own root.
   */
  workTree: { root: string; below: string };
  /**
   * Full id of the commit that a person's branch, tag or commit id means. A full id is not looked
   * up: see `ensureCommit`.
   */
  resolve(revision: string): Promise<string>;
  /**
   * Fetches the commit from the remote when this clone lacks it. `UserError` with git's reason when
   * that fails.
   */
  ensureCommit(commit: string, hints?: FetchHints): Promise<void>;
  /**
   * The commit that is checked out, then its parents (as a merge commit of GitHub's has the pull
   * request's head); empty without one.
   */
  checkedOut(): Promise<string[]>;
  /**
   * Best common ancestor, fetching as much history of a shallow clone as that takes; null for
   * unrelated histories.
   */
  mergeBase(base: string, head: string): Promise<string | null>;
  /** What the working directory is at a commit, or in a tree of `worktree`. */
  folder(commit: SourceTree | string, workingDirectory: string): Promise<Folder>;
  /** The files below the working directory at a commit; empty where that is not a folder. */
  tree(commit: string, workingDirectory: string): Promise<SourceTree>;
  /**
   * The files as they are on disk now: tracked and untracked, not ignored. Later changes on disk do
   * not show.
   */
  worktree(workingDirectory: string): Promise<SourceTree>;
  /**
   * What differs from `base` (a merge base, for a pull request's view) to `head`, in git's order of
   * paths.
   */
  changedFiles(
    base: string,
    head: SourceTree | string,
    workingDirectory: string,
  ): Promise<ChangedFile[]>;
  /**
   * Whether a tree of `worktree` holds what the checked-out commit holds there, so that nothing is
   * uncommitted. `apart`: paths below the working directory at which a new file does not count.
   */
  isCommitted(
    tree: SourceTree,
    commit: string,
    workingDirectory: string,
    apart?: (path: string) => boolean,
  ): Promise<boolean>;
  /**
   * Writes the regular files of the whole commit (or of a tree of `worktree`) into a new (or empty)
   * folder.
   */
  checkout(commit: SourceTree | string, folder: string): Promise<void>;
  /** Tip of a branch at the remote; null: it has no such branch, or does not answer. */
  remoteTip(branch: string): Promise<string | null>;
  /**
   * Where commits lie, proved by reachability from the remote's branches and tags. Fetches those
   * that are missing.
   */
  origins(commits: readonly string[], baseBranch: string | null): Promise<Map<string, Origin>>;
  /**
   * Full id of the commit to compare with where the user names none: what the CI names in `env`,
   * else the default branch. Null where there is none; HEAD never takes its place.
   */
  defaultBase(env: NodeJS.ProcessEnv): Promise<string | null>;
  /**
   * The states of a branch, or of the default branch for null. Null where there is no repository,
   * or no commit in it.
   */
  mainline(branch: string | null): Promise<Mainline | null>;
  /**
   * What git's index holds at or below an absolute path without links, as POSIX paths below the
   * work tree's root; empty outside of it.
   */
  tracked(path: string): Promise<string[]>;
  /**
   * The folder that all work trees of this clone share, which tells it from every other; without a
   * repository the folder itself.
   */
  commonFolder(): Promise<string>;
  /** Address of the remote that the checkout names; null: there is none that we would use. */
  remoteUrl: string | null;
  /** Ends git's processes and removes every temporary file. */
  close(): Promise<void>;
}

/** Opens the repository that `directory` lies in, or the folder alone when it lies in none. */
export async function openRepository(
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const opened = await openReaders(directory, options);
  const { checkout, folder, root } = opened;
  const repository: Repository = {
    workTree: { root, below: pathBelow(root, folder) },
    ...commitsOf(opened),
    ...filesOf(opened),
    ...comparisonsOf(opened),
    tracked: (path) => trackedAt(opened.place, checkout, path),
    remoteUrl: 'address' in opened.store.remote ? opened.store.remote.address.url : null,
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
  | 'origins'
>;

function commitsOf({ store, place, reader, history, source, checkout }: GitReaders): Commits {
  const tips = (): Promise<Map<string, string> | null> =>
    'none' in source.remote ? Promise.resolve(null) : source.remote.tips();
  const names = { place, reader, checkout, source };
  const find = (revision: string): Promise<string> => resolveRevision(names, history, revision);
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
    defaultBase: (env) => findDefaultBase(reader, history, env),
    async mainline(branch) {
      const found =
        branch === null ? await defaultBranch(names) : { ref: null, tip: await find(branch) };
      if (found === null) return null;
      await history.ensure(found.tip);
      const name = found.ref === null ? branch : await shortName(place, found.ref);
      return mainlineOf(place, name ?? found.tip, found.tip);
    },
  };
}

type FilesOfRepository = Pick<Repository, 'folder' | 'tree' | 'worktree' | 'checkout'>;

function filesOf(opened: GitReaders): FilesOfRepository {
  const { reader, trees, bring, prefixOf, idOf, snapshots, root, checkout } = opened;
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
      // All in one request, where the writers would ask for a few at a time.
      await bring(entries.flatMap((entry) => (REGULAR_MODES.has(entry.mode) ? entry.id : [])));
      await writeFiles(entries, reader, folder);
    },
  };
}

function comparisonsOf({
  place,
  trees,
  bring,
  prefixOf,
  idOf,
  snapshots,
}: GitReaders): Pick<Repository, 'changedFiles' | 'isCommitted'> {
  /** The tree of a folder; that of an empty one where there is none. */
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
      return diffTrees(place, trees, pair, bring);
    },
    async isCommitted(tree, commit, workingDirectory, apart = () => false) {
      const prefix = prefixOf(workingDirectory);
      const id = snapshots.get(tree);
      if (id === undefined) return tree.commit === commit;
      const committed = await treeOf(await idOf(commit), prefix);
      return sameTrees(trees, committed, await treeOf(id, prefix), apart);
    },
  };
}

/** A folder without a repository has only its present files. */
function withoutCommits(folder: string): Commits & Pick<Repository, 'tree' | 'isCommitted'> {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new UserError([
        problem(
          null,
          `${folder} is not a git repository, so there is nothing to compare with. Run "git init" and commit, or use "npx evaldiff run".`,
        ),
      ]),
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
    origins: refuse,
    mainline: () => Promise.resolve(null),
  };
}
