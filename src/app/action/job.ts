import type { Repository } from '../../edges/git/repository.ts';
import { approverOf, removeLabel } from '../../edges/github/approval.ts';
import { connect, type Client } from '../../edges/github/client.ts';
import { formatProblem, problem, UserError } from '../../errors.ts';
import { endLine, logLine } from '../../text/log.ts';
import {
  isApproval,
  trustLevel,
  type TrustDecision,
  type TrustRequest,
} from '../../trust/trust.ts';
import type { Conclusion } from '../../types/plain.ts';
import type { Origin } from '../../types/repository.ts';
import { findCommits, type RunCommits } from '../session/commits.ts';
import { openSession, type Session } from '../session/session.ts';
import { sessionOptions, type JobEnding, type Job, type OwnJob } from './context.ts';
import { evaluateJob, locate, commitsRequest } from './evaluate.ts';
import { runIdentity } from './identity.ts';
import { createLease, isRevisit } from './lease.ts';
import { overriddenByLabel } from './override.ts';
import { publishResult } from './publish.ts';

interface GivenJob extends Omit<Job, 'trust' | 'commits' | 'lease' | 'own'> {
  jobs: readonly OwnJob[];
}

/** A failure to publish never changes the verdict. */
export async function runJob(
  given: GivenJob,
  crashed: Promise<never> | null = null,
): Promise<Conclusion> {
  const { inputs, env, runner, secrets } = given;
  const client = await connect({ token: inputs.token, env, secondMs: given.secondMs });
  const kinds = given.jobs.filter((kind) => kind.takes(given));
  const [own] = kinds;
  const judges = own?.run === undefined;
  const lease = createLease(client, { ...given, judges }, runIdentity(inputs, env));
  const refused = kinds
    .flatMap((kind) => kind.refuse?.(given) ?? [])
    .map((message) => problem(null, message));
  const problems = [...(given.problems ?? []), ...refused];
  try {
    const ending = concludeJob(client, { ...given, own, lease, problems });
    const { conclusion, line } = await (crashed === null
      ? ending
      : Promise.race([ending, crashed]));
    runner.info(line);
    return conclusion;
  } catch (error) {
    const reasons = reasonsOf(error).map(secrets.redact);
    for (const warning of await lease.fail(reasons)) runner.warning(warning);
    throw error;
  }
}

function reasonsOf(error: unknown): string[] {
  if (error instanceof UserError) return error.problems.map(formatProblem);
  return ["Internal error. The job's log has the details."];
}

async function concludeJob(
  client: Client,
  given: Omit<Job, 'trust' | 'commits'>,
): Promise<JobEnding> {
  const { inputs, runner, lease, problems } = given;
  if (problems.length > 0) throw new UserError(problems);
  const located = await locate(client, given.facts, inputs);
  if ('skip' in located) return skip(located.skip, given);
  const job = { ...given, facts: located.facts };
  for (const warning of located.warnings) runner.warning(warning);
  const approval = await approvalOf(client, job);
  for (const warning of await useUpApproval(client, job)) runner.warning(warning);
  lease.about(job.facts, inputs.head === null ? job.facts.head : null);
  if (isRevisit(job)) await lease.open();
  const commits = Promise.withResolvers<RunCommits>();
  commits.promise.catch(() => undefined);
  const decide = async (repository: Repository): Promise<TrustDecision> => {
    commits.resolve(findCommits(repository, commitsRequest(job)));
    const head = await commits.promise.then(({ origin }) => origin, unknownOf);
    return trustLevel(job.facts, head, approval);
  };
  return openSession(sessionOptions(job, decide, client), (session) => {
    const ready = { ...job, trust: session.trust, commits: commits.promise };
    return job.own?.run?.(ready, session) ?? judgeAndPublish(client, ready, session);
  });
}

function unknownOf(error: unknown): Origin {
  if (error instanceof UserError) return 'unknown';
  throw error;
}

async function approvalOf(
  client: Client,
  { inputs: { untrustedApproval, head }, facts }: Pick<Job, 'inputs' | 'facts'>,
): Promise<TrustRequest> {
  return head === null && isApproval(facts, untrustedApproval)
    ? { approval: await approverOf(client, facts) }
    : {};
}

function skip(reason: string, { runner }: Pick<Job, 'runner'>): JobEnding {
  runner.notice(`Nothing was evaluated. ${reason}`);
  runner.output('conclusion', 'neutral');
  runner.output('title', logLine(reason));
  return { conclusion: 'neutral', line: endLine('neutral', reason) };
}

/** An approval allows one run of one commit, so the label is removed after every run. */
async function useUpApproval(
  client: Client,
  { inputs, facts }: Pick<Job, 'inputs' | 'facts'>,
): Promise<string[]> {
  const { addedLabel: label, repository, pullRequest } = facts;
  if (label === null || label !== inputs.untrustedApproval || pullRequest === null) return [];
  return removeLabel(client, { repository, pullRequest, label });
}

async function judgeAndPublish(client: Client, job: Job, session: Session): Promise<JobEnding> {
  const evaluated = await evaluateJob(job, session);
  // A canceled job has ten seconds left, so save paid answers and waiting batches first.
  if (session.halting.halted()?.code === 'cancelled') await session.closeStores();
  const result = await overriddenByLabel(client, job, evaluated.result);
  return publishResult(client, job, session, { ...evaluated, result });
}
