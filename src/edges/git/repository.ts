import { realpath } from 'node:fs/promises';
import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { userError } from '../../errors.ts';
import type { ChangedFile, Origin, SourceTree } from '../../types/repository.ts';
import { diffTrees, treeDifferences } from './changes.ts';
import { writeFiles } from './checkout.ts';
import { gitEnvironment, gitLine, gitLines, lastLine, type GitPlace } from './command.ts';
import { checkoutAt, discoverCheckout, trackedAt, type FoundFolder } from './discover.ts';
import { openHistory, originsOf, type FetchHints } from './history.ts';
import { emptyTree, REGULAR_MODES } from './listing.ts';
import { openObjectReader } from './objects.ts';
import { openRemote, type RemoteAddress } from './remote.ts';
import {
  checkedOut,
  defaultBranch,
  earlierCommit,
  findDefaultBase,
  mainlineOf,
  resolveRevision,
  type EarlierCommit,
  type EarlierThan,
  type Mainline,
  type Names,
} from './revision.ts';
import { openGitStore, openSnapshots, type GitStore } from './store.ts';
import {
  findFolder,
  folderPrefix,
  lfsContent,
  listFolder,
  sourceTree,
  type Folder,
} from './tree.ts';

interface RepositoryOptions {
  environment: NodeJS.ProcessEnv;
  temporaryFolder: string;
  /** With a remote, the folder need not be a checkout. */
  remote?: RemoteAddress;
  networkTimeoutMs?: number;
}

interface RepositoryCommits {
  resolve(revision: string): Promise<string>;
  ensureCommit(commit: string, hints?: FetchHints): Promise<void>;
  checkedOut(): Promise<string[]>;
  /** Deepens a shallow clone as needed; null for unrelated histories. */
  mergeBase(base: string, head: string): Promise<string | null>;
  remoteTip(branch: string): Promise<string | null>;
  earlier(since: string, than: EarlierThan): Promise<EarlierCommit | null>;
  origins(commits: readonly string[], baseBranch: string | null): Promise<Map<string, Origin>>;
  /** The base that the CI names in `env`, otherwise the default branch. Never HEAD. */
  defaultBase(env: NodeJS.ProcessEnv): Promise<string | null>;
  mainline(branch: string | null): Promise<Mainline | null>;
}

interface RepositoryFiles {
  folder(commit: SourceTree | string, workingDirectory: string): Promise<Folder>;
  tree(commit: string, workingDirectory: string): Promise<SourceTree>;
  worktree(workingDirectory: string): Promise<SourceTree>;
  checkout(commit: SourceTree | string, folder: string): Promise<void>;
}

interface RepositoryChanges {
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
}

/**
 * Reads commits through a private store that borrows a checkout's objects. It never runs the
 * repository's hooks, filters, diff drivers or transports.
 *
 * Outside of a repository every method except `worktree` rejects with a `UserError`.
 */
export interface Repository extends RepositoryCommits, RepositoryFiles, RepositoryChanges {
  /** `below`: POSIX path from `root` to the opened folder; '' if they are the same. */
  workTree: { root: string; below: string };
  tracked(path: string): Promise<string[]>;
  commonFolder(): Promise<string>;
  close(): Promise<void>;
}

export async function openRepository(
  directory: string,
  options: RepositoryOptions,
): Promise<Repository> {
  const { environment, temporaryFolder, remote } = options;
  const { folder, checkout } = await (remote === undefined ? discoverCheckout : folderAt)(
    directory,
  );
  const store = await openGitStore(checkout, environment, temporaryFolder);
  const root = checkout?.root ?? folder;
  const source = openSource(store, checkout === null, options);
  const files = fileSource(source, root, folder);
  const repository: Repository = {
    workTree: { root, below: pathBelow(root, folder) },
    ...repositoryCommits(source, store),
    ...repositoryFiles(files, openSnapshots(store, root, checkout), {
      root,
      commonDir: checkout?.commonDir ?? null,
    }),
    ...comparisonsOf(files),
    tracked: (path) => trackedAt(source.place, checkout, path),
    commonFolder: () => Promise.resolve(checkout?.commonDir ?? folder),
    async close() {
      await source.reader.close();
      await store.remove();
    },
  };
  return checkout === null && remote === undefined
    ? { ...repository, ...withoutCommits(folder) }
    : repository;
}

async function folderAt(directory: string): Promise<FoundFolder> {
  const folder = await realpath(directory).catch(() => resolve(directory));
  return { folder, checkout: await checkoutAt(folder) };
}

function openSource(
  { place, remote: own }: GitStore,
  empty: boolean,
  { environment, remote: given = own, networkTimeoutMs = 600_000 }: RepositoryOptions,
): Names {
  const remote = openRemote(place, given, gitEnvironment(environment), networkTimeoutMs);
  const fetchTrees = async (ids: readonly string[]) => {
    if (ids.length === 0 || !remote.isThere) return;
    const { code, stderr } = await remote.fetch(ids, { alone: true });
    if (code === 0) return;
    const message =
      `${ids.length} files or folders could not be fetched, and this clone does not have them: ` +
      `${lastLine(stderr)}.`;
    throw userError(null, message);
  };
  const fetchContents = async (ids: readonly string[]) => {
    if (ids.length > 0 && remote.isThere) await fetchTrees(await missingIn(place, ids));
  };
  const reader = openObjectReader(place, fetchContents);
  const source = { place, reader, remote, empty, fetchTrees, fetchContents };
  return { ...source, history: openHistory(source) };
}

