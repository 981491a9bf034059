import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { SourceTree } from '../../types/repository.ts';
import { gitEnvironment, type GitPlace } from './command.ts';
import { type Checkout, type FoundFolder, checkoutAt, discoverCheckout } from './discover.ts';
import { openHistory, type CommitHistory, type FetchHints, type HistorySource } from './history.ts';
import type { TreeReader } from './listing.ts';
import { openMissing } from './missing.ts';
import { openObjectReader, type ObjectReader } from './objects.ts';
import { openRemote, type RemoteAddress } from './remote.ts';
import { openGitStore, type GitStore } from './store.ts';
import { folderPrefix } from './tree.ts';

export interface RepositoryOptions {
  environment: NodeJS.ProcessEnv;
  temporaryFolder: string;
  /** With a remote, the folder need not be a checkout. */
  remote?: RemoteAddress;
  networkTimeoutMs?: number;
}

export interface GitReaders {
  folder: string;
  root: string;
  store: GitStore;
  place: GitPlace;
  checkout: Checkout | null;
  history: CommitHistory;
  source: HistorySource;
  reader: ObjectReader;
  trees: TreeReader;
  fetchContents(ids: readonly string[]): Promise<void>;
  prefixOf(workingDirectory: string): string;
  idOf(tree: SourceTree | string, hints?: FetchHints): Promise<string>;
  snapshots: WeakMap<SourceTree, string>;
}

export async function openReaders(
  directory: string,
  options: RepositoryOptions,
): Promise<GitReaders> {
  const found =
    options.remote === undefined ? await discoverCheckout(directory) : await workspaceAt(directory);
  const store = await openGitStore(found.checkout, options.environment, options.temporaryFolder);
  return createReaders(found, store, options);
}

async function workspaceAt(directory: string): Promise<FoundFolder> {
  const folder = await realpath(directory).catch(() => resolve(directory));
  return { folder, checkout: await checkoutAt(folder) };
}

function createReaders(
  { folder, checkout }: FoundFolder,
  store: GitStore,
  options: RepositoryOptions,
): GitReaders {
  const { place } = store;
  const found = options.remote === undefined ? store.remote : { address: options.remote };
  const remote =
    'none' in found
      ? found
      : openRemote(
          place,
          found.address,
          gitEnvironment(options.environment),
          options.networkTimeoutMs ?? 600_000,
        );
  const missing = openMissing(place, 'none' in remote ? null : remote);
  const reader = openObjectReader(place, missing.contents);
  const trees: TreeReader = { reader, missing, known: new Map() };
  const source = { place, reader, remote, empty: checkout === null };
  const history = openHistory(source);
  const snapshots: GitReaders['snapshots'] = new WeakMap();
  const root = checkout?.root ?? folder;
  return {
    folder,
    root,
    store,
    place,
    checkout,
    history,
    source,
    snapshots,
    reader,
    trees,
    fetchContents: missing.contents,
    prefixOf: (workingDirectory) =>
      folderPrefix(pathBelow(root, folder), relativeTo(folder, workingDirectory), root),
    async idOf(tree, hints) {
      const snapshot = typeof tree === 'string' ? undefined : snapshots.get(tree);
      if (snapshot !== undefined) return snapshot;
      const commit = typeof tree === 'string' ? tree : tree.commit;
      await history.ensure(commit, hints);
      return commit;
    },
  };
}

function relativeTo(opened: string, workingDirectory: string): string {
  return posixPath(
    isAbsolute(workingDirectory) ? relative(opened, resolve(workingDirectory)) : workingDirectory,
  );
}

export function pathBelow(root: string, folder: string): string {
  return posixPath(relative(root, folder));
}

function posixPath(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}
