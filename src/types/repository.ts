/** Facts about the event that started the run. Only SHAs are passed to git. */
export interface EventFacts {
  /** GitHub's name, or `command_line` for the CLI. */
  event: string;
  action: string | null;
  repository: string;
  /** Null outside pull requests, and for `workflow_run` until it is looked up. */
  pullRequest: number | null;
  /**
   * Full commit ids. `base`: the base branch's tip (not the merge base), or the commit before a
   * push.
   */
  base: string | null;
  head: string | null;
  baseBranch?: string;
  /** Head of the pull request in a merge queue. Absent: unknown. */
  queued?: string;
  /** Null if it was deleted or is unknown. */
  headRepository: string | null;
  headBranch: string | null;
  /** The pull request's head when the run began. Absent: unknown. */
  presentHead?: string;
  /** Head is in another repository, or its repository is unknown. */
  fork: boolean;
  dependabot: boolean;
  addedLabel: string | null;
  /** The pull request's text, by its author. Absent: unknown. */
  description?: string;
  labeller?: { login: string; isApp: boolean; isAuthor: boolean };
  origin: { event: string; runId: number } | null;
}

export const NO_FACTS: EventFacts = {
  event: 'command_line',
  action: null,
  repository: '',
  pullRequest: null,
  base: null,
  head: null,
  headRepository: null,
  headBranch: null,
  fork: false,
  dependabot: false,
  addedLabel: null,
  origin: null,
};

/** Proved from branches and tags. `fork`: on none of them, or on a deleted branch. */
export type Origin = 'base-branch' | 'own-branch' | 'fork' | 'unknown';

/** The regular files of one commit below the working directory, by relative POSIX path. */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Path → git object id. Equal ids mean equal content. */
  files: ReadonlyMap<string, { id: string; executable?: true }>;
  /** Other entries (symbolic links, submodules), by path. */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /** Ids of the targets of symbolic links, by path. Absent in trees that cannot tell. */
  links?: ReadonlyMap<string, string>;
  /** Rejects other paths, and files above `most` bytes with a `UserError`. */
  read(path: string, most?: number): Promise<Uint8Array>;
  /** The target of a symbolic link, as git stores it. Absent in trees that cannot tell. */
  readLink?(path: string): Promise<string>;
}

export interface ChangedFile {
  path: string;
  /** Path on base: different for a renamed file, null for a new one. */
  basePath: string | null;
  /**
   * Head's changed lines as inclusive ranges. If lines were only removed: the line above and the
   * line below, which may be past the end. Empty for a deleted file.
   */
  lines: { start: number; end: number }[];
  deleted: boolean;
}