async function missingIn(place: GitPlace, ids: readonly string[]): Promise<string[]> {
  const lines = await gitLines(place, ['cat-file', '--batch-check=%(objectname)'], {
    input: Buffer.from(`${[...new Set(ids)].join('\n')}\n`),
  });
  return lines.flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
}

interface FileSource extends Names {
  /** The git trees of uncommitted files. */
  snapshots: WeakMap<SourceTree, string>;
  prefixOf(workingDirectory: string): string;
  idOf(tree: SourceTree | string, hints?: FetchHints): Promise<string>;
}

function fileSource(source: Names, root: string, folder: string): FileSource {
  const snapshots: FileSource['snapshots'] = new WeakMap();
  return {
    ...source,
    snapshots,
    prefixOf(workingDirectory) {
      const below = isAbsolute(workingDirectory)
        ? pathBelow(folder, resolve(workingDirectory))
        : posixPath(workingDirectory);
      return folderPrefix(pathBelow(root, folder), below, root);
    },
    async idOf(tree, hints) {
      const snapshot = typeof tree === 'string' ? undefined : snapshots.get(tree);
      if (snapshot !== undefined) return snapshot;
      const commit = typeof tree === 'string' ? tree : tree.commit;
      await source.history.ensure(commit, hints);
      return commit;
    },
  };
}

function pathBelow(root: string, folder: string): string {
  return posixPath(relative(root, folder));
}

function posixPath(path: string): string {
  return path.replaceAll(sep, '/');
}

function repositoryCommits(source: Names, store: GitStore): RepositoryCommits {
  const { place, reader, history, remote } = source;
  const find = (revision: string): Promise<string> => resolveRevision(source, revision);
  return {
    resolve: find,
    ensureCommit: history.ensure,
    checkedOut: () => checkedOut(store.head, reader),
    mergeBase: history.mergeBase,
    remoteTip: async (branch) => (await remote.tips())?.get(`refs/heads/${branch}`) ?? null,
    async origins(commits, base) {
      for (const commit of commits) await history.ensure(commit);
      return originsOf(source, commits, base === null ? null : `refs/heads/${base}`);
    },
    earlier: (since, than) => earlierCommit(source, since, than),
    defaultBase: (env) => findDefaultBase(source, env),
    async mainline(branch) {
      const found =
        branch === null ? await defaultBranch(source) : { ref: null, tip: await find(branch) };
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
  source: FileSource,
  snapshot: (prefix: string) => Promise<string>,
  places: { root: string; commonDir: string | null },
): RepositoryFiles {
  const { reader, fetchContents, prefixOf, idOf } = source;
  const treeOf = async (commit: string, id: string, prefix: string): Promise<SourceTree> =>
    sourceTree(commit, await listFolder(source, id, prefix), reader, (path, pointer) =>
      lfsContent(pointer, posix.join(prefix, path), places),
    );
  return {
    async folder(tree, workingDirectory) {
      return findFolder(source, await idOf(tree), prefixOf(workingDirectory));
    },
    async tree(commit, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      return treeOf(commit, await idOf(commit), prefix);
    },
    async worktree(workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const id = await snapshot(prefix);
      const tree = await treeOf('worktree', id, prefix);
      source.snapshots.set(tree, id);
      return tree;
    },
    async checkout(tree, folder) {
      const id = await idOf(tree);
      const entries = await listFolder(source, id, '');
      // Fetch all files together, because the writers would fetch only a few at a time.
      await fetchContents(
        entries.flatMap((entry) => (REGULAR_MODES.has(entry.mode) ? entry.id : [])),
      );
      await writeFiles(entries, reader, folder);
    },
  };
}

function comparisonsOf(source: FileSource): RepositoryChanges {
  const { prefixOf, idOf, snapshots } = source;
  const treeOf = async (id: string, prefix: string): Promise<string> => {
    const folder = await findFolder(source, id, prefix);
    return folder.kind === 'folder' ? folder.tree : emptyTree(id);
  };
  return {
    async changedFiles(base, head, workingDirectory) {
      const prefix = prefixOf(workingDirectory);
      const before = await treeOf(await idOf(base, { side: 'base' }), prefix);
      const after = await treeOf(await idOf(head, { side: 'head' }), prefix);
      return diffTrees(source, before, after);
    },
    async isCommitted(tree, commit, workingDirectory, apart = () => false) {
      const prefix = prefixOf(workingDirectory);
      const id = snapshots.get(tree);
      if (id === undefined) return tree.commit === commit;
      const committed = await treeOf(await idOf(commit), prefix);
      const differing = await treeDifferences(source, committed, await treeOf(id, prefix));
      return differing.every(({ status, path }) => status === 'A' && apart(path));
    },
  };
}

function withoutCommits(folder: string) {
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
  } satisfies Partial<Repository>;
}
