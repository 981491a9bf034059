import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Inputs } from '../../config/inputs.ts';
import { serverAddress } from '../../edges/git/remote.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { approverOf, removeLabel, overriderOf } from '../../edges/github/approval.ts';
import { connect, type Client } from '../../edges/github/client.ts';
import {
  type PullWords,
  pullWords,
  type Located,
  withQueuedPullRequest,
  withPresentBase,
  withPullRequest,
  mergeBaseOf,
} from '../../edges/github/pull.ts';
import { type CacheLibrary, expandNoProxy } from '../../edges/store/cache-service.ts';
import { problem, UserError, formatProblem, userError } from '../../errors.ts';
import { conclusionOf } from '../../kernel/result/outcome.ts';
import type { Result, Override } from '../../kernel/result/result.ts';
import { type Prepared, targetsOf } from '../../money/prepared.ts';
import { planLines } from '../../report/plan.ts';
import { logLine, endLine } from '../../text/log.ts';
import { PULL_REQUEST_EVENTS } from '../../trust/trust-table.ts';
import {
  type TrustDecision,
  trustLevel,
  type TrustRequest,
  isApproval,
  withheldFrom,
} from '../../trust/trust.ts';
import { isBatched } from '../../types/model.ts';
import type { Conclusion } from '../../types/plain.ts';
import type { Origin, EventFacts } from '../../types/repository.ts';
import { outcomeFields } from '../../wording/outcomes.ts';
import { createEmptyResult, notEvaluated } from '../run/not-judged.ts';
import { certainWords } from '../run/plan.ts';
import { type RunCommits, findCommits } from '../session/commits.ts';
import { evaluate } from '../session/evaluate.ts';
import { openSession, type Session, type SessionOptions } from '../session/session.ts';
import { findSides } from '../session/sides.ts';
import {
  type Job,
  type OwnJob,
  type JobEnding,
  commitsRequest,
  modeOf,
  commitsOf,
} from './context.ts';
import { runIdentity } from './identity.ts';
import { createLease } from './lease.ts';
import { publishResult } from './publish.ts';

interface GivenJob extends Omit<Job, 'trust' | 'commits' | 'lease' | 'own'> {
  jobs: readonly OwnJob[];
}

