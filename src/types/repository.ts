/** What started the run. */

/**
 * The event, as far as anything is decided by it. Only SHAs reach git: every name here is for
 * display and for comparing.
 */
export interface EventFacts {
  /** As GitHub names it; `command_line` for the CLI, which no event is called. */
  event: string;
  /** What happened (`opened`, `synchronize`, `labeled`); null where the event does not say. */
  action: string | null;
  /** `owner/name` of the repository whose workflow runs. */
  repository: string;
  /** Null outside pull requests, and for `workflow_run` until it is looked up. */
  pullRequest: number | null;
  /**
   * Full commit ids. `base` is the base branch's tip when the event was sent (not the merge base),
   * or what a push replaced.
   */
  base: string | null;
  head: string | null;
  /** `owner/name` that holds head; null when it is deleted or unknown. */
  headRepository: string | null;
  headBranch: string | null;
  /** The repository's default branch, as a push names it; absent: the event does not. */
  defaultBranch?: string;
  /** Head lies in another repository, or nobody can say where. */
  fork: boolean;
  /** Dependabot started the run or opened the pull request. */
  dependabot: boolean;
  /** The label that `labeled` is about. */
  addedLabel: string | null;
  /** The run that `workflow_run` follows. */
  origin: { event: string; runId: number } | null;
}

/** One commit's files, and what changed between two. */

/**
 * The regular files of one commit below the working directory; paths are POSIX and relative to it.
 */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Path → git object id. Content with equal ids is equal. */
  files: ReadonlyMap<string, { id: string }>;
  /**
   * Entries that are not regular files (symbolic links, submodules), by path, with what they are.
   */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /**
   * Content of a path listed in `files`. Rejects for any other path, and with a `UserError` for more
   * than `most` bytes, of which nothing is kept.
   */
  read(path: string, most?: number): Promise<Uint8Array>;
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
