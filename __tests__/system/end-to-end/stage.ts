import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterThisTest, untilTestEnds } from '../../stand-ins/after-test.ts';
import {
  addPull,
  startValidatingGitHub,
  workflowToken,
  type GitHubStandIn,
  type Token,
} from '../../stand-ins/github/index.ts';
import {
  startModelServer,
  type ModelServer,
  type Script,
  type ServerOptions,
} from '../../stand-ins/models/server.ts';
import {
  createRepository,
  shallowCheckout,
  temporaryFolder,
  type FixtureFiles,
} from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, type Change, type History } from './projects.ts';
import {
  REPOSITORY,
  ROOT,
  TOKEN,
  bareEnvironment,
  runAction,
  startCommand,
  type Event,
  type Step,
  type StepResult,
} from './runner.ts';

/** A step takes a second on an idle machine, and much longer on a busy one. */

/** The model server's key, in the environment variable that the endpoint line names. */
export const MODEL_KEY = 'local-key-4f0c8a61d2b97e35';
export const PULL = 12;
export const FORK = 'bo-example/prompts';
/** GitHub's token for a pull request from a fork: it cannot write anything. */
export const READ_ONLY = workflowToken({ pull_requests: 'read', checks: 'read' });
export const NO_KEY =
  'No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.';

/** A GitHub and a model server for one test. Both stop at its end. */
export interface Stage {
  github: GitHubStandIn;
  models: ModelServer;
}

export async function stage(
  answer: Script,
  token: Token = workflowToken({ pull_requests: 'write', checks: 'write' }),
): Promise<Stage> {
  const github = await startValidatingGitHub({
    repository: REPOSITORY,
    tokens: { [TOKEN]: token },
  });
  github.state.statusUpdates = true;
  afterThisTest(github.close);
  return { github, models: await modelServer({ answer, key: MODEL_KEY }) };
}

/** Another model server, for tests that need more than one. */
export async function modelServer(options: ServerOptions): Promise<ModelServer> {
  return untilTestEnds(startModelServer(options));
}

export interface StepOptions extends Pick<Step, 'shipped' | 'needsCheckout' | 'start'> {
  inputs?: Record<string, string>;
  env?: Record<string, string>;
}

/**
 * Runs the action on a pull request as in the example workflow. `head` replaces the change's last
 * commit.
 */
export async function onPullRequest(
  at: Stage,
  change: Change,
  options: StepOptions & { event?: Event } = {},
): Promise<StepResult> {
  if (!at.github.state.pulls.has(PULL))
    addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base } });
  const pull = at.github.state.pulls.get(PULL)!;
  Object.assign(pull, { head: { ref: 'topic', sha: change.head, repository: REPOSITORY } });
  const checkout = shallowCheckout(
    change.origin,
    change.merge === null ? 'refs/heads/topic' : `refs/pull/${PULL}/merge`,
  );
  return runOn(at, { checkout, event: options.event ?? pullRequestEvent(change) }, options);
}

/**
 * Runs the action, on a new stage, on a pull request that writes the files of `head` over `base`.
 */
export async function pullRequest(
  base: FixtureFiles,
  head: FixtureFiles,
  { answer = obedient, token, history, ...options }: PullRequestOptions = {},
): Promise<{ at: Stage; change: Change; run: StepResult }> {
  const at = await stage(answer, token);
  const change = changeOf(base, head, history);
  return { at, change, run: await onPullRequest(at, change, options) };
}

interface PullRequestOptions extends StepOptions {
  answer?: Script;
  token?: Token;
  history?: History;
  event?: Event;
}

/** The environment of a command line that calls this model server. */
export const commandEnvironment = (models: ModelServer): NodeJS.ProcessEnv => ({
  ...bareEnvironment(),
  TMPDIR: temporaryFolder('tmp'),
  LOCAL_KEY: MODEL_KEY,
  EVALDIFF_ENDPOINTS: endpointLines(models),
});

/** A project on branch `main`, without a remote, and a model server for its commands. */
export async function desk(files: FixtureFiles = quiz(), answer: Script = obedient) {
  const models = await modelServer({ answer, key: MODEL_KEY });
  const repository = createRepository();
  repository.commit('Base', files);
  const evaldiff = (...args: string[]) =>
    startCommand(args, commandEnvironment(models), repository.directory);
  return { models, repository, evaldiff };
}

/** Runs the action on any event in a given checkout. */
export async function runOn(
  { github, models }: Stage,
  step: Pick<Step, 'checkout' | 'origin' | 'event'>,
  { inputs = {}, env = {}, shipped = false, ...rest }: StepOptions = {},
): Promise<StepResult> {
  const result = await runAction({
    ...rest,
    ...step,
    github,
    inputs: { endpoints: endpointLines(models), ...inputs },
    env: { LOCAL_KEY: MODEL_KEY, ...env },
    shipped,
  });
  if (models.refused.length > 0)
    throw new Error(`the vendor would have refused: ${models.refused.join('; ')}`);
  return result;
}

/** One server with two names, one for each vendor's form of its address. */
export function endpointLines({ url, openaiUrl }: ModelServer): string {
  return `local=${openaiUrl} key=LOCAL_KEY\nclaude=${url} key=LOCAL_KEY`;
}

export function eventPayload(name: string): Record<string, unknown> {
  return JSON.parse(
    readFileSync(join(ROOT, 'fixtures', 'events', `${name}.json`), 'utf8'),
  ) as Record<string, unknown>;
}

/** The payload `pull_request.json` (or another fixture of its kind) for this change. */
export function pullRequestEvent({ base, head }: Change, fixture = 'pull_request'): Event {
  const payload = eventPayload(fixture) as {
    number: number;
    pull_request: { number: number; base: { sha: string }; head: { sha: string } };
  };
  payload.number = PULL;
  payload.pull_request.number = PULL;
  payload.pull_request.base.sha = base;
  payload.pull_request.head.sha = head;
  return { name: fixture.split('.')[0]!, payload };
}

/** Makes the head of a change a fork's commit: in the origin, only `refs/pull` contains it. */
export function fromFork(at: Stage, change: Change): Change {
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  const head = { ref: 'friendlier', sha: change.head, repository: FORK };
  addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base }, head });
  return change;
}

/** Makes the head of a change a commit on a branch of the repository. */
export function fromBranch(at: Stage, { base, head: sha }: Omit<Change, 'merge'>, ref = 'main') {
  const head = { ref: 'topic', sha, repository: REPOSITORY };
  return addPull(at.github.state, { number: PULL, base: { ref, sha: base }, head });
}

/** The event of a merge queue that merges `after` into `before`. */
export function queueEvent({ origin }: Pick<Change, 'origin'>, before: string, after: string) {
  const ref = `refs/heads/gh-readonly-queue/main/pr-${PULL}-${before}`;
  origin.git('update-ref', ref, after);
  const payload = eventPayload('merge_group');
  const sides = { base_sha: before, head_sha: after, head_ref: ref };
  const merge_group = { ...(payload['merge_group'] as object), ...sides };
  const event: Event = { name: 'merge_group', payload: { ...payload, merge_group } };
  return { checkout: shallowCheckout(origin, ref), event };
}

export function onlyComment({ github }: Stage): string {
  const { comments } = github.state;
  if (comments.length !== 1) throw new Error(`there are ${comments.length} comments`);
  return comments[0]!.body;
}
