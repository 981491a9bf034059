import { join } from 'node:path';
import type { Inputs } from '../../config/inputs.ts';
import type { Repository } from '../../edges/git/repository.ts';
import type { Client } from '../../edges/github/client.ts';
import {
  findPullRequest,
  withPresentBase,
  withPullRequest,
  withQueuedPullRequest,
} from '../../edges/github/pull.ts';
import { artifactName, fetchParts, unreachable, uploadPart } from '../../edges/store/artifact.ts';
import { UserError, problem } from '../../errors.ts';
import {
  type Gathered,
  evaluateShard,
  gatherParts,
  mergeParts,
} from '../../features/shards/evaluate-shard.ts';
import { type Manifest, PART_FILES } from '../../features/shards/manifest.ts';
import {
  mergeWords,
  renderMergeSummary,
  renderShardSummary,
  shardTitle,
  shardWords,
} from '../../features/shards/words.ts';
import type { Result } from '../../kernel/result/result.ts';
import { DEFAULT_GATE } from '../../kernel/suite/gate-settings.ts';
import { endLine, logLine } from '../../text/log.ts';
import { ORIGIN_WORDS } from '../../trust/trust-table.ts';
import type { EventFacts } from '../../types/repository.ts';
import { notEvaluated } from '../run/not-judged.ts';
import { blankOf } from '../run/plan-run.ts';
import type { CommitsRequest, RunCommits } from '../session/commits.ts';
import { type Evaluated, type Session, evaluate, projectOf } from '../session/session.ts';
import { type Sides, findSides } from '../session/sides.ts';
import { type Ending, type Job, appendSummary, artifactLibrary, say } from './context.ts';
import { usageOutputs } from './publish.ts';

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
  if (facts.pullRequest !== null)
    return { facts: await withPresentBase(client, facts, facts.pullRequest), warnings: [] };
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

const modeOf = ({ mode }: Pick<Job, 'mode'>): Result['mode'] =>
  mode === 'sweep' || mode === 'merge' ? 'sweep' : 'diff';

/** Which commits a job is about. A measurement of noise is of what changes are compared with. */
export function commitsRequest(
  job: Pick<Job, 'inputs' | 'facts' | 'mode'>,
): CommitsRequest & { workingDirectory: string } {
  const { inputs, facts, mode } = job;
  const { workingDirectory, base, head } = inputs;
  if (mode !== 'noise') return { workingDirectory, base, head, facts, mode: modeOf(job) };
  const ofBase = { ...facts, head: facts.base ?? facts.head, pullRequest: null };
  return { workingDirectory, base: null, head: base ?? head, facts: ofBase, mode: 'sweep' };
}

/**
 * The commits of a job.
 *
 * @throws UserError where they were not found, and for a foreign head with `code: host` or without
 * a base: nothing would judge it but its own tests and settings.
 */
export async function commitsOf({ commits, inputs, mode, trust }: Job): Promise<RunCommits> {
  const found = await commits;
  const refused = inputs.code === 'host' ? 'code: host' : mode === 'diff' ? null : `mode: ${mode}`;
  if (refused === null || trust.foreign === undefined) return found;
  const instead =
    refused === 'code: host'
      ? "leave out code: host; it is then judged as an outside contributor's"
      : 'compare it with a base (mode: diff), whose tests and settings then judge it';
  const message = `${refused} is refused: head (${found.head.slice(0, 7)}) is ${ORIGIN_WORDS[trust.foreign]}. Read the commit and push it to a branch of this repository, or ${instead}.`;
  throw new UserError([problem(null, message)]);
}

/** What the user has to fix is a result like any other: it is published, with its places. */
export async function evaluateJob(job: Job, session: Session): Promise<EvaluatedJob> {
  const { facts } = job;
  const mode = modeOf(job);
  let merged: readonly Manifest[] = [];
  try {
    await refuseForkCheckout(session.repository, facts);
    const sides = await findSides(session.repository, await commitsOf(job), commitsRequest(job));
    job.lease.about(facts, sides.head.commit, job.trust.approved);
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
      blankParts: blankOf(session.features),
    };
    const result = notEvaluated(unread, [...error.problems], []);
    return { result, suites: [], sides: null, merged };
  }
}

/**
 * A shard is a part of a full sweep and of nothing else.
 *
 * @throws UserError that says which of the two inputs to change.
 */
export function refuseMixedRoles({ inputs, mode }: Pick<Job, 'inputs' | 'mode'>): void {
  if (inputs.shard === null || mode === 'sweep') return;
  throw new UserError([
    problem(
      null,
      mode === 'merge'
        ? 'shard: is for the jobs whose parts mode: merge joins; leave it out of the merge'
        : `shard: parts a full sweep, and this is mode: ${mode}. Set mode: sweep, or leave shard out`,
    ),
  ]);
}

/**
 * One part of a full sweep: evaluates it, and leaves an artifact for `mode: merge`. It posts
 * nothing, for it has judged nothing.
 */
export async function runShardJob(job: Job, session: Session): Promise<Ending> {
  const { inputs, env, runner } = job;
  const { shard } = inputs;
  const closed = unreachable(env);
  if (shard === null || closed !== null)
    throw new UserError([problem(null, `shard: ${closed ?? 'is not given'}.`)]);
  const { head } = await findSides(session.repository, await commitsOf(job), commitsRequest(job));
  const folder = join(session.temporaryFolder, 'evaldiff-shard');
  const manifest = session.redact(await evaluateShard(session, head, shard, folder));
  await uploadPart(await artifactLibrary(job), {
    name: artifactName(shard, projectOf(session)),
    folder,
    files: Object.values(PART_FILES),
  });
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => renderShardSummary(manifest),
    runner.warning,
  );
  const title = shardTitle(manifest);
  say(runner, { conclusion: 'neutral', title: logLine(title), ...usageOutputs(manifest.usage) });
  if (manifest.halted !== null) runner.warning(title);
  runner.info(shardWords(manifest));
  return { conclusion: 'neutral', line: endLine('neutral', title, 'the merge judges') };
}

/**
 * Fetches the parts that the shards of this workflow run left, and no other run's.
 *
 * @throws UserError when artifacts cannot be reached, or a part cannot be read.
 */
async function gatherArtifacts(
  { env, artifacts }: Pick<Job, 'env' | 'artifacts'>,
  session: Session,
  head: string,
): Promise<Gathered> {
  const closed = unreachable(env);
  if (closed !== null) throw new UserError([problem(null, `mode: merge: ${closed}.`)]);
  const fetched = await fetchParts(await artifactLibrary({ artifacts }), {
    project: projectOf(session),
    folder: join(session.temporaryFolder, 'evaldiff-parts'),
  });
  const problems = fetched.problems.map((message) => problem(null, message));
  if (fetched.parts.length === 0 && problems.length === 0) problems.push(problem(null, NO_PARTS));
  const places = fetched.parts.map(({ name, folder, index, count }) => ({
    name: `The artifact ${name}`,
    folder,
    shard: { index, count },
  }));
  return gatherParts(session, head, { places, source: 'artifacts', problems });
}

const NO_PARTS =
  'mode: merge: no shard of this sweep left an artifact in this workflow run. Run the shards in jobs that the merge needs (needs:), in the same workflow, ' +
  'with the same working-directory and config; if there are such jobs, look at their logs.';

/** Says what the shards were paid for, which the result does not count. */
export async function sayParts(manifests: readonly Manifest[], job: Job): Promise<void> {
  if (manifests.length === 0) return;
  const { env, runner } = job;
  runner.info(mergeWords(manifests));
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => renderMergeSummary(manifests),
    runner.warning,
  );
}
