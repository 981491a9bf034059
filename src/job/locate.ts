import type { EventFacts } from '../types.ts';
import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { Client } from '../github/client.ts';
import { findPullRequest, withPullRequest } from '../github/pull.ts';

/** What a run is about, or why there is nothing to do: no fault of anyone. */
export type Located = { facts: EventFacts } | { skip: string };

/**
 * Completes a `workflow_run` by the pull request it follows, which is found by its head commit.
 * Nothing that the earlier run left behind is asked: it may have run a stranger's workflow. Throws
 * a `UserError` when GitHub cannot be asked.
 */
export async function locate(client: Client, facts: EventFacts): Promise<Located> {
  if (facts.event !== 'workflow_run' || !(facts.origin?.event ?? '').startsWith('pull_request'))
    return { facts };
  const found = await findPullRequest(client, facts);
  if (found.status === 'failed') throw new UserError([problem(null, found.warning)]);
  return found.status === 'none'
    ? { skip: found.reason }
    : { facts: withPullRequest(facts, found) };
}

/** Events with secrets in reach that a pull request from a fork can bring about. */
const WITH_SECRETS = new Set(['pull_request_target', 'workflow_run']);

/**
 * Refuses a workspace that holds a stranger's files beside secrets: any later step, and git itself,
 * would read them.
 */
export async function refuseForkCheckout(
  repository: Repository,
  { event, fork, head }: EventFacts,
): Promise<void> {
  if (!fork || head === null || !WITH_SECRETS.has(event)) return;
  if (!(await repository.checkedOut()).includes(head)) return;
  const message = `${event} with the head of a fork checked out: remove the checkout step's ref and repository. This action reads the pull request through git objects.`;
  throw new UserError([problem(null, message)]);
}
