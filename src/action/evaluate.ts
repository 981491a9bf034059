import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { Client } from '../github/client.ts';
import { findPullRequest, withPullRequest, withQueuedPullRequest } from '../github/pull.ts';
import type { Manifest } from '../plan/manifest.ts';
import { suitesOf } from '../plan/prepared.ts';
import { planLines } from '../report/plan.ts';
import type { Result } from '../result/result.ts';
import type { Edges, RunInput } from '../run/input.ts';
import { notEvaluated } from '../run/not-judged.ts';
import { run } from '../run/run.ts';
import { hostRefused, withheldFrom } from '../select/trust.ts';
import type { AnswerExchange } from '../session/cached-complete.ts';
import { openWorld, type WorldOptions } from '../session/edges.ts';
import { createProgress } from '../session/progress.ts';
import { findSides, type Sides } from '../session/sides.ts';
import { DEFAULT_GATE } from '../suite/gate.ts';
import type { Suite } from '../suite/suite.ts';
import type { EventFacts, SourceTree } from '../types/repository.ts';
import { lostBatches, type Job, type RunningJob } from './context.ts';
import { mergeJob } from './shards.ts';

/** What a run is about, or why there is nothing to do: no fault of anyone. */
type Located = { facts: EventFacts; warnings: string[] } | { skip: string };

/**
 * Completes a `workflow_run` by the pull request it follows, which is found by its head commit, and
 * a `merge_group` by the one that its branch names. Nothing that the earlier run left behind is asked: it may have run a stranger's workflow. Throws
 * a `UserError` when GitHub cannot be asked.
 */
export async function locate(client: Client, facts: EventFacts): Promise<Located> {
  if (facts.event === 'merge_group') return withQueuedPullRequest(client, facts);
  if (facts.event !== 'workflow_run' || !(facts.origin?.event ?? '').startsWith('pull_request'))
    return { facts, warnings: [] };
  const found = await findPullRequest(client, facts);
  if (found.status === 'failed') throw new UserError([problem(null, found.warning)]);
  return found.status === 'none'
    ? { skip: found.reason }
    : { facts: withPullRequest(facts, found), warnings: [] };
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

/** References of a suite that the log's plan names. */
const REFERENCES_IN_LOG = 20;

interface Evaluated {
  result: Result;
  sides: Sides | null;
  suites: Suite[];
  /** What a merge joined. */ merged: Manifest[];
}

/** What the user has to fix is a result like any other: it is published, with its places. */
export async function evaluateJob(
  job: RunningJob,
  repository: Repository,
  temporaryFolder: string,
): Promise<Evaluated> {
  const seen: Seen = { suites: [], merged: [] };
  try {
    const { inputs, facts, mode } = job;
    await refuseForkCheckout(repository, facts);
    const sides = await findSides(repository, {
      base: inputs.base,
      head: inputs.head,
      facts,
      workingDirectory: inputs.workingDirectory,
      mode: comparing(mode),
    });
    return { sides, result: await judge(job, repository, sides, temporaryFolder, seen), ...seen };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const head = { commit: job.facts.head ?? '' };
    const unread = {
      mode: comparing(job.mode),
      base: null,
      head,
      trust: job.trust.level,
      gate: DEFAULT_GATE,
      n_tries: 'adaptive' as const,
    };
    return { sides: null, result: notEvaluated(unread, [...error.problems], []), ...seen };
  }
}

/** What is filled in while a run goes on, and shown whatever becomes of it. */
interface Seen {
  suites: Suite[];
  merged: Manifest[];
}

function comparing(mode: Job['mode']): 'diff' | 'sweep' {
  return mode === 'sweep' || mode === 'merge' ? 'sweep' : 'diff';
}

export function jobInput(
  { inputs, now, trust, mode, facts }: RunningJob,
  { base, head }: Pick<Sides, 'base' | 'head'>,
): RunInput {
  const refused = inputs.code === 'host' && trust.approved === true ? hostRefused(trust) : null;
  return {
    mode: comparing(mode),
    base,
    head,
    trust: trust.level,
    withheld: withheldFrom(facts),
    read: inputs.read,
    maxCalls: inputs.maxCalls,
    maxCost: inputs.maxCost,
    failOn: inputs.failOn,
    // Base's own programs may still answer a pull request that was not approved: head's are not
    // read there.
    code: refused === null ? inputs.code : 'sandbox',
    ...(refused === null
      ? {}
      : { notices: [{ kind: 'settings' as const, place: null, message: refused }] }),
    today: now().toISOString().slice(0, 10),
  };
}

async function judge(
  job: RunningJob,
  repository: Repository,
  sides: Sides,
  temporaryFolder: string,
  seen: Seen,
): Promise<Result> {
  const input = jobInput(job, sides);
  const trees: SourceTree[] = [sides.base, sides.head].filter((tree) => tree !== null);
  const watched = (edges: Edges): Edges => ({
    ...edges,
    planned: (plan, ready) => {
      seen.suites.push(...suitesOf(ready.prepared));
      edges.planned(plan, ready);
    },
  });
  if (job.mode !== 'merge')
    return inWorld(job, repository, { trees, temporaryFolder }, (edges) =>
      run(input, watched(edges)),
    );
  const { merging, manifests } = await mergeJob(job, sides.head.commit, temporaryFolder);
  seen.merged.push(...manifests);
  const merge: RunningJob = { ...job, openStores: merging.withAnswers(job.openStores) };
  return inWorld(
    merge,
    repository,
    { trees, temporaryFolder, exchange: merging.exchange },
    (edges) => run({ ...input, merged: merging.spent }, merging.edges(watched(edges))),
  );
}

/** Opens what a run asks of the world, hands it to `work`, and closes it whatever happens. */
export async function inWorld<T>(
  job: RunningJob,
  repository: Repository,
  {
    trees,
    temporaryFolder,
    exchange,
  }: Pick<WorldOptions, 'trees' | 'temporaryFolder'> & { exchange?: AnswerExchange },
  work: (edges: Edges) => Promise<T>,
): Promise<T> {
  const { inputs, access, env, runner, trust } = job;
  const progress = createProgress({
    style: 'steps',
    write: (text) => {
      runner.info(text.trimEnd());
    },
    now: Date.now,
  });
  const planned: Edges['planned'] = (plan, ready) => {
    runner.info(
      planLines({
        trust,
        prepared: ready.prepared,
        notices: ready.blank.notices,
        references: REFERENCES_IN_LOG,
      }).join('\n'),
    );
    progress.planned(plan, ready);
    const lost = lostBatches(job, ready.prepared);
    if (lost !== null) runner.warning(lost);
  };
  const world = openWorld({
    ...access,
    env,
    trust,
    code: inputs.code,
    codeEnv: inputs.codeEnv,
    repository,
    workingDirectory: inputs.workingDirectory,
    trees,
    temporaryFolder,
    halting: job.halting,
    openStores: job.openStores,
    record: null,
    exchange,
    log: runner.info,
    planned,
    answered: progress.answered,
  });
  try {
    return await work(world.edges);
  } finally {
    await world.close();
  }
}
