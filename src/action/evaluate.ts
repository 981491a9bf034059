import type { Inputs } from '../config/inputs.ts';
import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { Client } from '../github/client.ts';
import { findPullRequest, withPullRequest, withQueuedPullRequest } from '../github/pull.ts';
import type { Manifest } from '../plan/manifest.ts';
import type { Result } from '../result/result.ts';
import { notEvaluated } from '../run/not-judged.ts';
import { evaluate, type Evaluated, type Session } from '../session/session.ts';
import { mergeParts } from '../session/shards.ts';
import { findSides, type Sides } from '../session/sides.ts';
import { DEFAULT_GATE } from '../suite/gate-settings.ts';
import type { EventFacts } from '../types/repository.ts';
import type { Job } from './context.ts';
import { gatherArtifacts } from './shards.ts';

/** What a run is about, or why there is nothing to do: no fault of anyone. */
type Located = { facts: EventFacts; warnings: string[] } | { skip: string };

/**
 * Completes a `workflow_run` by the pull request it follows, which is found by its head commit, and
 * a `merge_group` by the one that its branch names. Nothing that the earlier run left behind is
 * asked: it may have run a stranger's workflow. Throws
 * a `UserError` when GitHub cannot be asked.
 */
export async function locate(
  client: Client,
  facts: EventFacts,
  { base }: Pick<Inputs, 'base'>,
): Promise<Located> {
  const nothing = nothingToDo(facts, base);
  if (nothing !== null) return { skip: nothing };
  if (facts.event === 'merge_group') return withQueuedPullRequest(client, facts);
  if (facts.event !== 'workflow_run' || !(facts.origin?.event ?? '').startsWith('pull_request'))
    return { facts, warnings: [] };
  const found = await findPullRequest(client, facts);
  if (found.status === 'failed') throw new UserError([problem(null, found.warning)]);
  return found.status === 'none'
    ? { skip: found.reason }
    : { facts: withPullRequest(facts, found), warnings: [] };
}

const PULL_REQUEST = new Set(['pull_request', 'pull_request_target']);

/** Runs that say by themselves what they were about. */
const FOLLOWED = new Set(['push', 'schedule', ...PULL_REQUEST]);

/** Why an event leaves nothing to evaluate; null: it does not. */
function nothingToDo(
  { event, action, head, origin }: EventFacts,
  base: string | null,
): string | null {
  if (event === 'push' && head === null) return 'This push deletes a branch or tag.';
  if (PULL_REQUEST.has(event) && action === 'closed') return 'This pull request is closed.';
  if (event !== 'workflow_run' || origin === null || FOLLOWED.has(origin.event) || base !== null)
    return null;
  return `This workflow_run follows a run that ${origin.event} started, and its event does not say what that was about: no commit to compare with, and nobody who vouches for head. Use the action in a workflow on ${origin.event} itself.`;
}

/** Events with secrets in reach that a pull request from a fork can bring about. */
const WITH_SECRETS = new Set(['pull_request_target', 'workflow_run']);

/**
 * Refuses a workspace that holds a stranger's files beside secrets: any later step, and git itself,
 * would read them.
 */
async function refuseForkCheckout(
  repository: Repository,
  { event, fork, head }: EventFacts,
): Promise<void> {
  if (!fork || head === null || !WITH_SECRETS.has(event)) return;
  if (!(await repository.checkedOut()).includes(head)) return;
  const message = `${event} with the head of a fork checked out: remove the checkout step's ref and repository. This action reads the pull request through git objects.`;
  throw new UserError([problem(null, message)]);
}

interface EvaluatedJob extends Evaluated {
  /** Null: they were not found. */
  sides: Sides | null;
  /** What a merge joined. */
  merged: readonly Manifest[];
}

/** What the user has to fix is a result like any other: it is published, with its places. */
export async function evaluateJob(job: Job, session: Session): Promise<EvaluatedJob> {
  const { inputs, facts } = job;
  const mode: Result['mode'] = job.mode === 'sweep' || job.mode === 'merge' ? 'sweep' : 'diff';
  let merged: readonly Manifest[] = [];
  try {
    await refuseForkCheckout(session.repository, facts);
    const sides = await findSides(session.repository, { ...inputs, facts, mode });
    if (job.mode !== 'merge') return { ...(await evaluate(session, mode, sides)), sides, merged };
    const gathered = await gatherArtifacts(job, session, sides.head.commit);
    merged = gathered.parts.map(({ manifest }) => manifest);
    return { ...(await mergeParts(session, gathered, sides)), sides, merged };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const unread = {
      mode,
      base: null,
      head: { commit: facts.head ?? '' },
      trust: job.trust.level,
      gate: DEFAULT_GATE,
      n_tries: 'adaptive' as const,
    };
    const result = notEvaluated(unread, [...error.problems], []);
    return { result, suites: [], sides: null, merged };
  }
}
