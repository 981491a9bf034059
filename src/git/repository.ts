import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { UserError, problem } from '../errors.ts';
import type { ChangedFile, SourceTree } from '../types/repository.ts';
import { diffTrees, sameTrees } from './changes.ts';
import { checkedOut, type Snapshot, uncommittedFiles, writeFiles } from './checkout.ts';
import { gitAnswers, gitEnvironment, gitLine, lastLine, runGit, type GitPlace } from './command.ts';
import { openHistory, type FetchHints } from './history.ts';
import { openObjectReader } from './objects.ts';
import { defaultBranch, mainlineOf, resolveRevision, type Mainline } from './revision.ts';
import { findFolder, folderPrefix, listFolder, sourceTree } from './tree.ts';
import { openWorktreeStore } from './worktree.ts';

/**
 * Files of a repository at its commits, by object id. Nothing is checked out into it, and no
 * program that a repository or its configuration names (hook, filter, diff driver) is run. Commits
 * are full ids in lower case.
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
  /**
   * The files below the working directory at a commit; empty when the folder does not exist there.
   */
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
   * uncommitted.
   */
  isCommitted(tree: SourceTree, commit: string, workingDirectory: string): Promise<boolean>;
  /**
   * Writes the regular files of the whole commit (or of a tree of `worktree`) into a new (or empty)
   * folder.
   */
  checkout(commit: SourceTree | string, folder: string): Promise<void>;
  /**
   * What a person's work is compared with unless they say: the local `main`, else the default
   * branch as far as this clone knows; null without a commit.
   */
  defaultBase(): Promise<string | null>;
  /**
   * The states of a branch, or of the default branch for null. Null where there is no repository,
   * or no commit in it.
   */
  mainline(branch: string | null): Promise<Mainline | null>;
  /** Ends git's processes and removes every temporary file. */
  close(): Promise<void>;
}

export interface RepositoryOptions {
  /**
   * Usually `process.env`. Variables that point git elsewhere, action inputs and model keys are not
   * handed on.
   */
  environment: NodeJS.ProcessEnv;
  /**
   * Where the private store of `worktree` is made: `RUNNER_TEMP`, or the system's folder for
   * temporary files.
   */
  temporaryFolder: string;
  /** Milliseconds after which a command that talks to the remote is ended; default ten minutes. */
  networkTimeoutMs?: number;
}

interface Found {
  place: GitPlace;
  /** Root of the work tree; null for a bare repository. */
  root: string | null;
  /** The opened folder below the root, '' or with a trailing slash. */
  start: string;
}

/** Opens the repository that `directory` lies in, or the folder alone when it lies in none. */
export async function openRepository(
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const real = await realpath(directory).catch(() => null);
  if (real === null || !(await stat(real)).isDirectory())
    throw new UserError([problem(null, `${directory} is not a folder`)]);
  const outer: GitPlace = {
    directory: real,
    environment: gitEnvironment(options.environment),
    settings: [],
    networkTimeoutMs: options.networkTimeoutMs ?? 600_000,
  };
  const found = await findRepository(outer);
  return found === null ? folderAlone(outer, options) : openFound(found, real, options);
}

async function findRepository(outer: GitPlace): Promise<Found | null> {
  const { code, output, complaint } = await runGit(outer, [
    'rev-parse',
    '--is-inside-work-tree',
    '--show-toplevel',
    '--show-prefix',
  ]);
  if (/dubious ownership/.test(complaint))
    throw new UserError([problem(null, ownershipMessage(outer.directory, complaint))]);
  const [inside, ...lines] = output.toString('utf8').split('\n');
  // It has no top level then, and says so as an error.
  if (inside === 'false') return { place: outer, root: null, start: '' };
  if (code !== 0) {
    if (/not a git repository/.test(complaint)) return null;
    throw new UserError([
      problem(
        null,
        `The git repository at ${outer.directory} cannot be read: ${lastLine(complaint)}.`,
      ),
    ]);
  }
  // Two lines and the end, unless one of the paths holds a line break.
  const [root = '', start = ''] =
    lines.length === 3 ? lines : await gitAnswers(outer, [['--show-toplevel'], ['--show-prefix']]);
  return { place: { ...outer, directory: root }, root, start };
}

function ownershipMessage(directory: string, complaint: string): string {
  const owned = /repository at '(.+)'/.exec(complaint)?.[1] ?? directory;
  return (
    `The repository at ${owned} belongs to another user, so git refuses to read it. ` +
    `Run this before evaldiff (in a workflow: as a step): git config --global --add safe.directory "${owned}"`
  );
}

