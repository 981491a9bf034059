/** Facts about the event that started the run. Only SHAs are passed to git. */
export interface EventFacts {
  /** GitHub's name of the event, or `command_line` for the CLI. */
  event: string;
  action: string | null;
  repository: string;
  /** Null outside pull requests. For `workflow_run`, also null until it is looked up. */
  pullRequest: number | null;
  /**
   * Full commit ids. `base` is the base branch's tip (not the merge base), or the commit before a
   * push.
   */
  base: string | null;
  head: string | null;
  baseBranch?: string;
  /** The head of the pull request in a merge queue. Absent if unknown. */
  queued?: string;
  /** Null if the repository was deleted or is unknown. */
  headRepository: string | null;
  headBranch: string | null;
  /** The pull request's head when the run began. Absent if unknown. */
  presentHead?: string;
  /** True if head is in another repository, or if its repository is unknown. */
  fork: boolean;
  dependabot: boolean;
  addedLabel: string | null;
  /** The description that the author gave the pull request. Absent if unknown. */
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

/**
 * Where a commit comes from, proved by branches and tags. `fork`: it is on none of them, or on a
 * deleted branch.
 */
export type Origin = 'base-branch' | 'own-branch' | 'fork' | 'unknown';

/** The regular files of one commit in the working directory and below, by relative POSIX path. */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** Maps each path to its git object id. Equal ids mean equal content. */
  files: ReadonlyMap<string, { id: string; executable?: true }>;
  /** Other entries (symbolic links, submodules), by path. */
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  /** Ids of the targets of symbolic links, by path. Absent in trees that cannot tell. */
  links?: ReadonlyMap<string, string>;
  /** Rejects other paths. Also rejects files above `most` bytes, with a `UserError`. */
  read(path: string, most?: number): Promise<Uint8Array>;
  /** The target of a symbolic link, as git stores it. Absent in trees that cannot read links. */
  readLink?(path: string): Promise<string>;
}

export interface ChangedFile {
  path: string;
  /** The path on base. It differs for a renamed file and is null for a new one. */
  basePath: string | null;
  /**
   * Head's changed lines as inclusive ranges. If lines were only removed, the range is the line
   * above and the line below, which may be past the end. Empty for a deleted file.
   */
  lines: { start: number; end: number }[];
  deleted: boolean;
}
