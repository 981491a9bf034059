/** The stand-in with GitHub's description as judge: what every test that publishes starts. */
import { startGitHub } from './server.ts';
import type { GitHubOptions, GitHubStandIn } from './server.ts';
import { createJudge } from './validate.ts';

export { PRIMARY_LIMIT, SECONDARY_LIMIT } from './server.ts';
export type { GitHubStandIn, Instead, Interceptor } from './server.ts';
export {
  ACTIONS_APP,
  ACTIONS_BOT,
  addComment,
  addPull,
  addReviewComment,
  personalToken,
  workflowToken,
} from './state.ts';
export type {
  Account,
  CheckRun,
  Comment,
  Exchange,
  Pull,
  ReviewComment,
  State,
  Token,
} from './state.ts';

/** Compiled schemas cost most of a start, so one judge serves all stand-ins of a worker. */
const judge = createJudge();

export function startValidatingGitHub(
  options: Omit<GitHubOptions, 'judge'>,
): Promise<GitHubStandIn> {
  return startGitHub({ ...options, judge });
}
