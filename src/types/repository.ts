/** These values are untrusted. Only the SHAs are passed to git. */
export interface EventFacts {
  event: string;
  action: string | null;
  repository: string;
  /** For `workflow_run`, null until it has been looked up. */
  pullRequest: number | null;
  /** The base branch's tip (not the merge base), or the commit before a push. */
  base: string | null;
  head: string | null;
  baseBranch?: string;
  defaultBranch?: string;
  /** Head of the pull request in a merge queue. */
  queued?: string;
  /** Null if deleted or unknown. */
  headRepository: string | null;
  headBranch: string | null;
  presentHead?: string;
  /** True also if head's repository is unknown. */
  fork: boolean;
  dependabot: boolean;
  addedLabel: string | null;
  description?: string;
  labeller?: { login: string; type?: string | null | undefined; isAuthor: boolean };
  origin: { event: string } | null;
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
 * Where a commit comes from. `fork`: from no existing branch or tag, so perhaps from a deleted one.
 */
export type Origin = 'base-branch' | 'own-branch' | 'fork' | 'unknown';

/** The files of one commit below the working directory, by POSIX path relative to it. */
export interface SourceTree {
  /** Full commit id, or `worktree` for uncommitted files. */
  commit: string;
  /** `id`: git object id. Equal ids mean equal content. */
  files: ReadonlyMap<string, { id: string; executable?: true }>;
  irregular: ReadonlyMap<string, 'symbolic link' | 'submodule'>;
  links?: ReadonlyMap<string, string>;
  /** @throws UserError for files above `most` bytes */
  read(path: string, most?: number): Promise<Uint8Array>;
  readLink?(path: string): Promise<string>;
}

export interface ChangedFile {
  path: string;
  basePath: string | null;
  /**
   * Changed lines on head, as inclusive ranges. For removed lines, the range is the lines above and
   * below, which may be past the end.
   */
  lines: { start: number; end: number }[];
  deleted: boolean;
}
