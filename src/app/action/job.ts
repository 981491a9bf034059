import { posix } from 'node:path';
import type { Repository } from '../../edges/git/repository.ts';
import { approverOf, removeLabel } from '../../edges/github/approval.ts';
import { connect, type Client } from '../../edges/github/client.ts';
import { formatProblem, UserError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { placeLinks } from '../../report/sections/document.ts';
import { loadReports } from '../../report/sections/feature-report.ts';
import { endLine, logLine } from '../../text/log.ts';
import {
  isApproval,
  trustLevel,
  withheldFrom,
  type TrustDecision,
  type TrustRequest,
} from '../../trust/trust.ts';
import type { Conclusion } from '../../types/plain.ts';
import type { Origin } from '../../types/repository.ts';
import { reasonsInWords } from '../../wording/reasons.ts';
import { findCommits, type RunCommits } from '../session/commits.ts';
import { openSession, type Session } from '../session/session.ts';
import { writeRun } from '../session/write-reports.ts';
import {
  ownJobOf,
  refuseMixedInputs,
  say,
  sessionOptions,
  type JobEnding,
  type Job,
} from './context.ts';
import { evaluateJob, locate, commitsRequest } from './evaluate.ts';
import { namedBase, runIdentity, runUrl } from './identity.ts';
import { createLease, isRevisit } from './lease.ts';
import { overriddenByLabel } from './override.ts';
import { fillReportFolder, outputsOf, publish } from './publish.ts';
import { uploadReports } from './report-link.ts';

type GivenJob = Omit<Job, 'trust' | 'commits' | 'lease'>;

/** A failure to publish never changes the verdict. */
export async function runJob(
  given: GivenJob,
  crashed: Promise<never> | null = null,
): Promise<Conclusion> {
  const { inputs, env, runner, secrets } = given;
  const client = await connect({ token: inputs.token, env, secondMs: given.secondMs });
  const judges = ownJobOf(given)?.run === undefined;
  const lease = createLease(client, { ...given, judges }, runIdentity(inputs, env));
  try {
    const ending = concludeJob(client, { ...given, lease });
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
  const { inputs, runner, lease, problems = [] } = given;
  if (problems.length > 0) throw new UserError([...problems]);
  refuseMixedInputs(given);
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
    return ownJobOf(job)?.run?.(ready, session) ?? evaluateAndPublish(client, ready, session);
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

async function evaluateAndPublish(client: Client, job: Job, session: Session): Promise<JobEnding> {
  const { inputs, env, runner, lease } = job;
  const { identity } = lease;
  const evaluated = await evaluateJob(job, session);
  const { sides, suites, published } = evaluated;
  // A canceled job has ten seconds left, so save paid answers and waiting batches first.
  if (session.halting.halted()?.code === 'cancelled') await session.closeStores();
  const result = withSource(
    session.redact(await overriddenByLabel(client, job, evaluated.result)),
    job,
  );
  const { comment: marker } = identity.markers;
  const folder = await fillReportFolder(job, session, (to) =>
    writeRun(session, { result, suites }, { folder: to, marker }),
  );
  const uploaded = await uploadReports(job, session, folder);
  if (lease.hasFailed()) return { conclusion: 'error', line: '' };
  const reports = await loadReports(job.features);
  const ids = await publish({
    ...{ client, lease, inputs, result, reports },
    facts: { ...job.facts, head: sides?.head.commit ?? job.facts.head },
    changed: sides?.changed ?? [],
    summaryPath: env['GITHUB_STEP_SUMMARY'] ?? null,
    links: {
      run: runUrl(env),
      ...uploaded,
      outsider: job.facts.fork,
      base: namedBase(inputs.base, job.facts),
      ...(folder === null ? {} : { reportFile: posix.join(inputs.reportPath, 'report.html') }),
      ...forksPage(job),
      place: placeLinks(result).place,
    },
  });
  for (const warning of ids.warnings) runner.warning(warning);
  await published();
  say(runner, outputsOf(result, ids, folder, reports));
  sayResult(result, job);
  return { conclusion: result.conclusion, line: endLine(result.conclusion, result.title) };
}

function forksPage({ env, facts }: Job): { forks?: string } {
  const { GITHUB_ACTION_REPOSITORY: action, GITHUB_ACTION_REF: ref } = env;
  if (withheldFrom(facts) !== 'fork' || !action || !ref) return {};
  return { forks: `https://github.com/${action}/blob/${ref}/docs/forks.md` };
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

function sayResult(result: Result, { runner, inputs }: Job): void {
  for (const { place, message } of result.problems) {
    const file =
      place === null
        ? null
        : { file: posix.join(inputs.workingDirectory, place.file), line: place.line };
    runner.error(
      formatProblem({ place: file, message }),
      file === null ? {} : { file: file.file, startLine: Math.max(1, file.line) },
    );
  }
  for (const reason of reasonsInWords(result)) runner.info(reason);
}

function withSource(result: Result, { env, facts, inputs }: Job): Result {
  const server = env['GITHUB_SERVER_URL'];
  const of = facts.headRepository ?? facts.repository;
  if (!server || of === '' || !/^[0-9a-f]{40,64}$/.test(result.head.sha)) return result;
  const directory = posix.normalize(inputs.workingDirectory);
  return { ...result, source: { url: `${server}/${of}`, directory } };
}
