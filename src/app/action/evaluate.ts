import type { Inputs } from '../../config/inputs.ts';
import type { Repository } from '../../edges/git/repository.ts';
import type { Client } from '../../edges/github/client.ts';
import {
  withPresentBase,
  withPullRequest,
  withQueuedPullRequest,
  type Located,
} from '../../edges/github/pull.ts';
import { UserError, userError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { ORIGIN_WORDS, PULL_REQUEST_EVENTS } from '../../trust/trust-table.ts';
import type { EventFacts } from '../../types/repository.ts';
import { createEmptyResult, notEvaluated } from '../run/not-judged.ts';
import type { CommitsRequest, RunCommits } from '../session/commits.ts';
import { evaluate } from '../session/evaluate.ts';
import type { Session } from '../session/session.ts';
import { findSides } from '../session/sides.ts';
import type { Job } from './context.ts';

/**
 * Uses only the event and GitHub's API, because an outsider may have written an earlier workflow
 * run's artifacts.
 */
export async function locate(
  client: Client,
  facts: EventFacts,
  { base }: Pick<Inputs, 'base'>,
): Promise<Located> {
  const nothing = nothingToDo(facts, base);
  if (nothing !== null) return { skip: nothing };
  if (facts.event === 'merge_group') return withQueuedPullRequest(client, facts);
  if (facts.pullRequest !== null)
    return { facts: await withPresentBase(client, facts, facts.pullRequest), warnings: [] };
  if (facts.event !== 'workflow_run' || !(facts.origin?.event ?? '').startsWith('pull_request'))
    return { facts, warnings: [] };
  return withPullRequest(client, facts);
}

const FOLLOWED = new Set(['push', 'schedule', ...PULL_REQUEST_EVENTS]);

function nothingToDo(
  { event, action, head, origin }: EventFacts,
  base: string | null,
): string | null {
  if (event === 'push' && head === null) return 'This push deletes a branch or tag.';
  if (PULL_REQUEST_EVENTS.has(event) && action === 'closed') return 'This pull request is closed.';
  if (event !== 'workflow_run' || origin === null || FOLLOWED.has(origin.event) || base !== null)
    return null;
  return (
    `This workflow_run follows a run that ${origin.event} started, so its event names no ` +
    `commit to compare with. Use the action in a workflow on ${origin.event} itself.`
  );
}

/** Events that a fork's pull request can trigger, although their jobs can read secrets. */
const WITH_SECRETS = new Set(['pull_request_target', 'workflow_run']);

/**
 * Fails if a job with secrets has checked out a fork, because later steps and git would read the
 * fork's files.
 */
async function refuseForkCheckout(
  repository: Repository,
  { event, fork, head }: EventFacts,
): Promise<void> {
  if (!fork || head === null || !WITH_SECRETS.has(event)) return;
  if (!(await repository.checkedOut()).includes(head)) return;
  const message =
    `${event} can read secrets, and the head of a fork is checked out: remove ref and repository ` +
    'from the checkout step. This action does not need the checkout.';
  throw userError(null, message);
}

const modeOf = ({ mode }: Pick<Job, 'mode'>): Result['mode'] => (mode === 'diff' ? mode : 'sweep');

export function commitsRequest(
  job: Pick<Job, 'inputs' | 'facts' | 'mode' | 'own'>,
): CommitsRequest & { workingDirectory: string } {
  const { inputs, facts } = job;
  const { workingDirectory, base, head } = inputs;
  if (job.own?.isOfBase !== true) return { workingDirectory, base, head, facts, mode: modeOf(job) };
  const ofBase = { ...facts, head: facts.base ?? facts.head, pullRequest: null };
  return { workingDirectory, base: null, head: base ?? head, facts: ofBase, mode: 'sweep' };
}

/**
 * @throws UserError if a commit is not found, or if `code` or `mode` forbids a head that is
 * not on a branch or tag of this repository.
 */
export async function commitsOf({ commits, inputs, mode, trust }: Job): Promise<RunCommits> {
  const found = await commits;
  const refused = inputs.code === 'host' ? 'code: host' : mode === 'diff' ? null : `mode: ${mode}`;
  if (refused === null || trust.foreign === undefined) return found;
  const instead =
    refused === 'code: host'
      ? "leave out code: host, so that it is judged like an outside contributor's pull request"
      : 'compare it with a base (mode: diff), whose tests and settings then apply';
  const message =
    `${refused} is refused: head (${found.head.slice(0, 7)}) is ` +
    `${ORIGIN_WORDS[trust.foreign]}. Read the commit and push it to a branch of this ` +
    `repository, or ${instead}.`;
  throw userError(null, message);
}

export async function evaluateJob(job: Job, session: Session) {
  const { facts } = job;
  const mode = modeOf(job);
  let published = (): Promise<void> => Promise.resolve();
  try {
    await refuseForkCheckout(session.repository, facts);
    const found = await findSides(session.repository, await commitsOf(job), commitsRequest(job));
    const sides = { ...found, description: facts.description };
    job.lease.about(facts, sides.head.commit, job.trust.approved);
    const own = await job.own?.open?.(job, session, sides);
    published = own?.published ?? published;
    const evaluated = own?.evaluate() ?? evaluate(session, mode, sides);
    return { ...(await evaluated), sides, published };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { features } = session;
    const head = { commit: facts.head ?? '' };
    const unread = createEmptyResult({ mode, base: null, head, trust: job.trust.level, features });
    return {
      result: notEvaluated(unread, [...error.problems]),
      suites: [],
      sides: null,
      published,
    };
  }
}
