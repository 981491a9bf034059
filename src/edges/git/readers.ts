import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { userError } from '../../errors.ts';
import type { SourceTree } from '../../types/repository.ts';
import { gitEnvironment, gitLines, lastLine, type GitPlace } from './command.ts';
import { type FoundFolder, checkoutAt, discoverCheckout } from './discover.ts';
import { openHistory, type FetchHints } from './history.ts';
import { openObjectReader } from './objects.ts';
import { openRemote, type Remote, type RemoteAddress } from './remote.ts';
import { openGitStore, type GitStore } from './store.ts';
import { folderPrefix } from './tree.ts';

export interface RepositoryOptions {
  environment: NodeJS.ProcessEnv;
  temporaryFolder: string;
  /** With a remote, the folder need not be a checkout. */
  remote?: RemoteAddress;
  networkTimeoutMs?: number;
}

export type GitReaders = ReturnType<typeof createReaders>;

export async function openReaders(
  directory: string,
  options: RepositoryOptions,
): Promise<GitReaders> {
  let found: FoundFolder;
  if (options.remote === undefined) found = await discoverCheckout(directory);
  else {
    const folder = await realpath(directory).catch(() => resolve(directory));
    found = { folder, checkout: await checkoutAt(folder) };
  }
  const store = await openGitStore(found.checkout, options.environment, options.temporaryFolder);
  return createReaders(found, store, options);
}

function createReaders(
  { folder, checkout }: FoundFolder,
  store: GitStore,
  options: RepositoryOptions,
) {
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
  const fetchTrees = objectFetcher(remote);
  const fetchContents = async (ids: readonly string[]): Promise<void> => {
    if (!('none' in remote) && ids.length > 0) await fetchTrees(await missingIn(place, ids));
  };
  const reader = openObjectReader(place, fetchContents);
  const trees = { place, reader, fetchTrees };
  const source = { place, reader, remote, empty: checkout === null };
  const history = openHistory(source);
  const snapshots = new WeakMap<SourceTree, string>();
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
    fetchContents,
    prefixOf(workingDirectory: string): string {
      const below = isAbsolute(workingDirectory)
        ? pathBelow(folder, resolve(workingDirectory))
        : posixPath(workingDirectory);
      return folderPrefix(pathBelow(root, folder), below, root);
    },
    async idOf(tree: SourceTree | string, hints?: FetchHints): Promise<string> {
      const snapshot = typeof tree === 'string' ? undefined : snapshots.get(tree);
      if (snapshot !== undefined) return snapshot;
      const commit = typeof tree === 'string' ? tree : tree.commit;
      await history.ensure(commit, hints);
      return commit;
    },
  };
}

function objectFetcher(remote: Remote | { none: string }) {
  return async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0 || 'none' in remote) return;
    const { code, stderr } = await remote.fetch(ids, { alone: true });
    if (code === 0) return;
    const message =
      `${ids.length} files or folders could not be fetched, and this clone does not have them: ` +
      `${lastLine(stderr)}.`;
    throw userError(null, message);
  };
}

async function missingIn(place: GitPlace, ids: readonly string[]): Promise<string[]> {
  const lines = await gitLines(place, ['cat-file', '--batch-check=%(objectname)'], {
    input: Buffer.from(`${[...new Set(ids)].join('\n')}\n`),
  });
  return lines.flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
}

export function pathBelow(root: string, folder: string): string {
  return posixPath(relative(root, folder));
}

function posixPath(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}
