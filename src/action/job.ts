import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { Inputs } from '../config/inputs.ts';
import { formatProblem } from '../errors.ts';
import { serverAddress } from '../git/remote.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { connect, type Client } from '../github/client.ts';
import { pullWords, removeLabel } from '../github/pull.ts';
import { llmevalFiles } from '../report/llmeval.ts';
import type { Result } from '../result/result.ts';
import { findOverride, withOverride } from '../run/override.ts';
import { trustLevel, type TrustDecision } from '../select/trust.ts';
import { createHalting } from '../session/progress.ts';
import { commentMarker, writeReports, writeRunReports } from '../session/write-reports.ts';
import { endLine, logLine } from '../text/log.ts';
import { createRedactor, redactAll } from '../text/redact.ts';
import type { Conclusion } from '../types/plain.ts';
import type { EventFacts } from '../types/repository.ts';
import {
  storesOfJob,
  type Ending,
  type Job,
  type RunningJob,
  type StoresOfJob,
} from './context.ts';
import { evaluateJob, inWorld, jobInput, locate } from './evaluate.ts';
import { runNoiseJob } from './noise.ts';
import { fillReportFolder, outputsOf, publish, type PublishedIds } from './publish.ts';
import { refuseMixedRoles, runShardJob, sayParts } from './shards.ts';

/**
 * The action's whole job: find what it is about, evaluate, write the reports, publish, store, say
 * how it ended. Publishing never changes the verdict.
 */
export async function runJob(given: Omit<Job, 'trust'>): Promise<Conclusion> {
  const { conclusion, line } = await endingOf(given);
  given.runner.info(line);
  return conclusion;
}

async function endingOf(given: Omit<Job, 'trust'>): Promise<Ending> {
  const { inputs, env, runner } = given;
  refuseMixedRoles(given);
  const client = await connect({ token: inputs.token, env });
  const located = await locate(client, given.facts);
  if ('skip' in located) return skip(located.skip, given);
  const job = { ...given, facts: located.facts, trust: trustOf(located.facts, inputs) };
  for (const warning of located.warnings) runner.warning(warning);
  for (const warning of await useUpApproval(client, job)) runner.warning(warning);
  return inFolder(client, job);
}

/** How far head is trusted, once it is known whose it is. */
function trustOf(facts: EventFacts, { untrustedApproval: label }: Inputs): TrustDecision {
  return trustLevel(facts, label === null ? {} : { approval: { label } });
}

