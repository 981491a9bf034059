import type { SourceTree } from '../types.ts';
import type { GitPlace } from './command.ts';
import { openObjectReader, type ObjectReader } from './objects.ts';
import { listFolder, sourceTree, type Prepare } from './tree.ts';
import type { WorktreeStore } from './worktree.ts';

/** Where a tree of uncommitted files is read: `id` is the tree of the whole repository. */
export interface Snapshot {
  place: GitPlace;
  reader: ObjectReader;
  id: string;
}

/** The files as they are on disk, as trees. */
export interface UncommittedFiles {
  /** Those below a folder (POSIX, '' for all), as they are now. */
  tree(prefix: string): Promise<SourceTree>;
  /** Null for a tree that did not come from here. */
  snapshotOf(tree: SourceTree): Snapshot | null;
  close(): Promise<void>;
}

/**
 * The private store that holds them is opened on first use, once. `prepare` as for {@link
 * listFolder}.
 */
export function uncommittedFiles(
  openStore: () => Promise<WorktreeStore>,
  prepare?: Prepare,
): UncommittedFiles {
  const snapshots = new WeakMap<SourceTree, Snapshot>();
  let opened: Promise<{ store: WorktreeStore; reader: ObjectReader }> | null = null;
  const start = async (): Promise<{ store: WorktreeStore; reader: ObjectReader }> => {
    const store = await openStore();
    return { store, reader: openObjectReader(store.reading) };
  };
  return {
    async tree(prefix) {
      const { store, reader } = await (opened ??= start());
      const id = await store.snapshot(prefix);
      const tree = sourceTree(
        'worktree',
        await listFolder(store.reading, id, prefix, prepare),
        reader,
      );
      snapshots.set(tree, { place: store.reading, reader, id });
      return tree;
    },
    snapshotOf: (tree) => snapshots.get(tree) ?? null,
    async close() {
      const uncommitted = await opened?.catch(() => null);
      if (uncommitted === null || uncommitted === undefined) return;
      await uncommitted.reader.close();
      await uncommitted.store.remove();
    },
  };
}
