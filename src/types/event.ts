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
  /** Head lies in another repository, or nobody can say where. */
  fork: boolean;
  /** Dependabot started the run or opened the pull request. */
  dependabot: boolean;
  /** The label that `labeled` is about. */
  addedLabel: string | null;
  /** The run that `workflow_run` follows. */
  origin: { event: string; runId: number } | null;
}
