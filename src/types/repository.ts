/** The relevant facts of the event. Only SHAs are passed to git. */
export interface EventFacts {
  /** GitHub's name, or `command_line` for the CLI. */
  event: string;
  /** The event's action (`opened`, `synchronize`, `labeled`); null if none. */
  action: string | null;
  /** `owner/name` of the repository whose workflow runs. */
  repository: string;
  /** Null outside pull requests, and for `workflow_run` until it is looked up. */
  pullRequest: number | null;
  /** Full commit ids. `base`: the base branch's tip (not the merge base), or before a push. */
  base: string | null;
  head: string | null;
  /** The target branch, else the default branch; absent: unknown. */
  baseBranch?: string;
  /** Head of the pull request in a merge queue; absent: unknown. */
  queued?: string;
  /** `owner/name` that holds head; null when it is deleted or unknown. */
  headRepository: string | null;
  headBranch: string | null;
  /** The pull request's head when the run began; absent: not known. */
  presentHead?: string;
  /** Head is in another repository, or its repository is unknown. */
  fork: boolean;
  /** Dependabot started the run or opened the pull request. */
  dependabot: boolean;
  /** The label of a `labeled` event. */
  addedLabel: string | null;
  /** Who added it. */
  labeller?: { login: string; isApp: boolean; isAuthor: boolean };
  /** The run that triggered `workflow_run`. */
  origin: { event: string; runId: number } | null;
}

/**
 * Where a commit is, proved from branches and tags: on the base branch, on another branch or tag,
 * on none (a fork, or a deleted branch), or unknown.
 */
export type Origin = 'base-branch' | 'own-branch' | 'fork' | 'unknown';

/** The regular files of one commit below the working directory, by relative POSIX path. */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Path → git object id. Equal ids mean equal content. */
  files: ReadonlyMap<string, { id: string }>;
  /** Other entries (symbolic links, submodules), by path. */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /**
   * Content of a listed path. Rejects other paths, and files above `most` bytes with a `UserError`.
   */
  read(path: string, most?: number): Promise<Uint8Array>;
}

/** A change between the two commits, by path below the working directory. */
export interface ChangedFile {
  path: string;
  /** Path on base; differs from `path` for a rename; null for a new file. */
  basePath: string | null;
  /** Head's changed lines as inclusive ranges; empty for a deleted file. */
  lines: { start: number; end: number }[];
  deleted: boolean;
}