/** A failure to publish never changes the verdict. */
export async function runJob(given: GivenJob, crashed: Promise<never> | null): Promise<Conclusion> {
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
  const approval = await settleApproval(client, job);
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

/** An approval allows one run of one commit, so the label is removed after every run. */
async function settleApproval(
  client: Client,
  {
    inputs: { untrustedApproval: label, head },
    facts,
    runner,
  }: Pick<Job, 'inputs' | 'facts' | 'runner'>,
): Promise<TrustRequest> {
  const { repository, pullRequest } = facts;
  if (label === null || pullRequest === null || !isApproval(facts, label)) return {};
  const request = head === null ? { approval: await approverOf(client, facts) } : {};
  for (const warning of await removeLabel(client, { repository, pullRequest, label }))
    runner.warning(warning);
  return request;
}

function skip(reason: string, { runner }: Pick<Job, 'runner'>): JobEnding {
  runner.notice(`Nothing was evaluated. ${reason}`);
  runner.output('conclusion', 'neutral');
  runner.output('title', logLine(reason));
  return { conclusion: 'neutral', line: endLine('neutral', reason) };
}

async function judgeAndPublish(client: Client, job: Job, session: Session): Promise<JobEnding> {
  const evaluated = await evaluateJob(job, session);
  // A canceled job has ten seconds left, so save paid answers and waiting batches first.
  if (session.halting.halted()?.code === 'cancelled') await session.closeStores();
  const result = await overriddenByLabel(client, job, evaluated.result);
  return publishResult(client, job, session, { ...evaluated, result });
}

export const LONGEST_REASON = 500;

/**
 * A line of the pull request's description that starts with the label's name and a colon, or else
 * the label's own description. Null if the pull request lacks the label.
 */
export function overrideReason({ labels, body }: PullWords, label: string): string | null {
  const found = labels.find(({ name }) => name.toLowerCase() === label.toLowerCase());
  if (found === undefined) return null;
  const start = `${label.toLowerCase()}:`;
  const line = (body ?? '')
    .split(/\r?\n/)
    .map((text) => text.trim())
    .find((text) => text.toLowerCase().startsWith(start) && text.slice(start.length).trim() !== '');
  return (line?.slice(start.length) ?? found.description ?? '').trim().slice(0, LONGEST_REASON);
}

/** A result that stays red although it has the label says why. */
async function overriddenByLabel(
  client: Client,
  { inputs: { overrideLabel: label }, facts, trust, runner, lease }: Job,
  result: Result,
): Promise<Result> {
  const { repository, pullRequest } = facts;
  if (label === null || pullRequest === null || result.conclusion !== 'failure') return result;
  const refuse = (why: string): Result => {
    const message = `The label "${label}" does not override the gate: ${why.replace(/\.$/, '')}.`;
    runner.warning(message);
    return { ...result, notices: [...result.notices, { kind: 'trust', place: null, message }] };
  };
  const words = await pullWords(client, repository, pullRequest);
  if ('warning' in words) return refuse(words.warning);
  const reason = overrideReason(words, label);
  if (reason === null) return result;
  if (reason === '')
    return refuse(
      `it has no reason. Add a line "${label}: the reason" to the pull request's text, or give ` +
        'the label a description',
    );
  const { firstRun } = lease;
  const setter =
    trust.level === 'untrusted' || trust.approved === true
      ? { refused: "it never applies to an outside contributor's pull request" }
      : await overriderOf(client, { repository, pullRequest, label, author: words.user, firstRun });
  return 'refused' in setter
    ? refuse(setter.refused)
    : withOverride(result, { label, by: setter.by, reason });
}

/** Makes a red verdict neutral. Errors remain errors. */
export function withOverride(result: Result, override: Override): Result {
  const { outcome } = result;
  const red = outcome.kind === 'regressed' || outcome.kind === 'failed';
  if (!red || conclusionOf(outcome) !== 'failure') return result;
  const overridden = outcomeFields({ kind: 'overridden', by: outcome }, result);
  return { ...result, ...overridden, override };
}

/**
 * Uses only the event and GitHub's API, because an outsider may have written an earlier workflow
 * run's artifacts.
 */
async function locate(client: Client, facts: EventFacts, { base }: Inputs): Promise<Located> {
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

async function evaluateJob(job: Job, session: Session) {
  const { facts } = job;
  const mode = modeOf(job);
  let published = () => Promise.resolve();
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

const REFERENCES_IN_LOG = 20;

function sessionOptions(
  job: Omit<Job, 'trust' | 'commits'>,
  trust: SessionOptions['trust'],
  client: Client,
): SessionOptions {
  const { inputs, env, facts, runner } = job;
  return {
    ...job,
    trust,
    directory: job.workspace,
    remote: jobRemote(job, client),
    temporary: env['RUNNER_TEMP'] || tmpdir(),
    role: job.own?.role ?? 'whole',
    withheld: withheldFrom(facts),
    isQueue: facts.event === 'merge_group',
    beforeCalls: job.lease.open,
    store: {
      kind: 'service',
      library: () => (inputs.cache ? cacheLibrary() : Promise.resolve(NO_SERVICE)),
      reuse: inputs.cache,
      own:
        facts.pullRequest === null
          ? `branch ${facts.headBranch ?? facts.head ?? ''}`
          : `pull request ${facts.pullRequest}`,
      run: [
        env['GITHUB_RUN_ID'] ?? '0',
        env['GITHUB_RUN_ATTEMPT'] ?? '1',
        randomBytes(4).toString('hex'),
      ].join('-'),
    },
    outputs: [],
    record: null,
    progress: { style: 'steps', write: (text) => runner.info(text.trimEnd()) },
    log: runner.info,
    warn: runner.warning,
    planned(run, decided) {
      const shown = {
        trust: decided,
        prepared: run,
        notices: run.emptyResult.notices,
        certainWords: certainWords(run.plan, job.features),
        verbose: true,
        references: REFERENCES_IN_LOG,
      };
      runner.info(planLines(shown).join('\n'));
      const lost = lostBatches(job, run);
      if (lost !== null) runner.warning(lost);
    },
  };
}

function jobRemote({ inputs, env }: Pick<Job, 'inputs' | 'env'>, client: Client) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  if (!server || !name) return undefined;
  return {
    ...serverAddress(server, name, inputs.token),
    mergeBase: (base: string, head: string) => mergeBaseOf(client, name, [base, head]),
  };
}

/** Without the cache service, the next job cannot find the batch requests of this job. */
function lostBatches({ inputs }: Pick<Job, 'inputs'>, prepared: Prepared): string | null {
  if (inputs.cache || !targetsOf(prepared).some(isBatched)) return null;
  return (
    'transport: batch with cache: false: if this job ends before a batch does, no other job can ' +
    'use the answers, although they are paid for. Set cache: true.'
  );
}

function cacheLibrary(): Promise<CacheLibrary> {
  expandNoProxy(process.env);
  return import('@actions/cache');
}

const NO_SERVICE: CacheLibrary = {
  isFeatureAvailable: () => false,
  restoreCache: () => Promise.resolve(undefined),
  saveCache: () => Promise.resolve(0),
};

const NEW_COMMIT = new Set(['push', 'merge_group', 'synchronize']);

/** True if the commit may already have a verdict, which must not remain if this run dies. */
function isRevisit({ env, facts }: Pick<Job, 'env' | 'facts'>): boolean {
  const { event, action } = facts;
  const isNew = NEW_COMMIT.has(event) || NEW_COMMIT.has(action ?? '');
  return !isNew || Number(env['GITHUB_RUN_ATTEMPT'] ?? '1') > 1;
}