/** Opens what a job needs, and closes it whatever happens. */
async function inFolder(client: Client, given: Job): Promise<Ending> {
  const { inputs, env, runner } = given;
  const halting = createHalting({ timeoutMs: inputs.timeoutMs, process, log: runner.info });
  const stores = storesOfJob(given);
  const job: RunningJob = { ...given, halting, openStores: stores.open };
  const temporaryFolder = await mkdtemp(join(env['RUNNER_TEMP'] ?? tmpdir(), 'evaldiff-'));
  const repository = await openWorkspace(given, temporaryFolder);
  try {
    return await ofItsMode({ client, job, stores, repository, temporaryFolder });
  } finally {
    halting.release();
    // Otherwise last, for the report must not wait for it.
    await stores.finish();
    await repository.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** A job with everything that it works with. */
interface OpenJob {
  client: Client;
  job: RunningJob;
  stores: StoresOfJob;
  repository: Repository;
  temporaryFolder: string;
}

function ofItsMode(open: OpenJob): Promise<Ending> {
  const { job, repository, temporaryFolder } = open;
  if (job.mode === 'noise')
    return runNoiseJob(job, repository, (trees, work) =>
      inWorld(job, repository, { trees, temporaryFolder }, work),
    );
  if (job.inputs.shard === null) return evaluateAndPublish(open);
  return runShardJob(job, {
    repository,
    temporaryFolder,
    inputOf: (head) => jobInput(job, { base: null, head }),
    inWorld: (trees, exchange, work) =>
      inWorld(job, repository, { trees, temporaryFolder, exchange }, work),
  });
}

async function evaluateAndPublish({
  client,
  job,
  stores,
  repository,
  temporaryFolder,
}: OpenJob): Promise<Ending> {
  const { inputs, env, runner, now } = job;
  const startedAt = now();
  const evaluated = await evaluateJob(job, repository, temporaryFolder);
  const { sides, merged } = evaluated;
  await stores.finishIfInterrupted(job.halting.halted());
  const redact = createRedactor(job.secrets);
  const result = redactAll(await overriddenByLabel(client, job, evaluated.result), redact);
  const folder = await fillReportFolder(job, repository, async (to) => {
    await writeReports(result, to, commentMarker(inputs.checkName ?? 'evaldiff'));
    // A sweep's runs in llmeval's layout too.
    if (result.mode === 'sweep')
      await writeRunReports(
        llmevalFiles(result, redactAll(evaluated.suites, redact), startedAt),
        to,
      );
  });
  const ids = await publish({
    client,
    facts: { ...job.facts, head: sides?.head.commit ?? job.facts.head },
    result,
    changed: sides?.changed ?? [],
    workingDirectory: inputs.workingDirectory,
    comment: inputs.comment,
    checkName: inputs.checkName ?? '',
    summaryPath: env['GITHUB_STEP_SUMMARY'] ?? null,
    links: { run: runUrl(env), place: null },
    runId: env['GITHUB_RUN_ID'] ?? '0',
    startedAt,
    completedAt: now(),
  });
  for (const warning of ids.warnings) runner.warning(warning);
  await sayParts(merged, job);
  say(result, ids, folder, job);
  return { conclusion: result.conclusion, line: endLine(result.conclusion, result.title) };
}

/** Nothing to do, and no fault: said once, with the outputs of a run that judged nothing. */
function skip(reason: string, { runner }: Pick<Job, 'runner'>): Ending {
  runner.notice(`Nothing was evaluated. ${reason}`);
  runner.output('conclusion', 'neutral');
  runner.output('title', logLine(reason));
  return { conclusion: 'neutral', line: endLine('neutral', reason) };
}

/** An approval is for one run of one commit: the label goes at once, however the run ends. */
async function useUpApproval(client: Client, { inputs, facts }: Job): Promise<string[]> {
  const { addedLabel: label, repository, pullRequest } = facts;
  if (label === null || label !== inputs.untrustedApproval || pullRequest === null) return [];
  return removeLabel(client, { repository, pullRequest, label });
}

/**
 * A red verdict may be set aside by a label, where the workflow names one and head is trusted; the
 * label is asked for as it is now.
 */
async function overriddenByLabel(
  client: Client,
  { inputs, facts, trust, runner }: Job,
  result: Result,
): Promise<Result> {
  const { overrideLabel: label } = inputs;
  if (
    label === null ||
    facts.pullRequest === null ||
    trust.level === 'untrusted' ||
    result.conclusion !== 'failure'
  )
    return result;
  const words = await pullWords(client, facts.repository, facts.pullRequest);
  if ('warning' in words) {
    runner.warning(words.warning);
    return result;
  }
  const found = findOverride(words, label);
  if (found.status === 'no-reason') runner.warning(found.message);
  return found.status === 'found' ? withOverride(result, found.override) : result;
}

/**
 * Says how it ended: outputs, errors at their places, and the reasons.
 */
function say(
  result: Result,
  ids: PublishedIds,
  folder: string | null,
  { runner, inputs }: Job,
): void {
  for (const { place, message } of result.problems) {
    // The result's paths start at the project, the runner's at the repository. The log shows the
    // message alone, so it repeats the place.
    const file =
      place === null
        ? null
        : { file: posix.join(inputs.workingDirectory, place.file), line: place.line };
    runner.error(
      formatProblem({ place: file, message }),
      file === null ? {} : { file: file.file, startLine: Math.max(1, file.line) },
    );
  }
  for (const [name, value] of Object.entries(outputsOf(result, ids, folder)))
    runner.output(name, value);
  for (const reason of result.reasons) runner.info(reason);
}

/** The repository whose workflow runs, as its server has it: no checkout is asked where that is. */
function openWorkspace(
  { inputs, env, workspace }: Job,
  temporaryFolder: string,
): Promise<Repository> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  const remote = server && name ? { remote: serverAddress(server, name, inputs.token) } : {};
  return openRepository(workspace, { environment: env, temporaryFolder, ...remote });
}

/** The run's page, from what the runner says of itself. */
function runUrl({
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: run,
}: NodeJS.ProcessEnv): string | null {
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}
