/** One commit's files, and what changed between two. */

/**
 * The regular files of one commit below the working directory; paths are POSIX and relative to it.
 */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Path → git object id and size in bytes. Content with equal ids is equal. */
  files: ReadonlyMap<string, { id: string; size: number }>;
  /**
   * Entries that are not regular files (symbolic links, submodules), by path, with what they are.
   */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /** Content of a path listed in `files`. Rejects for any other path. */
  read(path: string): Promise<Uint8Array>;
}

/** What changed between the two commits, by path below the working directory. */
export interface ChangedFile {
  path: string;
  /** Path on base; differs from `path` for a rename; null for a new file. */
  basePath: string | null;
  /** Head's changed lines as inclusive ranges; empty for a deleted file. */
  lines: { start: number; end: number }[];
  deleted: boolean;
}