function openFound(
  { place, root, start }: Found,
  opened: string,
  options: RepositoryOptions,
): Repository {
  const reader = openObjectReader(place);
  const history = openHistory(place);
  const uncommitted = uncommittedFiles(() => {
    if (root === null)
      throw new UserError([
        problem(
          null,
          `${place.directory} is a bare repository: it has no working tree. Name a commit instead.`,
        ),
      ]);
    return openWorktreeStore(place, root, place, options.temporaryFolder);
  }, history.contents);
  const prefixOf = (workingDirectory: string): string =>
    folderPrefix(start, relativeTo(opened, workingDirectory), root ?? opened);
  const snapshotOf = (tree: SourceTree | string): Snapshot | null =>
    typeof tree === 'string' ? null : uncommitted.snapshotOf(tree);
  const committed = async (tree: SourceTree | string, side?: FetchHints): Promise<Snapshot> => {
    const commit = typeof tree === 'string' ? tree : tree.commit;
    await history.ensure(commit, side);
    return { place, reader, id: commit };
  };
  /** The tree of a folder; that of an empty one where there is none. */
  const folderOf = async ({ place: at, id }: Snapshot, prefix: string): Promise<string> => {
    const folder = await findFolder(at, id, prefix);
    return folder?.mode === '040000'
      ? folder.id
      : gitLine(place, ['hash-object', '-t', 'tree', '--stdin']);
  };
  return {
    workTree: { root: root ?? opened, below: start.replace(/\/$/, '') },
    resolve: (revision) => resolveRevision(place, history, revision),
    ensureCommit: (commit, hints) => history.ensure(commit, hints),
    checkedOut: () => checkedOut(place),
    mergeBase: (base, head) => history.mergeBase(base, head),
    async tree(commit, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      await history.ensure(commit);
      return sourceTree(commit, await listFolder(place, commit, prefix, history.contents), reader);
    },
    worktree: async (workingDirectory) => uncommitted.tree(prefixOf(workingDirectory)),
    async changedFiles(base, head, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const before = await committed(base, { side: 'base' });
      const after = snapshotOf(head) ?? (await committed(head, { side: 'head' }));
      return diffTrees(after.place, await folderOf(before, prefix), await folderOf(after, prefix));
    },
    async isCommitted(tree, commit, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const snapshot = snapshotOf(tree);
      return snapshot === null
        ? tree.commit === commit
        : sameTrees(
            snapshot.place,
            await folderOf(await committed(commit), prefix),
            await folderOf(snapshot, prefix),
          );
    },
    async checkout(tree, folder) {
      const from = snapshotOf(tree) ?? (await committed(tree));
      await writeFiles(
        await listFolder(from.place, from.id, '', history.contents),
        from.reader,
        folder,
      );
    },
    defaultBase: async () => (await defaultBranch(place, 'refs/heads/main'))?.name ?? null,
    async mainline(branch) {
      const found =
        branch === null
          ? await defaultBranch(place)
          : { name: branch, tip: await resolveRevision(place, history, branch) };
      if (found === null) return null;
      await history.ensure(found.tip);
      return mainlineOf(place, found.name, found.tip);
    },
    close: async () => {
      await Promise.all([reader.close(), uncommitted.close()]);
    },
  };
}

/** A folder without a repository has only its present files. */
function folderAlone(outer: GitPlace, options: RepositoryOptions): Repository {
  const uncommitted = uncommittedFiles(() =>
    openWorktreeStore(outer, outer.directory, null, options.temporaryFolder),
  );
  const refuse = (): Promise<never> =>
    Promise.reject(
      new UserError([
        problem(
          null,
          `${outer.directory} is not a git repository, so there is nothing to compare with. Run "git init" and commit, or use "evaldiff run".`,
        ),
      ]),
    );
  return {
    workTree: { root: outer.directory, below: '' },
    resolve: refuse,
    ensureCommit: refuse,
    checkedOut: () => Promise.resolve([]),
    mergeBase: refuse,
    tree: refuse,
    changedFiles: refuse,
    isCommitted: refuse,
    defaultBase: refuse,
    mainline: () => Promise.resolve(null),
    worktree: async (workingDirectory) =>
      uncommitted.tree(
        folderPrefix('', relativeTo(outer.directory, workingDirectory), outer.directory),
      ),
    async checkout(tree, folder) {
      const snapshot = typeof tree === 'string' ? null : uncommitted.snapshotOf(tree);
      if (snapshot === null) return refuse();
      await writeFiles(await listFolder(snapshot.place, snapshot.id, ''), snapshot.reader, folder);
    },
    close: () => uncommitted.close(),
  };
}

/** The working directory as a POSIX path relative to the opened folder. */
function relativeTo(opened: string, workingDirectory: string): string {
  const path = isAbsolute(workingDirectory)
    ? relative(opened, resolve(workingDirectory))
    : workingDirectory;
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}
